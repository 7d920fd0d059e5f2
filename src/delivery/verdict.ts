import { HOLDING_ATTEMPTS } from '#storage/deliveries.ts'
import type { Attempt } from './attempt.ts'
import { retryAfterMs, retryDelay, type Schedule } from './retry.ts'

/** The receiver says that it is gone for good (RFC 9110, 15.5.11). */
export const GONE = 410

/** What an attempt means for its delivery. */
export interface Verdict {
  status: 'pending' | 'succeeded' | 'failed'
  /** Milliseconds since 1970 of the next attempt; of the end where there is none. */
  due: number
  /** Whether the next delivery of its lane may go (contract 8.3). */
  releases: boolean
  /** The receiver has said that it is gone for good. */
  gone: boolean
}

/** Judges an attempt that ended at `ended`, in milliseconds; `random` is from 0 up to 1. */
export function verdictOn(
  attempt: Attempt,
  schedule: Schedule,
  ended: number,
  random: number,
): Verdict {
  const { error, number, status, broken, delivery } = attempt
  const last = broken || delivery.is_test === 1 || status === GONE
  const delay = last
    ? undefined
    : retryDelay(schedule, number, retryAfterMs(attempt.retry_after, ended), random)
  const over = error === null || delay === undefined
  return {
    status: error === null ? 'succeeded' : over ? 'failed' : 'pending',
    due: over ? ended : ended + delay,
    releases:
      delivery.lane !== null && number <= HOLDING_ATTEMPTS && (over || number === HOLDING_ATTEMPTS),
    gone: status === GONE,
  }
}
