/** Splits a list into consecutive lists of at most `size` elements. */
export function* batchesOf<T>(list: readonly T[], size: number): Generator<T[]> {
  for (let start = 0; start < list.length; start += size) yield list.slice(start, start + size)
}

/**
 * The first elements whose sizes together are at most `max`, and at least one. For rows that a client
 * has made as large as it likes: a number of rows alone bounds neither time nor memory.
 */
export function takeSized<T extends { size: number }>(list: readonly T[], max: number): T[] {
  let total = 0
  const end = list.findIndex(({ size }, at) => {
    total += size
    return at > 0 && total > max
  })
  return end === -1 ? [...list] : list.slice(0, end)
}

/** In bytes: what a step of a background job reads, writes or deletes at a time, one row at least. */
export const MAX_STEP_BYTES = 1_048_576
