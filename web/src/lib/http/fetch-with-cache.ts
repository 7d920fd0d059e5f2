import { delay } from '../browser/delay.ts'
import { fetchOrThrow, hasAnsweredSince } from './fetch-or-throw.ts'
import { LateReads } from './late-reads.ts'
import { NetworkError } from './problem.ts'
import { cacheReplies, readCached, staleSince } from './reply-cache.ts'
import { sessionPause } from './request-pause.ts'

/** Paths whose replies are cached for offline use: tasks and projects, but no keys or searches. */
const CACHEABLE_PATHS =
  /^\/internal\/(tasks\/|templates|notifications)|^\/api\/v1\/(tasks|projects)(?!.*[?&]q=)/

const lateReplies = new LateReads<Response>()

/** Fetches a GET and caches the reply. Without an answer it returns the cached one, if any. */
export async function fetchWithCache(url: string, init: RequestInit): Promise<Response> {
  if (!CACHEABLE_PATHS.test(url)) return fetchOrThrow(url, init)
  const loading = lateReplies.take(url) ?? fetchOrThrow(url, init)
  const reply = await orCached(
    loading,
    () => readCached(url),
    () => lateReplies.keep(url, loading),
  )
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

/**
 * What a request loads, or what is cached if the server cannot be reached or answers nothing for a
 * while: shortly when the page opens, so that it shows at once what it knows, and longer afterwards.
 * A late answer makes the page read all data again (`staleSince`); `onLate` gets hold of the request,
 * so that it need not be sent once more.
 */
export async function orCached<Loaded, Cached>(
  loading: Promise<Loaded>,
  readCache: () => Promise<Cached | undefined>,
  onLate?: () => void,
): Promise<Loaded | Cached> {
  const startedAt = performance.now()
  try {
    const isLate = Symbol()
    const patience = hasAnsweredSince(0) ? PATIENCE_MS : OPENING_PATIENCE_MS
    const timeout = delay(isUnanswered() ? 0 : patience).then(() => isLate)
    const first = await Promise.race([loading, timeout])
    if (first !== isLate) return first as Loaded
    // A server that answers other requests is only slow.
    if (hasAnsweredSince(startedAt)) return await loading
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error
  }
  const cached = await readCache()
  if (cached === undefined) return loading
  onLate?.()
  // An answer may have come while the cache was read. The bar of the page tells of its absence.
  loading.then(
    () => staleSince.set(undefined),
    () => undefined,
  )
  return cached
}

/** So long a page that opens waits for an answer before it shows what the browser has kept. */
const OPENING_PATIENCE_MS = 400
/** Connections that lead nowhere, as on trains and in hotels, end by themselves only after minutes. */
const PATIENCE_MS = 4_000

/** No further request is waited for while the server does not answer. */
const isUnanswered = (): boolean =>
  staleSince.get() !== undefined || (isPageCached() && !hasAnsweredSince(0))

/** Whether the service worker has waited for this page, and then returned its copy (`sw.js`). */
export const isPageCached = (): boolean =>
  performance
    .getEntriesByType('navigation')
    .some(
      (page) =>
        page instanceof PerformanceNavigationTiming &&
        page.serverTiming.some(({ name }) => name === 'cached'),
    )
