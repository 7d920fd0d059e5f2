import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextCronTime, parseCron, previousCronTime } from './cron.ts'

const at = (text: string) => Date.parse(`${text}:00Z`)
const show = (ms: number | undefined) =>
  ms === undefined ? 'never' : new Date(ms).toISOString().slice(0, 16)

/** The time before and after an instant of Sunday, 22 November 2026. */
const CASES: [fields: string, previous: string, next: string][] = [
  ['0 2 * * *', '2026-11-22T02:00', '2026-11-23T02:00'],
  ['37 13 * * *', '2026-11-22T13:37', '2026-11-23T13:37'],
  ['38 13 * * *', '2026-11-21T13:38', '2026-11-22T13:38'],
  ['*/15 * * * *', '2026-11-22T13:30', '2026-11-22T13:45'],
  ['5/20 9-17 * * *', '2026-11-22T13:25', '2026-11-22T13:45'],
  ['0 22,6 * * *', '2026-11-22T06:00', '2026-11-22T22:00'],
  ['0 0 * * mon-fri', '2026-11-20T00:00', '2026-11-23T00:00'],
  ['0 0 * * 7', '2026-11-22T00:00', '2026-11-29T00:00'],
  ['0 0 * * 6-7', '2026-11-22T00:00', '2026-11-28T00:00'],
  ['0 0 1 * *', '2026-11-01T00:00', '2026-12-01T00:00'],
  ['0 0 31 * *', '2026-10-31T00:00', '2026-12-31T00:00'],
  ['0 0 13 * FRI', '2026-11-20T00:00', '2026-11-27T00:00'],
  ['0 0 29 2 *', '2024-02-29T00:00', '2028-02-29T00:00'],
  ['0 0 * feb,dec sun', '2026-02-22T00:00', '2026-12-06T00:00'],
]

test('finds the times of cron fields before and after an instant', () => {
  for (const [fields, previous, next] of CASES) {
    const schedule = parseCron(fields) ?? assert.fail(fields)
    const now = at('2026-11-22T13:37')
    const times = [show(previousCronTime(schedule, now)), show(nextCronTime(schedule, now))]
    assert.deepEqual(times, [previous, next], fields)
  }
})

test('passes over 2100, which has no leap day', () => {
  const schedule = parseCron('0 0 29 2 *') ?? assert.fail()
  assert.equal(show(nextCronTime(schedule, at('2096-03-01T00:00'))), '2104-02-29T00:00')
})

test('rejects everything that is not five valid fields, and times that never come', () => {
  const invalid = [
    '',
    '* * * *',
    '* * * * * *',
    '60 * * * *',
    '0 24 * * *',
    '0 0 0 * *',
    '0 0 32 * *',
  ]
  const more = ['0 0 * 13 *', '0 0 * * 8', '5-1 * * * *', '*/0 * * * *', '1, * * * *', '-1 * * * *']
  const names = [
    '0 0 * * jan',
    'mon * * * *',
    '0 0 30 2 *',
    '0 0 31 4,6 *',
    '@daily',
    '1.5 * * * *',
  ]
  for (const fields of [...invalid, ...more, ...names]) {
    assert.equal(parseCron(fields), undefined, fields)
  }
})
