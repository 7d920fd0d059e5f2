import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { RRuleTemporal } from 'rrule-temporal'
import { addDays } from './days.ts'
import {
  decrementCount,
  firstOccurrence,
  incrementCount,
  isRecurrenceRule,
  nextDueDate,
  parseRecurrenceRule,
} from './recurrence.ts'

test('parses the parts of a rule in any order', () => {
  assert.deepEqual(
    parseRecurrenceRule('BYDAY=-1FR,+2MO,SU;WKST=SU;FREQ=MONTHLY;COUNT=5;BYSETPOS=-1'),
    {
      freq: 'MONTHLY',
      interval: 1,
      count: 5,
      until: undefined,
      byDay: [
        { weekday: 4, nth: -1 },
        { weekday: 0, nth: 2 },
        { weekday: 6, nth: undefined },
      ],
      byMonthDay: [],
      byMonth: [],
      bySetPos: [-1],
      weekStart: 6,
    },
  )
  const timed = parseRecurrenceRule(
    'FREQ=DAILY;INTERVAL=999;BYMONTH=1,12;BYMONTHDAY=31,-31;UNTIL=20261231T235959Z',
  )
  assert.equal(timed?.until, '2026-12-31')
  assert.deepEqual(timed?.byMonthDay, [31, -31])
})

const wrong = [
  '',
  ';',
  'FREQ',
  'FREQ=',
  'INTERVAL=1',
  'freq=DAILY',
  'FREQ=daily',
  'FREQ=HOURLY',
  'FREQ=SECONDLY;COUNT=5',
  'RRULE:FREQ=DAILY',
  'FREQ=DAILY;',
  ';FREQ=DAILY',
  'FREQ=DAILY;;COUNT=2',
  ' FREQ=DAILY',
  'FREQ=DAILY\n',
  'FREQ=DAILY;COUNT=2\n',
  'FREQ=DAILY;FREQ=DAILY',
  'FREQ=DAILY;COUNT=2;COUNT=3',
  'FREQ=DAILY;INTERVAL=0',
  'FREQ=DAILY;INTERVAL=1000',
  'FREQ=DAILY;INTERVAL=-1',
  'FREQ=DAILY;INTERVAL=1.5',
  'FREQ=DAILY;COUNT=0',
  'FREQ=DAILY;COUNT=1000',
  'FREQ=DAILY;COUNT=2;UNTIL=20260101',
  'FREQ=DAILY;UNTIL=20260230',
  'FREQ=DAILY;UNTIL=19691231',
  'FREQ=DAILY;UNTIL=2026-01-01',
  'FREQ=DAILY;UNTIL=20260101T000000',
  'FREQ=DAILY;UNTIL=20260101T240000Z',
  'FREQ=DAILY;BYDAY=1MO',
  'FREQ=WEEKLY;BYDAY=-1MO',
  'FREQ=WEEKLY;BYDAY=MO,',
  'FREQ=WEEKLY;BYDAY=XX',
  'FREQ=WEEKLY;BYDAY=mo',
  'FREQ=WEEKLY;BYMONTHDAY=1',
  'FREQ=MONTHLY;BYDAY=0MO',
  'FREQ=MONTHLY;BYDAY=54MO',
  'FREQ=MONTHLY;BYMONTHDAY=0',
  'FREQ=MONTHLY;BYMONTHDAY=32',
  'FREQ=MONTHLY;BYMONTHDAY=-32',
  'FREQ=YEARLY;BYMONTH=0',
  'FREQ=YEARLY;BYMONTH=13',
  'FREQ=YEARLY;BYMONTH=-1',
  'FREQ=YEARLY;BYSETPOS=1',
  'FREQ=YEARLY;BYMONTH=1;BYSETPOS=0',
  'FREQ=YEARLY;BYMONTH=1;BYSETPOS=367',
  'FREQ=WEEKLY;WKST=1MO',
  'FREQ=WEEKLY;WKST=MO,TU',
  'FREQ=YEARLY;BYYEARDAY=1',
  'FREQ=YEARLY;BYWEEKNO=1',
  'FREQ=DAILY;BYHOUR=9',
  'FREQ=DAILY;X-NAME=1',
]

for (const text of wrong) {
  test(`rejects ${JSON.stringify(text)}`, () => assert.equal(parseRecurrenceRule(text), undefined))
}

test('rejects rules longer than 200 characters', () => {
  const ofLength = (length: number) => `FREQ=DAILY;INTERVAL=${'1'.padStart(length - 20, '0')}`
  assert.equal(ofLength(200).length, 200)
  assert.ok(parseRecurrenceRule(ofLength(200)))
  assert.equal(parseRecurrenceRule(ofLength(201)), undefined)
})

/** The examples of RFC 5545, 3.8.5.3, as far as they are of days. */
const examples: [rule: string, start: string, days: string][] = [
  ['FREQ=DAILY;INTERVAL=2', '1997-09-02', '09-02 09-04 09-06 09-08'],
  ['FREQ=YEARLY;BYMONTH=1;BYDAY=SU,MO', '1998-01-01', '01-04 01-05 01-11 01-12'],
  ['FREQ=WEEKLY;INTERVAL=2;WKST=SU', '1997-09-02', '09-02 09-16 09-30 10-14'],
  ['FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU;WKST=MO', '1997-08-05', '08-05 08-10 08-19 08-24'],
  ['FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU;WKST=SU', '1997-08-05', '08-05 08-17 08-19 08-31'],
  ['FREQ=MONTHLY;BYDAY=1FR', '1997-09-05', '09-05 10-03 11-07 12-05'],
  ['FREQ=MONTHLY;INTERVAL=2;BYDAY=1SU,-1SU', '1997-09-07', '09-07 09-28 11-02 11-30'],
  ['FREQ=MONTHLY;BYDAY=-2MO', '1997-09-22', '09-22 10-20 11-17 12-22'],
  ['FREQ=MONTHLY;BYMONTHDAY=-3', '1997-09-28', '09-28 10-29 11-28 12-29'],
  ['FREQ=MONTHLY;BYMONTHDAY=1,-1', '1997-09-30', '09-30 10-01 10-31 11-01'],
  ['FREQ=MONTHLY;INTERVAL=18;BYMONTHDAY=10,11,12', '1997-09-10', '09-10 09-11 09-12 03-10'],
  ['FREQ=YEARLY;BYMONTH=6,7', '1997-06-10', '06-10 07-10 06-10 07-10'],
  ['FREQ=YEARLY;INTERVAL=3;BYMONTH=1', '1997-01-31', '01-31 01-31 01-31 01-31'],
  ['FREQ=YEARLY;BYDAY=20MO', '1997-05-19', '05-19 05-18 05-17 05-15'],
  ['FREQ=YEARLY;BYMONTH=3;BYDAY=TH', '1997-03-13', '03-13 03-20 03-27 03-05'],
  ['FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13', '1997-09-02', '02-13 03-13 11-13 08-13'],
  ['FREQ=MONTHLY;BYDAY=SA;BYMONTHDAY=7,8,9,10,11,12,13', '1997-09-13', '09-13 10-11 11-08 12-13'],
  [
    'FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8',
    '1996-11-05',
    '11-05 11-07 11-02 11-04',
  ],
  ['FREQ=MONTHLY;BYDAY=TU,WE,TH;BYSETPOS=3', '1997-09-04', '09-04 10-07 11-06 12-04'],
  ['FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2', '1997-09-29', '09-29 10-30 11-27 12-30'],
  ['FREQ=MONTHLY;BYMONTHDAY=15,30', '2007-01-15', '01-15 01-30 02-15 03-15'],
  ['FREQ=MONTHLY', '2026-01-31', '01-31 03-31 05-31 07-31'],
  ['FREQ=YEARLY', '2024-02-29', '02-29 02-29 02-29 02-29'],
  ['FREQ=YEARLY;BYDAY=53MO,-53TU;BYMONTHDAY=29,31', '2001-01-02', '12-31 12-31 12-31 12-31'],
]

for (const [text, start, days] of examples) {
  test(`${text} from ${start} gives ${days}`, () => {
    const found: string[] = []
    for (let from = start; found.length < 4; from = addDays(found.at(-1) ?? start, 1)) {
      found.push(dayOf(text, start, from) ?? 'none')
    }
    assert.equal(found.map((day) => day.slice(5)).join(' '), days)
  })
}

test('finds the same day wherever the search begins', () => {
  const days = fc.integer({ min: 0, max: 20_000 })
  fc.assert(
    fc.property(anyRule, days, days, (text, since, more) => {
      const start = addDays('1990-01-01', since)
      const found = dayOf(text, start, addDays(start, more))
      if (found) assert.equal(dayOf(text, start, found), found)
      if (found && found > addDays(start, more)) {
        assert.equal(dayOf(text, start, addDays(found, -1)), found)
      }
    }),
  )
})

test('gives up an unsatisfiable rule', () => {
  assert.equal(dayOf('FREQ=YEARLY;BYMONTH=2', '2026-01-30', '2026-01-31'), undefined)
})

test('agrees with another implementation of RFC 5545', () => {
  const days = fc.integer({ min: 0, max: 2_000 })
  fc.assert(
    fc.property(anyRule, days, days, (text, since, more) => {
      const start = addDays('2010-01-01', since)
      const from = addDays(start, more)
      const found = dayOf(text, start, from)
      // It gives up after 10,000 steps, so only early days are compared.
      if (!found || found > addDays(from, 1_000)) return
      assert.equal(found, theirs(text, start, from))
    }),
    { numRuns: 100 },
  )
})

const listed = <T>(item: fc.Arbitrary<T>, maxLength: number) =>
  fc.uniqueArray(item, { maxLength }).map((items) => items.join(','))
const weekdays = listed(fc.constantFrom('MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'), 4)
const ordinals = listed(fc.constantFrom('1MO', '-1FR', '2SU', '-2WE', '5TU'), 3)

const anyRule = fc
  .record({
    FREQ: fc.constantFrom('DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'),
    INTERVAL: fc.integer({ min: 1, max: 5 }),
    BYDAY: fc.oneof(weekdays, ordinals),
    BYMONTHDAY: listed(fc.constantFrom(1, 13, 15, 28, 29, 31, -1, -2, -31), 4),
    BYMONTH: listed(fc.integer({ min: 1, max: 12 }), 4),
    BYSETPOS: listed(fc.constantFrom(1, 2, 3, -1, -2), 2),
    WKST: fc.constantFrom('MO', 'SU', 'TH'),
  })
  .map((parts) =>
    Object.entries(parts)
      .filter(([, value]) => value !== '')
      .map(([name, value]) => `${name}=${value}`)
      .join(';'),
  )
  // That one goes wrong where a numbered BYDAY stands beside a plain one or beside BYMONTHDAY.
  .filter(
    (text) => parseRecurrenceRule(text) !== undefined && !/BYDAY=.*\d[A-Z].*BYMONTHDAY/.test(text),
  )

function dayOf(text: string, start: string, from: string): string | undefined {
  const rule = parseRecurrenceRule(text)
  assert.ok(rule, text)
  return firstOccurrence(rule, start, from)
}

function theirs(text: string, start: string, from: string): string | undefined {
  const [dtstart, after] = [start, from].map((day) => Temporal.ZonedDateTime.from(`${day}[UTC]`))
  assert.ok(dtstart && after)
  const rule = new RRuleTemporal({ rruleString: text, dtstart })
  return rule.next(after, true)?.toPlainDate().toString()
}

const MONDAY = '2026-01-05'

test('a weekly task is due a week later, or on the next weekday if it is late', () => {
  const rule = 'FREQ=WEEKLY;BYDAY=MO'
  const due = { basis: 'due_date', due_date: MONDAY } as const
  assert.equal(nextDueDate(rule, { ...due, today: MONDAY }), '2026-01-12')
  assert.equal(nextDueDate(rule, { ...due, today: '2026-01-20' }), '2026-01-26')
  assert.equal(nextDueDate(rule, { ...due, today: '2026-01-26' }), '2026-01-26')
})

test('early completion continues after the due date', () => {
  const early = { basis: 'due_date', due_date: '2026-01-12', today: '2026-01-06' } as const
  assert.equal(nextDueDate('FREQ=DAILY;INTERVAL=3', early), '2026-01-15')
})

test('basis completion starts the rule today', () => {
  const done = { basis: 'completion', due_date: '2026-01-01', today: '2026-01-20' } as const
  assert.equal(nextDueDate('FREQ=DAILY;INTERVAL=3', done), '2026-01-23')
  assert.equal(nextDueDate('FREQ=WEEKLY;BYDAY=TU', done), '2026-01-27')
  assert.equal(nextDueDate('FREQ=MONTHLY', done), '2026-02-20')
})

test('keeps the interval aligned to the due date after late completion', () => {
  const late = { basis: 'due_date', due_date: '2026-01-01', today: '2026-01-20' } as const
  assert.equal(nextDueDate('FREQ=DAILY;INTERVAL=10', late), '2026-01-21')
  assert.equal(nextDueDate('FREQ=WEEKLY;INTERVAL=2;BYDAY=MO', late), '2026-01-26')
})

test('a rule ends after COUNT 1 or after the day of UNTIL', () => {
  const due = { basis: 'due_date', due_date: MONDAY, today: '2026-01-20' } as const
  assert.equal(nextDueDate('FREQ=DAILY;COUNT=1', due), undefined)
  assert.equal(nextDueDate('FREQ=DAILY;COUNT=2', due), '2026-01-20')
  assert.equal(nextDueDate('FREQ=DAILY;UNTIL=20260119', due), undefined)
  assert.equal(nextDueDate('FREQ=DAILY;UNTIL=20260120', due), '2026-01-20')
  assert.equal(nextDueDate('FREQ=DAILY;UNTIL=20260120T000000Z', due), '2026-01-20')
  assert.equal(nextDueDate('COUNT=1;FREQ=DAILY', { ...due, basis: 'completion' }), undefined)
})

test('a rule without any day after its start has ended', () => {
  const due = { basis: 'due_date', due_date: '2026-01-30', today: '2026-01-30' } as const
  assert.equal(nextDueDate('FREQ=YEARLY;BYMONTH=2', due), undefined)
  assert.equal(nextDueDate('FREQ=YEARLY;INTERVAL=100;BYMONTH=2;BYMONTHDAY=29', due), undefined)
  assert.equal(nextDueDate('FREQ=DAILY;INTERVAL=7;BYDAY=MO', due), undefined)
  const last = { basis: 'due_date', due_date: '9999-12-31', today: '9999-12-31' } as const
  assert.equal(nextDueDate('FREQ=DAILY', last), undefined)
})

test('decrements COUNT and changes nothing else', () => {
  assert.equal(decrementCount('FREQ=DAILY;COUNT=10;BYDAY=MO'), 'FREQ=DAILY;COUNT=9;BYDAY=MO')
  assert.equal(decrementCount('COUNT=2;FREQ=DAILY'), 'COUNT=1;FREQ=DAILY')
  assert.equal(decrementCount('FREQ=DAILY;INTERVAL=10'), 'FREQ=DAILY;INTERVAL=10')
  assert.equal(incrementCount('FREQ=DAILY;COUNT=9;BYDAY=MO'), 'FREQ=DAILY;COUNT=10;BYDAY=MO')
})

test('rejects rules that no day can satisfy', () => {
  for (const text of [
    'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30',
    'FREQ=MONTHLY;BYMONTH=4,6;BYMONTHDAY=31',
    'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30',
    'FREQ=DAILY;BYDAY=MO;BYSETPOS=2',
    'FREQ=WEEKLY;BYDAY=SU,MO;BYSETPOS=3',
    'FREQ=MONTHLY;BYDAY=6MO',
    'FREQ=YEARLY;BYDAY=53MO;BYMONTH=1',
    'FREQ=YEARLY;BYDAY=2MO;BYMONTH=1;BYMONTHDAY=7',
    'FREQ=DAILY;BYMONTH=2;UNTIL=19700131',
  ]) {
    assert.ok(!isRecurrenceRule(text), text)
  }
  for (const text of [
    'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=SU',
    'FREQ=YEARLY;INTERVAL=999;BYMONTH=2;BYMONTHDAY=29',
    'FREQ=YEARLY;BYDAY=53MO',
    'FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYSETPOS=366',
    'FREQ=MONTHLY;BYDAY=5MO;BYMONTH=2',
    'FREQ=WEEKLY;BYDAY=SU,MO;BYSETPOS=2',
    'FREQ=DAILY;UNTIL=19700101',
  ]) {
    assert.ok(isRecurrenceRule(text), text)
  }
})
