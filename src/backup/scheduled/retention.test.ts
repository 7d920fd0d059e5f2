import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseRetention, type RetainedBackup, selectExpiredBackups } from './run-backup.ts'

const backup = (time: string): RetainedBackup => ({
  name: time,
  madeAt: Date.parse(time.includes('T') ? `${time}:00Z` : `${time}T02:00:00Z`),
})

function keptNames(rules: string, backups: readonly RetainedBackup[]): string[] {
  const expired = selectExpiredBackups(backups, parseRetention(rules) ?? assert.fail(rules))
  return backups.filter((one) => !expired.includes(one)).map(({ name }) => name)
}

/** Every night from 1 January 2026, which was a Thursday. */
const nights = (count: number) =>
  Array.from({ length: count }, (_, day) =>
    backup(new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10)),
  )

test('keeps the newest backup of each of the last days, weeks and months', () => {
  assert.deepEqual(keptNames('3d', nights(10)), ['2026-01-08', '2026-01-09', '2026-01-10'])
  // Weeks end on Sunday: 4 and 11 January; 14 January is the newest of its week.
  assert.deepEqual(keptNames('3w', nights(14)), ['2026-01-04', '2026-01-11', '2026-01-14'])
  assert.deepEqual(keptNames('2m', nights(40)), ['2026-01-31', '2026-02-09'])
  assert.deepEqual(keptNames('2d 2w 2m', nights(40)), ['2026-01-31', '2026-02-08', '2026-02-09'])
  assert.deepEqual(keptNames('1y', nights(3)), ['2026-01-03'])
  const hours = ['2026-01-01T01:00', '2026-01-01T01:30', '2026-01-01T02:00'].map((at) => backup(at))
  assert.deepEqual(keptNames('2h', hours), ['2026-01-01T01:30', '2026-01-01T02:00'])
  assert.deepEqual(keptNames('7d', hours), ['2026-01-01T02:00'])
  assert.equal(keptNames('all', nights(500)).length, 500)
})

test('counts only periods that have a backup', () => {
  const gap = [...nights(3), backup('2026-08-01')]
  assert.deepEqual(keptNames('3d', gap), ['2026-01-02', '2026-01-03', '2026-08-01'])
})

test('property: the newest backup stays, and applying the rules again deletes nothing', () => {
  const start = Date.UTC(2026, 0, 1)
  const backups = fc.uniqueArray(
    fc.record({
      name: fc.uuid(),
      madeAt: fc.integer({ min: 0, max: 20_000 }).map((hours) => start + hours * 3_600_000),
    }),
    { maxLength: 60, selector: ({ madeAt }) => madeAt },
  )
  const rules = fc.constantFrom('1h', '7d 4w 12m', '24h 7d 4w 12m', '1w', '3m 1y')
  fc.assert(
    fc.property(backups, rules, (all, text) => {
      const parsed = parseRetention(text) ?? assert.fail(text)
      const expired = selectExpiredBackups(all, parsed)
      const left = all.filter((one) => !expired.includes(one))
      const newest = Math.max(...all.map(({ madeAt }) => madeAt))
      assert.equal(
        left.some(({ madeAt }) => madeAt === newest),
        all.length > 0,
      )
      assert.deepEqual(selectExpiredBackups(left, parsed), [])
      const most = [...parsed.values()].reduce((sum, count) => sum + count, 0)
      assert.ok(left.length <= most)
    }),
    { numRuns: 200 },
  )
})

test('parses rules, and rejects what is none', () => {
  assert.deepEqual(
    [...(parseRetention('7d 4w 12m') ?? [])],
    [
      ['d', 7],
      ['w', 4],
      ['m', 12],
    ],
  )
  assert.deepEqual(parseRetention('all'), new Map())
  for (const text of ['', '7', '0d', '7d 8d', '7x', '-1d', '7 d', '7d,4w', 'all 7d', '10000d']) {
    assert.equal(parseRetention(text), undefined, text)
  }
})
