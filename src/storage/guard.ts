/**
 * Does work that may await nothing but its transaction: on SQLite all of a group is done within one
 * turn of the event loop, and reads see one state only because nothing comes between. Fails when the
 * loop would turn with the work unsettled. It costs, so only tests ask for it.
 */
export function guarded<T>(work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    // Begun as a reaction: what is due next then comes only when no reaction is left to run.
    queueMicrotask(() => {
      work().then(resolve, reject)
      process.nextTick(() => reject(new Error('Work awaited something other than its transaction')))
    })
  })
}
