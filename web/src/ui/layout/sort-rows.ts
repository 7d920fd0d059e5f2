/**
 * Puts the rows of a group, or the items of a list, in order in the DOM. It moves as few as possible,
 * and never the one with the focus: browsers take the focus from an element that is moved.
 */
export function sortRows(group: HTMLElement | null): void {
  const rows = [
    ...(group?.querySelectorAll<HTMLElement>(':scope > :is([aria-rowindex], [aria-posinset])') ??
      []),
  ]
  const places = rows.map((row) =>
    Number(row.getAttribute('aria-rowindex') ?? row.getAttribute('aria-posinset')),
  )
  const focused = rows.findIndex((row) => row.contains(document.activeElement))
  const staying = new Set(findLongestAscent(places, focused))
  if (staying.size === rows.length) return
  const order = [...rows.keys()].sort((a, b) => (places[b] ?? 0) - (places[a] ?? 0))
  let next = rows.at(-1)?.nextSibling ?? null
  for (const index of order) {
    const row = rows[index]
    if (!row) continue
    if (!staying.has(index)) group?.insertBefore(row, next)
    next = row
  }
}

/**
 * The indexes of as many numbers as possible that ascend, in their order.
 *
 * @param pinned - the index of one that is among them; -1 if any may be left out.
 */
export function findLongestAscent(numbers: readonly number[], pinned: number): number[] {
  const pinnedNumber = numbers[pinned]
  const isWithPinned = (number: number, index: number) =>
    pinnedNumber === undefined ||
    index === pinned ||
    (index < pinned ? number < pinnedNumber : number > pinnedNumber)
  /** For each length, the index of the lowest number at which an ascent of that length ends. */
  const ends: number[] = []
  const previous: (number | undefined)[] = []
  for (const [index, number] of numbers.entries()) {
    if (!isWithPinned(number, index)) continue
    const longer = ends.findIndex((end) => (numbers[end] ?? 0) >= number)
    const length = longer < 0 ? ends.length : longer
    previous[index] = ends[length - 1]
    ends[length] = index
  }
  const ascent: number[] = []
  for (let index = ends.at(-1); index !== undefined; index = previous[index]) ascent.push(index)
  return ascent.reverse()
}
