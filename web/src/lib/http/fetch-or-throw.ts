import { NetworkError } from './problem.ts'
import { staleSince } from './reply-cache.ts'

/** Fetches a reply of any status; throws the network error of `problem.ts` if none comes. */
export async function fetchOrThrow(url: string, init: RequestInit): Promise<Response> {
  try {
    const reply = await fetch(url, init)
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
