import { refuseFaults } from '#core/refusal.ts'
import { addMs, msBetween } from '#lib/days.ts'
import { DAY_MS } from '#storage/timers.ts'
import { type Fault, fault } from '#wire/fault.ts'

/**
 * The time of an entry: a duration alone, with the times it lies between, or a timer, which has a
 * start and neither end nor duration yet.
 */
export interface Span {
  started_at: string | null
  ended_at: string | null
  duration_seconds: number | null
}

/** What a body says about it. */
export interface SpanFields {
  started_at?: string | null
  ended_at?: string | null
  duration_seconds?: number | null
  running?: boolean
}

/** Clocks differ: so far may a time lie in the future. */
const AHEAD_MS = 5 * 60 * 1000

/** The span of a new entry, whose fields stand together as `newCombination` allows (contract 6.4). */
export function newSpan(body: SpanFields, now: string): Span {
  const { ended_at = null, duration_seconds = null } = body
  const started_at = body.started_at ?? (body.running ? now : null)
  if (started_at === null) return { started_at, ended_at, duration_seconds }
  if (ended_at !== null) return between(started_at, ended_at, 'ended_at', now)
  if (duration_seconds !== null) return lasting(started_at, duration_seconds, now)
  return timer(started_at, now)
}

/** A running timer. It would be stopped at once, had it started more than a day ago. */
export function timer(started_at: string, now: string): Span {
  const faults = aheadOf(now, 'started_at', started_at)
  if (msBetween(started_at, now) > DAY_MS) {
    const why = 'must be at most 24 hours ago where a timer is to run'
    faults.push(fault('started_at', 'too_small', why))
  }
  refuseFaults(faults)
  return { started_at, ended_at: null, duration_seconds: null }
}

/** From one time to another. `blamed` is the field that is at fault when they do not fit. */
export function between(
  started_at: string,
  ended_at: string,
  blamed: 'started_at' | 'ended_at',
  now: string,
): Span {
  const faults = [
    ...aheadOf(now, 'started_at', started_at),
    ...aheadOf(now, 'ended_at', ended_at),
    ...misfit(started_at, ended_at, blamed),
  ]
  refuseFaults(faults)
  const seconds = Math.floor(msBetween(started_at, ended_at) / 1000)
  return { started_at, ended_at, duration_seconds: Math.max(seconds, 1) }
}

/** From a time for so long: the end that follows may not lie in the future either. */
export function lasting(started_at: string, duration_seconds: number, now: string): Span {
  refuseFaults(aheadOf(now, 'started_at', started_at))
  const ended_at = addMs(started_at, duration_seconds * 1000)
  refuseFaults(aheadOf(now, 'duration_seconds', ended_at))
  return { started_at, ended_at, duration_seconds }
}

function misfit(started_at: string, ended_at: string, blamed: string): Fault[] {
  const ms = msBetween(started_at, ended_at)
  if (ms <= 0) return [fault(blamed, 'invalid_range', 'must leave the end after the start')]
  if (ms > DAY_MS) return [fault(blamed, 'too_large', 'must leave a span of at most 24 hours')]
  return []
}

function aheadOf(now: string, field: string, time: string): Fault[] {
  if (msBetween(now, time) <= AHEAD_MS) return []
  const why =
    field === 'duration_seconds'
      ? 'must not end more than 5 minutes in the future'
      : 'must be at most 5 minutes in the future'
  return [fault(field, 'too_large', why)]
}
