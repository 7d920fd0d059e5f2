import { type Counter, memoryCounter, type Spent } from './counter.ts'

/** What is asked of a store, for one name and minute. */
interface Taking {
  name: string
  /** When the minute ends: milliseconds since 1970. */
  end: number
  limit: number
  /** Up to so many of the limit are taken. */
  wanted: number
}

/** What was given: `used` is what is spent then, by all; `taken` how many of it by this asking. */
interface Taken {
  used: number
  taken: number
}

/** What processes have in common: it gives out what is left of a minute, never more. */
export interface Store {
  /** Milliseconds that it may take to answer. */
  readonly patienceMs: number
  /** Answers in the order of what is asked; no name and minute is asked twice. */
  take(asked: readonly Taking[]): Promise<readonly Taken[]>
}

/** One that is connected to something. */
export interface OpenStore extends Store {
  /** Ends when it has been reached, or could not be. */
  ready(): Promise<unknown>
  close(): Promise<void>
}

/** Told when the store is given up for a while, and when it is there again. */
export interface Trouble {
  lost(error: unknown): void
  found(): void
}

/** For so long a store is left alone that has not answered. */
const OPEN_MS = 1_000

interface Waiting extends Omit<Taking, 'wanted'> {
  tell: ((spent: Spent) => void)[]
}

/**
 * Counts in a store that processes share, one round trip a request at most, and fewer the more there
 * are. While the store is slow or gone each process counts alone, against the whole limit
 * (reliability R3).
 */
export function sharedCounter(store: Store, trouble: Trouble): Counter {
  const alone = memoryCounter()
  let waiting = new Map<string, Waiting>()
  /** Whether an asking is under way or about to be: what comes meanwhile is asked together afterwards. */
  let isAsking = false
  let openUntil = 0
  let isLost = false
  const isOpen = () => performance.now() < openUntil

  async function flush(): Promise<void> {
    const all = [...waiting.values()]
    waiting = new Map()
    try {
      if (isOpen()) countAlone(all)
      else await ask(all)
    } catch (error) {
      openUntil = performance.now() + OPEN_MS
      if (!isLost) trouble.lost(error)
      isLost = true
      countAlone(all)
    }
    isAsking = waiting.size > 0
    if (isAsking) void flush()
  }

  async function ask(all: readonly Waiting[]): Promise<void> {
    const asked = all.map(({ tell, ...one }) => ({ ...one, wanted: tell.length }))
    const given = await timely(store.take(asked), store.patienceMs)
    for (const [at, { tell }] of all.entries()) {
      const { used, taken } = given[at] ?? { used: 0, taken: 0 }
      for (const [place, told] of tell.entries()) {
        told(place < taken ? used - taken + place + 1 : undefined)
      }
    }
    if (isLost) trouble.found()
    isLost = false
  }

  function countAlone(all: readonly Waiting[]): void {
    for (const { name, end, limit, tell } of all) {
      for (const told of tell) told(alone.spend(name, end, limit))
    }
  }

  return {
    spend(name, end, limit) {
      if (isOpen()) return alone.spend(name, end, limit)
      return new Promise((told) => {
        const key = `${name} ${end}`
        const known = waiting.get(key)
        if (known) {
          // A plan that changes in between holds for all of them.
          known.limit = limit
          known.tell.push(told)
        } else waiting.set(key, { name, end, limit, tell: [told] })
        if (isAsking) return
        isAsking = true
        // What came with it on other connections is read by then, and asked for with it.
        setImmediate(flush)
      })
    },
  }
}

/** Fails when it takes too long; what comes later is nobody's any more. */
async function timely<T>(work: Promise<T>, ms: number): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const late = () => reject(new Error(`The counters did not answer within ${ms} ms`))
  const timer = setTimeout(late, ms)
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
    work.catch(() => {})
  }
}
