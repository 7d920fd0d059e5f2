import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseDuration } from '#lib/typed-duration.ts'
import { formatDuration, formatTimer } from './duration.ts'
import { elapsedSeconds } from './elapsed.ts'

test('parses typed durations in all supported forms', () => {
  const read = Object.fromEntries(
    [
      '1h 30m',
      '1:30',
      '90m',
      '1.5h',
      '1,5h',
      '90',
      '1.5',
      '1h30',
      '2 hours',
      '1 H 5 min',
      '~30m',
      '1 1/2h',
      '1½ h',
      '10.5h',
      '3/4h',
    ].map((typed) => [typed, parseDuration(typed)]),
  )
  assert.deepEqual(read, {
    '1h 30m': 5400,
    '1:30': 5400,
    '90m': 5400,
    '1.5h': 5400,
    '1,5h': 5400,
    '90': 5400,
    '1.5': 5400,
    '1h30': 5400,
    '2 hours': 7200,
    '1 H 5 min': 3900,
    '~30m': 1800,
    '1 1/2h': 5400,
    '1½ h': 5400,
    '10.5h': 37_800,
    '3/4h': 2700,
  })
})

test('returns undefined for text that is not a duration', () => {
  for (const typed of ['', 'soon', '1:75', '-5m', '1h h', '8761h', '1x']) {
    assert.equal(parseDuration(typed), undefined, typed)
  }
})

test('formatted durations parse back to the same value', () => {
  assert.deepEqual([5400, 2700, 7200, 0, 20].map(formatDuration), [
    '1h 30m',
    '45m',
    '2h',
    '0m',
    '20s',
  ])
  assert.equal(formatTimer(2530), '0:42:10')
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 500_000 }), (minutes) => {
      assert.equal(parseDuration(formatDuration(minutes * 60)), minutes * 60)
    }),
  )
})

const shown = (from: string, to: string) => formatTimer(elapsedSeconds(from, Date.parse(to)))

test('counts across midnight and daylight saving changes, up to 24 hours', () => {
  assert.equal(shown('2026-11-20T23:59:30+01:00', '2026-11-21T00:00:30+01:00'), '0:01:00')
  // Zürich, 29 March 2026: 02:00 becomes 03:00; 25 October: 03:00 becomes 02:00.
  assert.equal(shown('2026-03-29T01:30:00+01:00', '2026-03-29T03:30:00+02:00'), '1:00:00')
  assert.equal(shown('2026-10-25T01:30:00+02:00', '2026-10-25T03:30:00+01:00'), '3:00:00')
  assert.equal(shown('2026-11-20T08:00:00Z', '2026-11-22T08:00:00Z'), '24:00:00')
  // The clock of this device is behind that of the server.
  assert.equal(shown('2026-11-20T08:00:05Z', '2026-11-20T08:00:00Z'), '0:00:00')
})
