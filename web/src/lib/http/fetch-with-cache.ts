import { delay } from '../browser/delay.ts'
import { awaitOverdueReply, fetchOrThrow, hasAnsweredSince } from './fetch-or-throw.ts'
import { NetworkError } from './problem.ts'
import { cacheReplies, readCached, staleSince } from './reply-cache.ts'
import { sessionPause } from './request-pause.ts'

/**
 * Paths whose replies are cached for offline use: tasks and projects, but no keys or searches, and none
 * of the records that the page holds and stores itself.
 */
const CACHEABLE_PATHS =
  /^\/internal\/(tasks\/|templates|notifications)|^\/api\/v1\/(tasks|projects)(?!.*([?&]q=|\/(comments|time-entries|attachments|tags)\b))/

/** Fetches a GET and caches the reply. Without an answer it returns the cached one, if any. */
export async function fetchWithCache(url: string, init: RequestInit): Promise<Response> {
  if (!CACHEABLE_PATHS.test(url)) return fetchOrThrow(url, init)
  const reply = await orCached(fetchOrThrow(url, init), () => readCached(url))
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
 * When the server answers, the page reads all data again (`staleSince`).
 */
export async function orCached<Loaded, Cached>(
  loading: Promise<Loaded>,
  readCache: () => Promise<Cached | undefined>,
): Promise<Loaded | Cached> {
  const startedAt = performance.now()
  let hasFailed = false
  try {
    const isLate = Symbol()
    const patience = hasAnsweredSince(0) ? ANSWER_TIMEOUT_MS : OPENING_TIMEOUT_MS
    const timeout = delay(isUnanswered() ? 0 : patience).then(() => isLate)
    const first = await Promise.race([loading, timeout])
    if (first !== isLate) return first as Loaded
    // A server that answers other requests is only slow.
    if (hasAnsweredSince(startedAt)) return await loading
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error
    hasFailed = true
  }
  const cached = await readCache()
  awaitOverdueReply(loading, hasFailed ? performance.now() : startedAt)
  // An answer may have come while the cache was read.
  const isAnswered = !hasFailed && hasAnsweredSince(startedAt)
  if (cached === undefined || isAnswered) return loading
  return cached
}

/** A page that opens shows what is cached if no request of it is answered within this time. */
const OPENING_TIMEOUT_MS = 400
/** Connections that lead nowhere, as on trains and in hotels, end by themselves only after minutes. */
const ANSWER_TIMEOUT_MS = 4_000

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
