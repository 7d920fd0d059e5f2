import { LANE_BLOCKING_ATTEMPTS } from '#db/deliveries/delivery-queue.ts'
import type { DeliveryAttempt } from '../sending/attempt.ts'
import { type RetrySchedule, retryAfterMs, retryDelay } from './retry.ts'

/** The receiver no longer exists (RFC 9110, 15.5.11). */
export const HTTP_GONE = 410

/** The consequence of an attempt for its delivery. */
export interface AttemptVerdict {
  status: 'pending' | 'succeeded' | 'failed'
  /** Milliseconds since 1970 of the next attempt, or of the end if there is none. */
  dueAt: number
  /** Whether the next delivery of its lane may be sent (docs/spec/api.md#guarantees-of-events). */
  releasesLane: boolean
  /** The receiver has answered 410. */
  isGone: boolean
}

/** Judges an attempt that ended at `ended` milliseconds; `random` is in [0, 1). */
export function judgeAttempt(
  attempt: DeliveryAttempt,
  schedule: RetrySchedule,
  ended: number,
  random: number,
): AttemptVerdict {
  const { error, number, status, isUnsendable, delivery } = attempt
  const isLast = isUnsendable || delivery.is_test === 1 || status === HTTP_GONE
  const delay = isLast
    ? undefined
    : retryDelay(schedule, number, retryAfterMs(attempt.retry_after, ended), random)
  const isOver = error === null || delay === undefined
  return {
    status: error === null ? 'succeeded' : isOver ? 'failed' : 'pending',
    dueAt: isOver ? ended : ended + delay,
    releasesLane:
      delivery.lane !== null &&
      number <= LANE_BLOCKING_ATTEMPTS &&
      (isOver || number === LANE_BLOCKING_ATTEMPTS),
    isGone: status === HTTP_GONE,
  }
}
