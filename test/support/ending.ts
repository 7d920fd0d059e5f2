import { Refusal } from '#core/refusal.ts'

/** How something ended, in a word: what it gave, or status, code and Retry-After of its refusal. */
export async function endingOf(work: Promise<unknown>): Promise<string> {
  try {
    return String(await work)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { status, code, headers } = error
    return [status, code, headers['retry-after']].filter(Boolean).join(' ')
  }
}
