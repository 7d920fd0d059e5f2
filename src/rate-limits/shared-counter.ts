import { serviceUnavailable } from '#core/api-error.ts'
import type { RateLimitCounter, SpendRequest, SpendResult } from './memory-counter.ts'

/** The clock by which all processes that share a store count minutes. */
interface StoreClock {
  /** Milliseconds since 1970, by this process's own clock until the time of the store is known. */
  now(): number
  /** Follows the time of the store. */
  follow(storeMs: number): void
}

/** An answer may arrive this late, because the process was busy. */
const MAX_DELAY_MS = 2_000

/**
 * Creates a clock that follows that of a store: processes whose own clocks differ would count in
 * different minutes, and each would admit the whole limit. Between two answers of the store it goes
 * on by the monotonic time of the process, so that a jump of the own clock changes nothing either.
 */
export function createStoreClock(ownClock: () => number): StoreClock {
  let known: { ms: number; at: number } | undefined
  const now = () => (known ? known.ms + performance.now() - known.at : ownClock())
  return {
    now,
    follow(storeMs) {
      const ahead = now() - storeMs
      // Answers arrive late, so that the latest time is the best, unless the store's clock was set back.
      if (known && ahead >= 0 && ahead <= MAX_DELAY_MS) return
      known = { ms: storeMs, at: performance.now() }
    },
  }
}

/** A request to the store for one name, sublimit and minute. */
interface TakeRequest extends SpendRequest {
  /** How many to count, if the limits allow. */
  wanted: number
}

/**
 * `used` and `sublimitUsed` are the total counts of all processes after this request; `taken` is the
 * part that it added.
 */
interface TakeResult {
  used: number
  sublimitUsed: number
  taken: number
}

/** Counters that processes share. A store never counts beyond the limit of a minute. */
export interface RateLimitStore {
  /** Returns results in the order of the requests. No name, sublimit and minute may occur twice. */
  take(requests: readonly TakeRequest[]): Promise<readonly TakeResult[]>
}

/** Called when the store stops answering, and when it answers again. */
export interface StoreHealthListener {
  onLost(error: unknown): void
  onRecovered(): void
}

interface PendingTake {
  request: SpendRequest
  callers: PromiseWithResolvers<SpendResult>[]
}

/**
 * Counts in a shared store, with at most one round trip for each request, and fewer the more there
 * are. While the store does not answer, requests are refused with 503.
 */
export function createSharedCounter(
  store: RateLimitStore,
  health: StoreHealthListener,
): RateLimitCounter {
  let pending = new Map<string, PendingTake>()
  /** True while a call to the store runs or is scheduled; later requests join the next one. */
  let isFlushing = false
  let isLost = false

  async function flush(): Promise<void> {
    const batch = [...pending.values()]
    pending = new Map()
    try {
      await takeFromStore(batch)
      if (isLost) health.onRecovered()
      isLost = false
    } catch (error) {
      if (!isLost) health.onLost(error)
      isLost = true
      const refusal = serviceUnavailable('The rate limits cannot be counted now.')
      for (const { callers } of batch) for (const { reject } of callers) reject(refusal)
    }
    isFlushing = pending.size > 0
    if (isFlushing) void flush()
  }

  async function takeFromStore(batch: readonly PendingTake[]): Promise<void> {
    const results = await store.take(
      batch.map(({ request, callers }) => ({ ...request, wanted: callers.length })),
    )
    for (const [at, { request, callers }] of batch.entries()) {
      const result = results[at] ?? { used: 0, sublimitUsed: 0, taken: 0 }
      for (const [index, { resolve }] of callers.entries()) {
        resolve(toSpendResult(request, result, index))
      }
    }
  }

  return {
    spend(request) {
      const caller = Promise.withResolvers<SpendResult>()
      const key = `${request.name} ${request.sublimit?.name ?? ''} ${request.end}`
      const existing = pending.get(key)
      if (existing) {
        // If the plan or a key changed in between, the new limits apply to all of them.
        existing.request = request
        existing.callers.push(caller)
      } else pending.set(key, { request, callers: [caller] })
      if (!isFlushing) {
        isFlushing = true
        // By then, requests that arrived at the same time on other connections are read and join
        // in.
        setImmediate(flush)
      }
      return caller.promise
    },
  }
}

/** The result for one of the requests that a take counted, by its place among them. */
function toSpendResult(
  { limit, sublimit }: SpendRequest,
  { used, sublimitUsed, taken }: TakeResult,
  index: number,
): SpendResult {
  if (index >= taken) {
    return { refusedBy: sublimit && used < limit ? 'sublimit' : 'limit', used, sublimitUsed }
  }
  const later = taken - index - 1
  return {
    refusedBy: undefined,
    used: used - later,
    sublimitUsed: sublimit ? sublimitUsed - later : 0,
  }
}
