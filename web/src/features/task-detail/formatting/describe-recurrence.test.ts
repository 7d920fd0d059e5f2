import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeRecurrence } from './describe-recurrence.ts'

const DESCRIPTIONS: [rule: string, words: string][] = [
  ['FREQ=DAILY', 'every day'],
  ['FREQ=DAILY;INTERVAL=3', 'every 3 days'],
  ['FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR', 'every week on Mon–Fri'],
  ['FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR', 'every 2 weeks on Mon and Fri'],
  ['FREQ=MONTHLY;BYMONTHDAY=1,15', 'every month on the 1st and 15th'],
  ['FREQ=MONTHLY;BYMONTHDAY=-1', 'every month on the last day'],
  ['FREQ=MONTHLY;BYDAY=2TU', 'every month on the 2nd Tue'],
  ['FREQ=MONTHLY;BYDAY=-1FR', 'every month on the last Fri'],
  ['FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1', 'every month on the last weekday'],
  ['FREQ=YEARLY;BYMONTH=3,9', 'every year in March and September'],
  ['FREQ=DAILY;COUNT=3', 'every day 2 more times'],
  ['FREQ=WEEKLY;UNTIL=20991231', 'every week until 31 Dec 2099'],
  ['nonsense', 'nonsense'],
]

test('describes a recurrence rule in words', () => {
  for (const [rule, words] of DESCRIPTIONS) assert.equal(describeRecurrence(rule), words, rule)
  assert.equal(describeRecurrence('FREQ=DAILY', 'completion'), 'every day after completion')
})
