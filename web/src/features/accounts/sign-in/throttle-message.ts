import { formatTime } from '../../../lib/dates/instant.ts'
import { ApiResponseError } from '../../../lib/http/problem.ts'
import { accountMessages } from '../../../messages/accounts/accounts.ts'

/** Says when the person may try again after too many attempts; undefined for other errors. */
export function getThrottleMessage(error: unknown): string | undefined {
  if (!(error instanceof ApiResponseError) || error.code !== 'too_many_attempts') return undefined
  const retryAt = Date.now() + (error.retryAfter ?? 60) * 1000
  return accountMessages.throttled(formatTime(new Date(retryAt).toISOString()))
}
