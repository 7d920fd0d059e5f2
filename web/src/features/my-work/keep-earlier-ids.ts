/**
 * The ids that were loaded now, and between them those that only an earlier load had, each at its
 * former place. Returns the earlier array itself if it has the same ids in the same order.
 */
export function keepEarlierIds(
  earlier: readonly string[],
  loaded: readonly string[],
): readonly string[] {
  const isLoaded = new Set(loaded)
  const all = [...loaded]
  for (const [at, id] of earlier.entries()) if (!isLoaded.has(id)) all.splice(at, 0, id)
  const isSame = all.length === earlier.length && all.every((id, at) => id === earlier[at])
  return isSame ? earlier : all
}
