import { fetchOrThrow, hasAnsweredSince } from './fetch-or-throw.ts'
import { NetworkError } from './problem.ts'
import { type CachedReply, cacheReplies, readCached, staleSince } from './reply-cache.ts'
import { sessionPause } from './request-pause.ts'

/** Paths whose replies are cached for offline use: tasks and projects, but no keys or searches. */
const CACHEABLE_PATHS = /^\/internal\/(tasks\/|templates)|^\/api\/v1\/(tasks|projects)(?!.*[?&]q=)/

/** Fetches a GET and caches the reply. Without an answer it returns the cached one, if any. */
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

/** The reply, or the cached one of this name if the server does not answer. */
export const orReadCached = (
  reply: Promise<Response>,
  name: string,
): Promise<Response | CachedReply> => orCached(reply, () => readCached(name))

/**
 * What a request loads, or what is cached if the server cannot be reached or answers nothing for a
 * while. A late answer to the request makes the page read all data again (`staleSince`).
 */
export async function orCached<Loaded, Cached>(
  loading: Promise<Loaded>,
  readCache: () => Promise<Cached | undefined>,
): Promise<Loaded | Cached> {
  const startedAt = performance.now()
  try {
    const isLate = Symbol()
    const patience = isUnanswered() ? isLate : delay(PATIENCE_MS, isLate)
    const first = await Promise.race([loading, patience])
    if (first !== isLate) return first as Loaded
    // A server that answers other requests is only slow.
    if (hasAnsweredSince(startedAt)) return await loading
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error
  }
  const cached = await readCache()
  if (cached === undefined) return loading
  // An answer may have come while the cache was read. The bar of the page tells of its absence.
  loading.then(
    () => staleSince.set(undefined),
    () => undefined,
  )
  return cached
}

/** Connections that lead nowhere, as on trains and in hotels, end by themselves only after minutes. */
const PATIENCE_MS = 4_000

/** No further request is waited for while the server does not answer. */
const isUnanswered = (): boolean =>
  staleSince.get() !== undefined || (isPageCached() && !hasAnsweredSince(0))

/** Whether the service worker has waited for this page, and then returned its copy (`sw.js`). */
const isPageCached = (): boolean =>
  performance
    .getEntriesByType('navigation')
    .some(
      (page) =>
        page instanceof PerformanceNavigationTiming &&
        page.serverTiming.some(({ name }) => name === 'cached'),
    )

const delay = <V>(ms: number, value: V): Promise<V> =>
  new Promise((resolve) => setTimeout(resolve, ms, value))
