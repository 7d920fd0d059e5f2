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

/** Counts in the memory of this process: everything is forgotten when another minute begins. */
export function memoryCounter(): MemoryCounter {
  let spent = new Map<string, number>()
  let ends = 0
  return {
    spend(name, end, limit) {
      if (end !== ends) {
        spent = new Map()
        ends = end
      }
      const count = (spent.get(name) ?? 0) + 1
      if (count > limit) return undefined
      spent.set(name, count)
      return count
    },
  }
}
