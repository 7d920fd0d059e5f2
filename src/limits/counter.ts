const MINUTE = 60_000

/** Counts what is spent in the present minute, by name; in this process, or in all that share a store. */
export interface Counter {
  /**
   * Spends one of `limit` in the minute that ends at `end` (milliseconds since 1970); gives how many are
   * spent then, or undefined if none was left.
   */
  spend(name: string, end: number, limit: number): Spent | Promise<Spent>
}

export type Spent = number | undefined

/** When the minute of an instant ends. */
export const endOf = (now: number): number => (Math.floor(now / MINUTE) + 1) * MINUTE

/** One that answers at once. */
export interface MemoryCounter {
  spend(name: string, end: number, limit: number): Spent
}

/**
 * Counts in the memory of this process. A minute is forgotten when the one after the next begins: what
 * another process asks for at the end of one may come after the next has begun.
 */
export function memoryCounter(): MemoryCounter {
  let windows = new Map<number, Map<string, number>>()

  function windowOf(end: number): Map<string, number> {
    let spent = windows.get(end)
    if (!spent) {
      spent = new Map()
      windows = new Map([...windows].filter(([other]) => Math.abs(other - end) <= MINUTE))
      windows.set(end, spent)
    }
    return spent
  }

  return {
    spend(name, end, limit) {
      const spent = windowOf(end)
      const count = (spent.get(name) ?? 0) + 1
      if (count > limit) return undefined
      spent.set(name, count)
      return count
    },
  }
}
