/**
 * A value, or a promise of it where something has to be waited for. Every `await` costs a promise and
 * a turn of the microtask queue, which for a short read is as much as its work: with promises instead, a
 * GET of a task takes 1.13 times the processor time.
 */
export type MaybePromise<T> = T | Promise<T>

/** Continues with a value: at once if it is there, or else when its promise is fulfilled. */
export const andThen = <T, R>(
  value: MaybePromise<T>,
  next: (value: T) => MaybePromise<R>,
): MaybePromise<R> => (value instanceof Promise ? value.then(next) : next(value))

/** All values, which come at once if none is a promise. */
export function awaitAll<T>(values: readonly MaybePromise<T>[]): MaybePromise<readonly T[]> {
  const present: T[] = []
  for (const value of values) {
    if (value instanceof Promise) return Promise.all(values)
    present.push(value)
  }
  return present
}

/**
 * Lets callers that ask at the same time share one run of `load`, and none use an earlier one; undefined
 * if it fails. So the gauges of one scrape cost one query, and are unknown while the database is away.
 */
export function shareLoad<T>(load: () => Promise<T>): () => Promise<T | undefined> {
  let running: Promise<T | undefined> | undefined
  return () => {
    running ??= load()
      .catch(() => undefined)
      .finally(() => {
        running = undefined
      })
    return running
  }
}
