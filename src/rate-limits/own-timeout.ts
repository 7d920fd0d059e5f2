const SLICE_MS = 20

/**
 * Rejects if `work` is not done after `ms` of this process's own time; a later result or error of
 * `work` is ignored.
 *
 * A process that was busy or got no processor runs its timers before it reads what has arrived
 * meanwhile, and would blame the other side for its own delay. So the time passes in slices: each
 * counts as its planned length however late it ends, and the sockets are read between them.
 */
export async function withOwnTimeout<T>(work: Promise<T>, ms: number): Promise<T> {
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
