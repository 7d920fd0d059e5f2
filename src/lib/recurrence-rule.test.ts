import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseRecurrenceRule } from './recurrence.ts'

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
