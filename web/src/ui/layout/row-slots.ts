import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef } from 'react'

/** The element of each row, as a number that is its key. */
export type RowSlots<Row> = ReadonlyMap<Row, number>

/**
 * Gives each row an element. A row keeps the one that it has, and a new row takes one whose row has
 * scrolled away: a browser changes what an element shows in half of the time that it takes to remove
 * it and to add another.
 *
 * @param before - in the order of the rows, as is the result: so rows of another view take elements that are
 *   in their order already.
 * @param mayReuse - whether the element of a row that is no longer shown may show another.
 */
export function assignSlots<Row>(
  before: RowSlots<Row>,
  rows: readonly Row[],
  mayReuse: (row: Row) => boolean,
): RowSlots<Row> {
  const shown = new Set(rows)
  const taken = new Set(before.values())
  const free: number[] = []
  for (const [row, slot] of before) if (!shown.has(row) && mayReuse(row)) free.push(slot)
  free.reverse()
  let next = 0
  const takeSlot = () => {
    const slot = free.pop()
    if (slot !== undefined) return slot
    while (taken.has(next)) next += 1
    taken.add(next)
    return next
  }
  return new Map(rows.map((row) => [row, before.get(row) ?? takeSlot()]))
}

/** The list rests after this time without another row. */
const REST_MS = 200

interface RowSlotsOptions<Row> {
  group: RefObject<HTMLElement | null>
  /** The rows that are shown, in their order. */
  rows: readonly Row[]
  /** What the order of the rows follows from. */
  layout: unknown
  /** What the person has chosen to see; each view has layouts of its own. */
  view: unknown
  mayReuse: (row: Row) => boolean
}

/**
 * The slots of the rows of a group, as `assignSlots` gives them, in the order in which they are to be
 * rendered: always by number, so that React moves no element.
 *
 * An element takes another row while the list scrolls and in another view: when others change the
 * list, whatever holds on to a row, such as a click that has begun, must not meet another task.
 *
 * While the list scrolls, the order of the DOM may be another than that of the rows, because to move an
 * element would cost as much as a new one. It is put right when the list rests, before the Tab key moves
 * the focus, and at once in another layout.
 */
export function useRowSlots<Row extends number | string>({
  group,
  rows,
  layout,
  view,
  mayReuse,
}: RowSlotsOptions<Row>): RowSlots<Row> {
  const shown = useRef({ slots: new Map() as RowSlots<Row>, layout, view })
  const names = rows.join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: other rows only, not another array of the same
  const slots = useMemo(() => {
    const { current } = shown
    const isExpected = current.layout === layout || current.view !== view
    return assignSlots(current.slots, rows, isExpected ? mayReuse : () => false)
  }, [names, layout])
  useLayoutEffect(() => {
    const isScrolled = shown.current.layout === layout
    shown.current = { slots, layout, view }
    if (!isScrolled) sortRows(group.current)
  }, [group, slots, layout, view])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the time starts again with other rows
  useEffect(() => {
    const timer = setTimeout(() => sortRows(group.current), REST_MS)
    return () => clearTimeout(timer)
  }, [group, slots])
  useEffect(() => {
    const { current } = group
    const handleKey = ({ key }: KeyboardEvent) => {
      if (key === 'Tab') sortRows(current)
    }
    current?.addEventListener('keydown', handleKey)
    return () => current?.removeEventListener('keydown', handleKey)
  }, [group])
  return useMemo(() => new Map([...slots].sort(([, a], [, b]) => a - b)), [slots])
}

/**
 * Puts the rows of a group, or the items of a list, in order in the DOM. It moves as few as possible,
 * and never the one with the focus: browsers take the focus from an element that is moved.
 */
function sortRows(group: HTMLElement | null): void {
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
