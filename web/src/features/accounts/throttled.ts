import { timeOf } from '../../lib/instant.ts'
import { Problem } from '../../lib/problem.ts'
import { m } from '../../messages/accounts.ts'

/** When somebody who has tried too often may try again; undefined for other trouble. */
export function throttledWords(error: unknown): string | undefined {
  if (!(error instanceof Problem) || error.code !== 'too_many_attempts') return undefined
  const again = Date.now() + (error.retryAfter ?? 60) * 1000
  return m.throttled(timeOf(new Date(again).toISOString()))
}
