import {
  endOfMinute,
  type NamedLimit,
  type SpendRequest,
  type SpendResult,
} from './memory-counter.ts'
import { createRecentMinutes } from './recent-minutes.ts'

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
export interface ShareCounter {
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
export function createShareCounter(now: () => number): ShareCounter {
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
