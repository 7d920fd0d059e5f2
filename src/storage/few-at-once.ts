import { unavailable } from '#core/refusal.ts'

interface Most {
  running: number
  /** How many more may wait for their turn; who comes then is refused. */
  waiting: number
}

/** Does work in turn, no more than so many at a time. */
export function fewAtOnce({ running: most, waiting }: Most) {
  const queue: (() => void)[] = []
  let running = 0
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= most) {
      if (queue.length >= waiting) throw unavailable('Too many reports are under way: ask later.')
      await new Promise<void>((go) => queue.push(go))
    } else running += 1
    try {
      return await work()
    } finally {
      // Whoever is next takes over the place.
      const next = queue.shift()
      if (next) next()
      else running -= 1
    }
  }
}
