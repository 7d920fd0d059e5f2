import { fetchOrThrow } from './fetch-or-throw.ts'
import { NetworkError } from './problem.ts'
import { type CachedReply, cacheReplies, readCached } from './reply-cache.ts'
import { sessionPause } from './request-pause.ts'

/** Paths whose replies are cached for offline use: tasks and projects, but no keys or searches. */
const CACHEABLE_PATHS = /^\/internal\/(tasks\/|templates)|^\/api\/v1\/(tasks|projects)(?!.*[?&]q=)/

/** Fetches a GET and caches the reply. Without a network it returns the cached one, if any. */
export async function fetchWithCache(url: string, init: RequestInit): Promise<Response> {
  if (!CACHEABLE_PATHS.test(url)) return fetchOrThrow(url, init)
  const reply = await orReadCached(fetchOrThrow(url, init), url)
  if (!(reply instanceof Response)) return new Response(reply.text)
  if (reply.ok && !sessionPause.get()) {
    const copy = reply.clone()
    // If the body breaks off, nothing is cached; the caller's own read of it fails as well.
    copy.text().then(
      (text) => cacheReplies([[url, text]]),
      () => undefined,
    )
  }
  return reply
}

/** The reply, or the cached one of this name if the server cannot be reached. */
export async function orReadCached(
  reply: Promise<Response>,
  name: string,
): Promise<Response | CachedReply> {
  try {
    return await reply
  } catch (error) {
    const kept = error instanceof NetworkError ? await readCached(name) : undefined
    if (!kept) throw error
    return kept
  }
}
