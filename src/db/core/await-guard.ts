import type { MaybePromise } from '#lib/maybe-promise.ts'

/**
 * Runs work that may await nothing but its transaction: nothing else may come between the statements
 * of a write on SQLite, and a read that waits meanwhile sees several states. Rejects if
 * the work is still pending when the turn of the event loop ends, unless its statements are paused
 * (`pendingPause`): then it looks again after the pause. The check costs time, so only tests enable it.
 */
export function guardAwaits<T>(
  work: () => MaybePromise<T>,
  pendingPause: () => Promise<void> | undefined = () => undefined,
): MaybePromise<T> {
  const result = work()
  if (!(result instanceof Promise)) return result
  return new Promise((resolve, reject) => {
    const check = () => {
      const paused = pendingPause()
      if (paused) paused.then(() => process.nextTick(check))
      else reject(new Error('Work awaited something other than its transaction'))
    }
    result.then(resolve, reject)
    // From a microtask, so that process.nextTick runs only after all microtasks.
    queueMicrotask(() => process.nextTick(check))
  })
}
