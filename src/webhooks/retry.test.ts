import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { float, assert as holds, integer, property } from 'fast-check'
import { retryAfterMs, retryDelay, DELIVERY_RULES as schedule } from './results.ts'

const HOUR = 3_600_000
const DATES = [
  'Fri, 20 Nov 2026 12:01:00 GMT',
  'Friday, 20-Nov-26 12:01:00 GMT',
  'Fri Nov 20 12:01:00 2026',
]
const random = float({ min: 0, max: 1, maxExcluded: true, noNaN: true })

test('retries after 5 s, 5 and 30 min, 2, 5, 10, 14, 20 and 24 h with up to 20 % jitter', () => {
  const delays = [5_000, 300_000, 1_800_000, 2, 5, 10, 14, 20, 24].map((n) =>
    n < 100 ? n * HOUR : n,
  )
  holds(
    property(integer({ min: 1, max: 9 }), random, (number, chance) => {
      const least = delays[number - 1] ?? Number.NaN
      const delay = retryDelay(schedule, number, undefined, chance) ?? Number.NaN
      assert.ok(delay >= least && delay <= least * 1.2 + 1, `${delay} after the ${number}th`)
    }),
  )
  assert.equal(retryDelay(schedule, 10, undefined, 0), undefined, 'none after the tenth')
  assert.equal(retryDelay(schedule, 10, HOUR, 0), undefined)
})

test('Retry-After delays a retry by at most a day and never shortens the delay', () => {
  assert.equal(retryDelay(schedule, 1, 60_000, 0), 60_000)
  assert.equal(retryDelay(schedule, 1, 1_000, 0), 5_000)
  assert.equal(retryDelay(schedule, 1, 90 * HOUR, 0), 24 * HOUR)
  assert.equal(retryDelay(schedule, 1, Number.POSITIVE_INFINITY, 0), 24 * HOUR)
  assert.equal(retryDelay(schedule, 9, 90 * HOUR, 0.5), 26.4 * HOUR)
})

test('parses Retry-After as seconds or a date and ignores anything else', () => {
  const now = Date.UTC(2026, 10, 20, 12)
  const cases: [string | null, number | undefined][] = [
    [null, undefined],
    ['120', 120_000],
    [' 0 ', 0],
    ['Fri, 20 Nov 2026 12:00:30 GMT', 30_000],
    ['Friday, 20-Nov-26 12:00:30 GMT', 30_000],
    ['Fri Nov 20 12:00:30 2026', 30_000],
    ['Sun Dec  6 12:00:00 2026', 16 * 24 * HOUR],
    ['Fri, 20 Nov 2026 11:00:00 GMT', 0],
    ['Saturday, 20-Nov-99 12:00:00 GMT', 0],
    ['99999999999999', 99_999_999_999_999_000],
    ['9'.repeat(400), Number.POSITIVE_INFINITY],
    ['-5', undefined],
    ['1.5', undefined],
    ['2026-11-20T12:00:30Z', undefined],
    ['Fri, 20 Nov 2026 24:00:30 GMT', undefined],
    ['Fri, 20 Nov 2026 12:00:30', undefined],
    ['Fri, 20 Nov 2026 12:00:30 -0500', undefined],
    ['Fri Nov 20 12:00:30 EST 2026', undefined],
    ['soon', undefined],
    ['', undefined],
  ]
  for (const [header, ms] of cases) assert.equal(retryAfterMs(header, now), ms, String(header))
})

test('reads HTTP dates in all three formats as GMT in any time zone of the server', () => {
  const program = `
    import { retryAfterMs } from ${JSON.stringify(new URL('results.ts', import.meta.url))}
    const now = Date.UTC(2026, 10, 20, 12)
    const parse = (header) => retryAfterMs(header, now)
    console.log(JSON.stringify([new Date(now).getHours(), ...${JSON.stringify(DATES)}.map(parse)]))
  `
  const run = (TZ: string) =>
    spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
      env: { TZ },
      encoding: 'utf8',
    })
  const minute = DATES.map(() => 60_000)
  const { stdout, stderr } = run('America/New_York')
  assert.deepEqual(JSON.parse(stdout || '[]'), [7, ...minute], stderr)
})
