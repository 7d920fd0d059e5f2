import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { ApiError } from '#core/api-error.ts'
import { addMs, msBetween } from '#lib/days.ts'
import { applySpanChanges, createSpan, type TimeSpan, type TimeSpanInput } from './span.ts'

const NOW = '2026-03-02T12:00:00.000Z'
const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const at = (ms: number) => addMs(NOW, ms)

/** The resulting span, as offsets from now; or the field error, as `field code`. */
const told = (make: () => TimeSpan): string => {
  try {
    const { started_at, ended_at, duration_seconds } = make()
    const ms = (time: string | null) => (time === null ? '-' : msBetween(NOW, time))
    return `${ms(started_at)} ${ms(ended_at)} ${duration_seconds ?? '-'}`
  } catch (error) {
    return (error as ApiError).details.map(({ field, code }) => `${field} ${code}`).join(', ')
  }
}

const NEW: [body: TimeSpanInput, comes: string][] = [
  [{ duration_seconds: 90 }, '- - 90'],
  [{ started_at: at(-HOUR), ended_at: at(-MINUTE) }, `${-HOUR} ${-MINUTE} ${59 * 60}`],
  [{ started_at: at(-HOUR), ended_at: at(-HOUR + 400) }, `${-HOUR} ${-HOUR + 400} 1`],
  [{ started_at: at(-HOUR), ended_at: at(-HOUR + 1999) }, `${-HOUR} ${-HOUR + 1999} 1`],
  [{ started_at: at(-HOUR), duration_seconds: 60 }, `${-HOUR} ${-HOUR + MINUTE} 60`],
  [{ started_at: at(-9 * DAY), ended_at: at(-8 * DAY) }, `${-9 * DAY} ${-8 * DAY} 86400`],
  [{ started_at: at(-9 * DAY), ended_at: at(-8 * DAY + 1) }, 'ended_at too_large'],
  [{ started_at: at(-HOUR), ended_at: at(-HOUR) }, 'ended_at invalid_range'],
  [{ started_at: at(-HOUR), ended_at: at(-HOUR - 1) }, 'ended_at invalid_range'],
  [{ started_at: at(-HOUR), ended_at: at(5 * MINUTE) }, `${-HOUR} ${5 * MINUTE} ${65 * 60}`],
  [{ started_at: at(-HOUR), ended_at: at(5 * MINUTE + 1) }, 'ended_at too_large'],
  [{ started_at: at(-HOUR), duration_seconds: 3900 }, `${-HOUR} ${5 * MINUTE} 3900`],
  [{ started_at: at(-HOUR), duration_seconds: 3901 }, 'duration_seconds too_large'],
  [{ started_at: at(DAY), duration_seconds: 60 }, 'started_at too_large'],
  [
    { started_at: at(DAY), ended_at: at(HOUR) },
    'started_at too_large, ended_at too_large, ended_at invalid_range',
  ],
  [{ running: true }, '0 - -'],
  [{ started_at: at(-HOUR) }, `${-HOUR} - -`],
  [{ started_at: at(-HOUR), running: true }, `${-HOUR} - -`],
  [{ started_at: at(5 * MINUTE) }, `${5 * MINUTE} - -`],
  [{ started_at: at(5 * MINUTE + 1) }, 'started_at too_large'],
  [{ started_at: at(-DAY) }, `${-DAY} - -`],
  [{ started_at: at(-DAY - 1) }, 'started_at too_small'],
]

const TIMER: TimeSpan = { started_at: at(-HOUR), ended_at: null, duration_seconds: null }
const COUNTED: TimeSpan = { started_at: null, ended_at: null, duration_seconds: 60 }
const TIMED: TimeSpan = {
  started_at: at(-HOUR),
  ended_at: at(-MINUTE - 300),
  duration_seconds: 3539,
}
const OLD: TimeSpan = { started_at: at(-9 * DAY), ended_at: at(-8 * DAY), duration_seconds: 86_400 }

const STAYS = 'stays'
type SpanChangesInput = Parameters<typeof applySpanChanges>[1]
const CHANGED: [before: TimeSpan, body: SpanChangesInput, comes: string][] = [
  [TIMER, {}, STAYS],
  [TIMER, { running: true }, STAYS],
  [TIMER, { started_at: at(-HOUR) }, STAYS],
  [TIMER, { running: false }, `${-HOUR} 0 3600`],
  [TIMER, { ended_at: at(-MINUTE) }, `${-HOUR} ${-MINUTE} 3540`],
  [TIMER, { ended_at: at(-MINUTE), running: false }, `${-HOUR} ${-MINUTE} 3540`],
  [TIMER, { ended_at: at(5 * MINUTE) }, `${-HOUR} ${5 * MINUTE} 3900`],
  [TIMER, { ended_at: at(5 * MINUTE + 1) }, 'ended_at too_large'],
  [TIMER, { ended_at: at(-HOUR) }, 'ended_at invalid_range'],
  [TIMER, { started_at: at(-2 * HOUR) }, `${-2 * HOUR} - -`],
  [TIMER, { started_at: at(-2 * HOUR), running: false }, `${-2 * HOUR} 0 7200`],
  [TIMER, { started_at: at(-2 * HOUR), ended_at: at(-HOUR) }, `${-2 * HOUR} ${-HOUR} 3600`],
  [TIMER, { started_at: at(-DAY) }, `${-DAY} - -`],
  [TIMER, { started_at: at(-DAY - 1) }, 'started_at too_small'],
  [TIMER, { started_at: at(5 * MINUTE + 1) }, 'started_at too_large'],
  [TIMER, { duration_seconds: 60 }, 'duration_seconds conflicting_fields'],
  [TIMER, { duration_seconds: 60, running: false }, 'duration_seconds conflicting_fields'],
  [{ ...TIMER, started_at: NOW }, { running: false }, '0 1000 1'],
  [{ ...TIMER, started_at: at(MINUTE) }, { running: false }, `${MINUTE} ${MINUTE + 1000} 1`],
  [
    { ...TIMER, started_at: at(-DAY - MINUTE) },
    { running: false },
    `${-DAY - MINUTE} -60000 86400`,
  ],
  [COUNTED, {}, STAYS],
  [COUNTED, { running: false }, STAYS],
  [COUNTED, { running: true }, 'running conflicting_fields'],
  [COUNTED, { duration_seconds: 90 }, '- - 90'],
  [COUNTED, { started_at: at(-HOUR), ended_at: at(-MINUTE) }, `${-HOUR} ${-MINUTE} 3540`],
  [COUNTED, { started_at: at(-HOUR), ended_at: at(-DAY) }, 'ended_at invalid_range'],
  [COUNTED, { started_at: at(-HOUR) }, 'ended_at required'],
  [COUNTED, { ended_at: at(-HOUR), running: false }, 'started_at required'],
  [TIMED, {}, STAYS],
  [TIMED, { running: false }, STAYS],
  [TIMED, { running: true }, 'running conflicting_fields'],
  [TIMED, { duration_seconds: 3539 }, STAYS],
  [TIMED, { duration_seconds: 60 }, `${-HOUR} ${-HOUR + MINUTE} 60`],
  [TIMED, { duration_seconds: 3901 }, 'duration_seconds too_large'],
  [TIMED, { started_at: at(-HOUR), ended_at: at(-MINUTE - 300) }, STAYS],
  [TIMED, { ended_at: at(-MINUTE), running: false }, `${-HOUR} ${-MINUTE} 3540`],
  [TIMED, { started_at: at(-61_300) }, '-61300 -60300 1'],
  [TIMED, { started_at: at(-MINUTE) }, 'started_at invalid_range'],
  [TIMED, { ended_at: at(-HOUR) }, 'ended_at invalid_range'],
  [TIMED, { ended_at: at(5 * MINUTE + 1) }, 'ended_at too_large'],
  [TIMED, { started_at: at(-HOUR - 1), ended_at: at(-DAY) }, 'ended_at invalid_range'],
  [TIMED, { started_at: at(-2 * DAY) }, 'started_at too_large'],
  [OLD, { started_at: at(-9 * DAY + 1) }, `${-9 * DAY + 1} ${-8 * DAY} 86399`],
  [OLD, { ended_at: at(-8 * DAY + 1) }, 'ended_at too_large'],
  [OLD, { duration_seconds: 1 }, `${-9 * DAY} ${-9 * DAY + 1000} 1`],
]

test('computes the span of a new entry', () => {
  for (const [body, comes] of NEW) {
    assert.equal(
      told(() => createSpan(body, NOW)),
      comes,
      JSON.stringify(body),
    )
  }
})

test('computes the span of an updated entry', () => {
  for (const [before, body, comes] of CHANGED) {
    const wanted = comes === STAYS ? told(() => before) : comes
    const where = `${JSON.stringify(before)} ${JSON.stringify(body)}`
    assert.equal(
      told(() => applySpanChanges(before, body, NOW)),
      wanted,
      where,
    )
  }
})

const time = fc.integer({ min: -2 * DAY, max: 6 * MINUTE }).map(at)
const seconds = fc.integer({ min: 1, max: 86_400 })
const anySpan = fc
  .oneof(
    fc.record({ duration_seconds: seconds }),
    fc.record({ started_at: time, ended_at: time }),
    fc.record({ started_at: time, duration_seconds: seconds }),
    fc.record({ started_at: time }),
    fc.constant({ running: true }),
  )
  .map((body) => outcome(() => createSpan(body, NOW)))
  .filter((span) => span !== undefined)
const anyChange = fc.oneof(
  fc.record({ started_at: time, ended_at: time, running: fc.boolean() }, { requiredKeys: [] }),
  fc.record({ duration_seconds: seconds, running: fc.boolean() }, { requiredKeys: [] }),
)
const outcome = (make: () => TimeSpan): TimeSpan | undefined => {
  try {
    return make()
  } catch {
    return undefined
  }
}

test('times, duration and limits agree after random changes', () => {
  fc.assert(
    fc.property(anySpan, anyChange, (span, change) => {
      assertSound(span)
      const changed = outcome(() => applySpanChanges(span, change, NOW))
      if (changed) assertSound(changed)
    }),
    { numRuns: 2_000 },
  )
})

test('updates are idempotent', () => {
  fc.assert(
    fc.property(anySpan, anyChange, (span, change) => {
      const once = outcome(() => applySpanChanges(span, change, NOW))
      if (!once) return
      const { started_at, ended_at, duration_seconds } = once
      // Restarting a finished entry is rejected, and so changes nothing.
      assert.deepEqual(outcome(() => applySpanChanges(once, change, at(SECOND))) ?? once, once)
      const times = { ...(started_at && { started_at }), ...(ended_at && { ended_at }) }
      assert.deepEqual(applySpanChanges(once, times, at(SECOND)), once)
      if (duration_seconds !== null) {
        assert.deepEqual(applySpanChanges(once, { duration_seconds }, at(SECOND)), once)
      }
    }),
    { numRuns: 2_000 },
  )
})

function assertSound({ started_at, ended_at, duration_seconds }: TimeSpan): void {
  if (started_at !== null) assert.ok(msBetween(NOW, started_at) <= 5 * MINUTE)
  if (started_at === null || ended_at === null) {
    assert.equal(ended_at, null)
    assert.equal(duration_seconds === null, started_at !== null)
    return
  }
  const ms = msBetween(started_at, ended_at)
  assert.ok(ms > 0 && ms <= DAY)
  assert.equal(duration_seconds, Math.max(Math.floor(ms / SECOND), 1))
  assert.ok(msBetween(NOW, ended_at) <= 5 * MINUTE + SECOND)
}
