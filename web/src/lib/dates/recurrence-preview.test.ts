import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextDueDate } from '#lib/recurrence.ts'
import { previewOccurrences } from './recurrence-preview.ts'
import { formatRuleParts, parseRuleParts } from './recurrence-rule.ts'

const RULES = [
  'FREQ=DAILY',
  'FREQ=DAILY;INTERVAL=3',
  'FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR',
  'FREQ=WEEKLY;BYDAY=MO',
  'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR',
  'FREQ=WEEKLY;INTERVAL=2;BYDAY=SU,MO;WKST=SU',
  'FREQ=WEEKLY',
  'FREQ=MONTHLY',
  'FREQ=MONTHLY;BYMONTHDAY=31',
  'FREQ=MONTHLY;BYMONTHDAY=-1',
  'FREQ=MONTHLY;BYDAY=2TU',
  'FREQ=MONTHLY;BYDAY=-1FR;INTERVAL=2',
  'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1',
  'FREQ=YEARLY',
  'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29',
  'FREQ=YEARLY;BYMONTH=3,9',
  'FREQ=YEARLY;BYDAY=20MO',
  'FREQ=YEARLY;BYMONTH=11;BYDAY=4TH',
  'FREQ=WEEKLY;BYDAY=MO;UNTIL=20260301',
]

test('previews the same dates as the server computes for the next tasks', () => {
  for (const rule of RULES) {
    for (const due_date of ['2026-03-31', '2024-02-29']) {
      for (const basis of ['due_date', 'completion'] as const) {
        const today = '2026-02-10'
        const wanted: string[] = []
        let now = { basis, due_date, today }
        for (let day: string | undefined = due_date; wanted.length < 3; ) {
          day = nextDueDate(rule, now)
          if (day === undefined) break
          wanted.push(day)
          // Each is completed on its day.
          now = { basis, due_date: day, today: day }
        }
        assert.deepEqual(
          previewOccurrences(rule, { basis, due_date, today }),
          wanted,
          `${rule} ${basis} ${due_date}`,
        )
      }
    }
  }
})

test('COUNT ends the preview, and an invalid rule has no days', () => {
  const due = { basis: 'due_date', due_date: '2026-01-05', today: '2026-01-05' } as const
  assert.deepEqual(previewOccurrences('FREQ=DAILY;COUNT=3', due), ['2026-01-06', '2026-01-07'])
  assert.deepEqual(previewOccurrences('FREQ=DAILY;COUNT=1', due), [])
  assert.deepEqual(previewOccurrences('every day', due), [])
})

test('formats a parsed rule so that it parses to the same parts', () => {
  for (const rule of RULES) {
    const parsed = parseRuleParts(rule)
    assert.ok(parsed)
    assert.deepEqual(parseRuleParts(formatRuleParts(parsed)), parsed, rule)
  }
})
