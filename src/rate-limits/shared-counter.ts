import { setTimeout as pause } from 'node:timers/promises'
import { serviceUnavailable } from '#core/api-error.ts'
import {
  createRecentMinutes,
  endOfMinute,
  type NamedLimit,
  type RateLimitCounter,
  type SpendRequest,
  type SpendResult,
} from './memory-counter.ts'

const SLICE_MS = 20

/**
 * Rejects if `work` is not done after `ms` of this process's own time; a later result or error of
 * `work` is ignored.
 *
 * A process that was busy or got no processor runs its timers before it reads what has arrived
 * meanwhile, and would blame the other side for its own delay. So the time passes in slices: each
 * counts as its planned length however late it ends, and the sockets are read between them.
 */
async function withOwnTimeout<T>(work: Promise<T>, ms: number): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  let left = ms
  let timer = setTimeout(endSlice, SLICE_MS)
  function endSlice() {
    left -= SLICE_MS
    if (left > 0) timer = setTimeout(endSlice, SLICE_MS)
    else reject(new Error(`There was no answer within ${ms} ms`))
  }
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
    work.catch(() => {})
  }
}

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

const MINUTE_MS = 60_000
/** A count that the store returned this long before it was gone may have grown much since then. */
const FRESH_MS = 2_000

interface NamedCount extends NamedLimit {
  end: number
  known: KnownCount
}

/** Requests that this process admitted by itself while the store was gone. */
export interface CountedAlone {
  readonly name: string
  /** The end of the minute in milliseconds since 1970. */
  readonly end: number
  readonly count: number
  /** What the store returned last: it has lost its data if it knows of less. */
  readonly seen: number
}

interface KnownCount {
  /** The count of all processes that the store last returned. */
  used: number
  /** What this process admitted alone and the store lacks. */
  alone: number
  /** When the store last returned the count, in milliseconds of this process. */
  seenAt: number
  /** What this process admitted alone since the store was lost, reported or not. */
  sinceLoss: { lostAt: number; count: number }
}

/**
 * Admits requests while the store is gone: of what was left of a limit when this process last heard
 * of it, one share for each process.
 *
 * In the minute in which the store was lost, other processes may have used up a limit of which this
 * process has not heard lately. So it admits only a small part of its share then: what all such
 * processes admit together stays below the share of one.
 */
interface ShareCounter {
  /** Begins a time without the store. */
  lose(): void
  /** The count that the store returned last; 0 without any. */
  seenOf(name: string, end: number): number
  /** Remembers the count of all processes that the store returned. */
  see(name: string, end: number, used: number): void
  /** The same while processes still add counts: what is returned may lack those of others. */
  seeIncomplete(name: string, end: number, used: number): void
  spend(request: SpendRequest, processes: number): SpendResult
  /** Removes counts that the store contains by now from those that it lacks. */
  settle(counted: readonly Omit<CountedAlone, 'seen'>[]): void
  /** The counts that the store lacks. */
  unsettled(): CountedAlone[]
  /** These and all other counts of the current minute. */
  known(): CountedAlone[]
}

/** `now` is the wall clock in milliseconds since 1970. */
function createShareCounter(now: () => number): ShareCounter {
  const countsOf = createRecentMinutes<KnownCount>()
  /** When the store was lost: by the clock, and in milliseconds of this process. */
  let lost = { at: 0, ownTime: 0 }
  /** Kept apart, so that nothing walks over all names when the store is back. */
  let open = new Map<string, { name: string; end: number; known: KnownCount }>()

  function knownOf(name: string, end: number): KnownCount {
    const counts = countsOf(end)
    const known = counts.get(name) ?? {
      used: 0,
      alone: 0,
      seenAt: Number.NEGATIVE_INFINITY,
      sinceLoss: { lostAt: lost.ownTime, count: 0 },
    }
    counts.set(name, known)
    return known
  }

  const countSinceLoss = ({ sinceLoss }: KnownCount): number =>
    sinceLoss.lostAt === lost.ownTime ? sinceLoss.count : 0

  function isFull({ limit, end, known }: NamedCount, processes: number): boolean {
    const isMinuteOfLoss = lost.at < end && lost.at >= end - MINUTE_MS
    const isFresh = known.seenAt >= lost.ownTime - FRESH_MS
    if (isMinuteOfLoss && !isFresh) {
      if (countSinceLoss(known) >= Math.floor(limit / processes ** 2)) return true
    }
    // What this process has reported already was its share, too: only the rest of it is left.
    const admitted = countSinceLoss(known)
    const usedByOthers = known.used - Math.max(0, admitted - known.alone)
    return admitted >= Math.floor(Math.max(0, limit - usedByOthers) / processes)
  }

  return {
    lose() {
      lost = { at: now(), ownTime: performance.now() }
    },
    seenOf: (name, end) => countsOf(end).get(name)?.used ?? 0,
    see(name, end, used) {
      const known = knownOf(name, end)
      known.used = Math.max(known.used, used)
      known.seenAt = performance.now()
    },
    seeIncomplete(name, end, used) {
      const known = knownOf(name, end)
      known.used = Math.max(known.used, used)
    },
    spend({ name, end, limit, sublimit }, processes) {
      const outer = { name, limit, end, known: knownOf(name, end) }
      const inner = sublimit && { ...sublimit, end, known: knownOf(sublimit.name, end) }
      const refusedBy = isFull(outer, processes)
        ? 'limit'
        : inner && isFull(inner, processes)
          ? 'sublimit'
          : undefined
      for (const { name, known } of refusedBy ? [] : [outer, ...(inner ? [inner] : [])]) {
        known.alone += 1
        known.sinceLoss = { lostAt: lost.ownTime, count: countSinceLoss(known) + 1 }
        open.set(`${name} ${end}`, { name, end, known })
      }
      return {
        refusedBy,
        used: countOf(outer.known),
        sublimitUsed: inner ? countOf(inner.known) : 0,
      }
    },
    settle(counted) {
      for (const { name, end, count } of counted) {
        const known = knownOf(name, end)
        known.used += count
        known.alone = Math.max(0, known.alone - count)
      }
      open = new Map([...open].filter(([, { known }]) => known.alone > 0))
    },
    unsettled: () => [...open.values()].map(toCountedAlone),
    known() {
      const end = endOfMinute(now())
      const current = [...countsOf(end)].map(([name, known]) => ({ name, end, known }))
      const others = [...open.values()].filter((one) => one.end !== end)
      return [...current, ...others].map(toCountedAlone)
    },
  }
}

const countOf = ({ used, alone }: KnownCount): number => used + alone

const toCountedAlone = ({ name, end, known }: Omit<NamedCount, 'limit'>): CountedAlone => ({
  name,
  end,
  count: known.alone,
  seen: known.used,
})

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
interface TakeResult {
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
const pauseUnref = (ms: number): Promise<void> => pause(ms, undefined, { ref: false })

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
