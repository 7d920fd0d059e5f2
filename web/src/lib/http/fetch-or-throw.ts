import { delay } from '../browser/delay.ts'
import { NetworkError } from './problem.ts'
import { staleSince } from './reply-cache.ts'

/** On the clock of `performance.now()`. */
let answeredAt = Number.NEGATIVE_INFINITY
let staleAt = Number.NEGATIVE_INFINITY
/** Requests instead of whose replies the page shows what is cached. */
const overdueRequests = new Set<Promise<unknown>>()
/** A connection that brings nothing for so long may be dead. */
const MAX_WAIT_MS = 4_000
/** What the cache has answered is stored and shown by then, so that it can be read again. */
const COMMIT_MS = 50

/**
 * Called when the page shows what is cached instead of the reply to a request that began at a moment.
 * Everything is read again once such requests have settled and the server has answered since.
 */
export function awaitOverdueReply(request: Promise<unknown>, since: number): void {
  if (overdueRequests.size === 0) staleAt = since
  const settled = Promise.race([request, delay(MAX_WAIT_MS)])
    .catch(() => undefined)
    .then(() => delay(COMMIT_MS))
  overdueRequests.add(settled)
  void settled.then(() => {
    overdueRequests.delete(settled)
    endStalenessIfAnswered()
  })
}

function endStalenessIfAnswered(): void {
  if (overdueRequests.size === 0 && answeredAt > staleAt) staleSince.set(undefined)
}

/** Records that the server answers, by whatever connection. */
export function recordAnswer(): void {
  answeredAt = performance.now()
  endStalenessIfAnswered()
}

/** Whether the server has answered any request since a moment of `performance.now()`. */
export const hasAnsweredSince = (moment: number): boolean => answeredAt > moment

/** Fetches a reply of any status; throws the network error of `problem.ts` if none comes. */
export async function fetchOrThrow(url: string, init: RequestInit): Promise<Response> {
  try {
    const reply = await fetch(url, init)
    recordAnswer()
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
