import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { RRuleTemporal } from 'rrule-temporal'
import { measureCpuTime } from '#test/support/system/cpu-time.ts'
import { addDays } from './days.ts'
import { firstOccurrence, parseRecurrenceRule } from './recurrence.ts'

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

test('gives up an unsatisfiable rule within 2 ms', () => {
  const never = () => dayOf('FREQ=YEARLY;BYMONTH=2', '2026-01-30', '2026-01-31')
  assert.equal(never(), undefined)
  const took = measureCpuTime(never)
  assert.ok(took < 2, `took ${took} ms`)
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
    { numRuns: 300 },
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
