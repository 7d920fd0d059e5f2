import { ApiResponseError, isRetryable, SessionMismatchError } from '../../lib/http/problem.ts'

/** The person may have lost access, or the record may have been deleted since. */
const STATUSES_OF_LOST_TARGET = [403, 404]
const RETRY_DELAYS_MS = [500, 2_000, 8_000]

/**
 * What follows a failed attempt: the mutation is `waiting` until nothing is paused, it was `refused`
 * by the server, it is sent again after a delay, or it stays `unsaved` until the person retries it.
 */
type FailureOutcome = 'waiting' | 'refused' | 'unsaved' | [attempts: number, delayMs: number]

export function classifyFailure(
  error: unknown,
  attempts: number,
  random: () => number,
): FailureOutcome {
  const problem = error instanceof ApiResponseError ? error : undefined
  const isOfOtherSession = problem?.status === 401 || error instanceof SessionMismatchError
  if (isOfOtherSession || problem?.code === 'rate_limit_exceeded') return 'waiting'
  if (!isRetryable(error)) return 'refused'
  if (problem?.status === 429) return [attempts, (problem.retryAfter ?? 1) * 1000 + random() * 500]
  const delayMs = RETRY_DELAYS_MS[attempts]
  return delayMs === undefined ? 'unsaved' : [attempts + 1, delayMs]
}

export const isTargetLost = (error: unknown): boolean =>
  error instanceof ApiResponseError && STATUSES_OF_LOST_TARGET.includes(error.status)
