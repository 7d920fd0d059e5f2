/**
 * The order in which keys step on from an item: where it has moved or is gone, the current order with
 * the item at its previous place, which is below the same one as before.
 */
export function getSteppingOrder<T>(
  previous: readonly T[],
  current: readonly T[],
  item: T,
): readonly T[] {
  const from = previous.indexOf(item)
  if (from < 0 || previous === current) return current
  const rest = new Set(current)
  const before = previous.slice(0, from).findLast((one) => rest.has(one))
  const after = previous.slice(from + 1).find((one) => rest.has(one))
  const at = current.indexOf(item)
  // What others have added beside it is no move.
  if (at >= 0 && (current[at - 1] === before || current[at + 1] === after)) return current
  const others = current.filter((one) => one !== item)
  return others.toSpliced(before === undefined ? 0 : others.indexOf(before) + 1, 0, item)
}
