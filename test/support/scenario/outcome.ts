import { ApiError } from '#core/api-error.ts'

/** The result of some work as text, or the status, code and Retry-After of its API error. */
export async function describeOutcome(work: Promise<unknown>): Promise<string> {
  try {
    return String(await work)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const { status, code, headers } = error
    return [status, code, headers['retry-after']].filter(Boolean).join(' ')
  }
}
