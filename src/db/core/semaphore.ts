import { serviceUnavailable } from '#core/api-error.ts'

interface SemaphoreLimits {
  running: number
  /** How many more may wait for their turn; further work is rejected. */
  waiting: number
}

/** Limits how many tasks run at a time; the others wait in order. */
export function createSemaphore({ running: maxRunning, waiting }: SemaphoreLimits) {
  const queue: (() => void)[] = []
  let running = 0
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= maxRunning) {
      if (queue.length >= waiting)
        throw serviceUnavailable('Too many reports are under way: ask later.')
      await new Promise<void>((go) => queue.push(go))
    } else running += 1
    try {
      return await work()
    } finally {
      // The next task takes over the slot, so the count stays the same.
      const next = queue.shift()
      if (next) next()
      else running -= 1
    }
  }
}
