import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatTimer } from './duration.ts'
import { elapsedSeconds } from './elapsed.ts'

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
