import { NetworkError } from './problem.ts'
import { staleSince } from './reply-cache.ts'

let answeredAt = Number.NEGATIVE_INFINITY

/** Whether the server has answered any request since a moment of `performance.now()`. */
export const hasAnsweredSince = (moment: number): boolean => answeredAt > moment

/** Fetches a reply of any status; throws the network error of `problem.ts` if none comes. */
export async function fetchOrThrow(url: string, init: RequestInit): Promise<Response> {
  try {
    const reply = await fetch(url, init)
    answeredAt = performance.now()
    staleSince.set(undefined)
    return reply
  } catch (error) {
    if (init.signal?.aborted) throw error
    throw new NetworkError(error)
  }
}

/**
 * Reads the body of a reply. One that breaks off counts as no reply: the server may have applied the
 * write, but the page does not know it, e.g. because it is being left.
 */
export async function readTextOrThrow(reply: Response, signal?: AbortSignal): Promise<string> {
  try {
    return await reply.text()
  } catch (error) {
    if (signal?.aborted) throw error
    throw new NetworkError(error)
  }
}
