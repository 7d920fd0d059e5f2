import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef } from 'react'
import { sortRows } from './sort-rows.ts'

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
