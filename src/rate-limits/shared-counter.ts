import { setTimeout } from 'node:timers/promises'
import { serviceUnavailable } from '#core/api-error.ts'
import type { RateLimitCounter, SpendRequest, SpendResult } from './memory-counter.ts'
import { withOwnTimeout } from './own-timeout.ts'
import { type CountedAlone, createShareCounter } from './share-counter.ts'

/** A request to the store for one name, sublimit and minute. */
export interface TakeRequest extends SpendRequest {
  /** How many to count, if the limits allow. */
  wanted: number
  /** The counts that the store returned last. A store that knows of less has lost its data. */
  seen: { used: number; sublimitUsed: number }
}

/**
 * `used` and `sublimitUsed` are the total counts of all processes after this request; `taken` is the
 * part that it added.
 */
export interface TakeResult {
  used: number
  sublimitUsed: number
  taken: number
}

/** Counters that processes share. A store never counts beyond the limit of a minute. */
export interface RateLimitStore {
  /** Milliseconds of this process's own time after which the store counts as gone. */
  readonly timeoutMs: number
  /** Returns results in the order of the requests. No name, sublimit and minute may occur twice. */
  take(requests: readonly TakeRequest[]): Promise<readonly TakeResult[]>
  /**
   * Resolves if the store answers; adds what this process counted while it did not. Returns the total
   * counts of all processes, in the order of `counts`.
   */
  report(counts: readonly CountedAlone[]): Promise<readonly number[]>
  /** How long after its return a store must answer until all processes have added their counts. */
  readonly graceMs?: number
  /**
   * How many processes counted here shortly before, this one included: each may admit its share of
   * the limit while the store is gone. Undefined if nothing works without the store; then requests
   * are refused as unavailable.
   */
  countProcesses?(): number
}

/** The processes that share limits, as something besides the store knows them. */
export interface ProcessCount {
  /** Resolves when the processes have been counted once, or could not be. */
  ready(): Promise<unknown>
  count(): number
  close(): Promise<void>
}

/** A store with a connection. */
export interface OpenRateLimitStore extends RateLimitStore {
  /** Resolves when the first connection has succeeded or failed. */
  ready(): Promise<unknown>
  close(): Promise<void>
}

/** Called when the store stops answering, and when it answers again. */
export interface StoreHealthListener {
  onLost(error: unknown): void
  onRecovered(): void
}

/** How often a store that is gone is asked whether it is back. */
const PROBE_INTERVAL_MS = 250

/** Does not keep the process alive. */
const pauseUnref = (ms: number): Promise<void> => setTimeout(ms, undefined, { ref: false })

interface PendingTake {
  request: SpendRequest
  callers: PromiseWithResolvers<SpendResult>[]
  /** Whether the callers were answered without the store, which did not answer in time. */
  isSettled: boolean
}

/**
 * Counts in a shared store, with at most one round trip for each request, and fewer the more there
 * are. While the store is gone, each process admits its share of what is left. `now` is the wall
 * clock in milliseconds since 1970; `pause` waits before a store that is gone is asked again.
 */
export function createSharedCounter(
  store: RateLimitStore,
  health: StoreHealthListener,
  now: () => number = Date.now,
  pause = pauseUnref,
): RateLimitCounter {
  const shares = createShareCounter(now)
  let pending = new Map<string, PendingTake>()
  /**
   * True while a call to the store runs or is scheduled; later requests are batched into the next.
   */
  let isFlushing = false
  let isLost = false
  /** One recovery at a time: two would add the same counts twice. */
  let isRecovering = false

  async function flush(): Promise<void> {
    const batch = [...pending.values()]
    pending = new Map()
    try {
      if (!isLost) await withOwnTimeout(takeFromStore(batch), store.timeoutMs)
    } catch (error) {
      isLost = true
      shares.lose()
      health.onLost(error)
      if (!isRecovering) void recover()
    }
    if (isLost) settleAlone(batch)
    isFlushing = pending.size > 0
    if (isFlushing) void flush()
  }

  async function takeFromStore(batch: readonly PendingTake[]): Promise<void> {
    const results = await store.take(
      batch.map(({ request, callers }) => ({
        ...request,
        wanted: callers.length,
        seen: seenBefore(request),
      })),
    )
    for (const [at, { request, callers, isSettled }] of batch.entries()) {
      const result = results[at] ?? { used: 0, sublimitUsed: 0, taken: 0 }
      seeResult(request, result, isSettled)
      for (const [index, { resolve }] of callers.entries()) {
        resolve(toSpendResult(request, result, index))
      }
    }
  }

  const seenBefore = ({ name, end, sublimit }: SpendRequest): TakeRequest['seen'] => ({
    used: shares.seenOf(name, end),
    sublimitUsed: sublimit ? shares.seenOf(sublimit.name, end) : 0,
  })

  function seeResult(
    { name, end, sublimit }: SpendRequest,
    { used, sublimitUsed, taken }: TakeResult,
    isSettled: boolean,
  ): void {
    const counts = [
      { name, used },
      ...(sublimit ? [{ name: sublimit.name, used: sublimitUsed }] : []),
    ]
    // An answer that comes too late has counted what was admitted alone meanwhile.
    if (isSettled) shares.settle(counts.map((one) => ({ name: one.name, end, count: taken })))
    for (const one of counts) shares.see(one.name, end, one.used)
  }

  function spendAlone(request: SpendRequest): SpendResult {
    const processes = store.countProcesses?.()
    if (processes === undefined) throw serviceUnavailable('The rate limits cannot be counted now.')
    return shares.spend(request, processes)
  }

  function settleAlone(batch: readonly PendingTake[]): void {
    for (const take of batch) {
      take.isSettled = true
      for (const { resolve, reject } of take.callers) {
        try {
          resolve(spendAlone(take.request))
        } catch (error) {
          reject(error)
        }
      }
    }
  }

  /**
   * Calls the store until it answers, and adds what this process has admitted alone. It goes on
   * admitting only its share until the other processes have added theirs, too: otherwise the first
   * one to find the store would take what they have already used.
   */
  async function recover(): Promise<void> {
    isRecovering = true
    let answeringSince: number | undefined
    while (isLost) {
      await pause(PROBE_INTERVAL_MS)
      try {
        // A store that has lost its data gets back what this process has seen. A store that is too slow
        // for requests gets it, too, because another process may find it fast enough.
        await report(answeringSince === undefined ? shares.known() : shares.unsettled())
        await withOwnTimeout(store.report([]), store.timeoutMs)
        answeringSince ??= performance.now()
      } catch {
        // The store is still gone. The listener knows that since it was lost.
        answeringSince = undefined
        continue
      }
      if (performance.now() - answeringSince < (store.graceMs ?? 0)) continue
      isLost = false
      answeringSince = undefined
      health.onRecovered()
      // What this process admitted alone during the last report. If it fails, the next loss adds it.
      await report(shares.unsettled()).catch(() => {})
    }
    isRecovering = false
  }

  /** Waits without a time-out, because what the store has added must not be reported again. */
  async function report(counts: readonly CountedAlone[]): Promise<void> {
    if (counts.length === 0) return
    const used = await store.report(counts)
    shares.settle(counts)
    for (const [at, { name, end }] of counts.entries()) {
      shares.seeIncomplete(name, end, used[at] ?? 0)
    }
  }

  return {
    spend(request) {
      if (isLost) return spendAlone(request)
      const caller = Promise.withResolvers<SpendResult>()
      const key = `${request.name} ${request.sublimit?.name ?? ''} ${request.end}`
      const existing = pending.get(key)
      if (existing) {
        // If the plan or a key changed in between, the new limits apply to all of them.
        existing.request = request
        existing.callers.push(caller)
      } else pending.set(key, { request, callers: [caller], isSettled: false })
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
