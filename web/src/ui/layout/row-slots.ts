import { type RefObject, useEffect, useLayoutEffect, useMemo, useReducer, useRef } from 'react'

/** The element of each row, as a number that is its key, in the order of the DOM. */
export type RowSlots<Row> = ReadonlyMap<Row, number>

/**
 * Gives each row an element. A row keeps the one that it has, and a new row takes one whose row has
 * scrolled away: a browser changes what an element shows in half of the time that it takes to remove
 * it and to add another. Elements that stay keep their order, and new ones follow them: to move one
 * in the DOM would cost as much as another one.
 *
 * @param mayReuse - whether the element of a row that is no longer shown may show another.
 */
export function assignSlots<Row>(
  before: RowSlots<Row>,
  rows: readonly Row[],
  mayReuse: (row: Row) => boolean,
): RowSlots<Row> {
  const shown = new Set(rows)
  const free: number[] = []
  const order = [...before.values()]
  const taken = new Set(order)
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
  const places = new Map(order.map((slot, place) => [slot, place]))
  const placeOf = (slot: number) => places.get(slot) ?? places.size
  const slots = rows.map((row) => [row, before.get(row) ?? takeSlot()] as const)
  return new Map(slots.sort(([, a], [, b]) => placeOf(a) - placeOf(b)))
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
 * The slots of the rows of a group, as `assignSlots` gives them. Only while the list scrolls the order
 * of the DOM may be another than that of the rows. An element takes another row while the list scrolls and
 * in another view: when others change the list, whatever holds on to a row, such as a click that
 * has begun, must not meet another task. When the list rests, the elements are put into order,
 * unless one of them has the focus: React would give it back, but screen readers would read the row
 * again. Then they are told the order instead.
 */
export function useRowSlots<Row extends number | string>({
  group,
  rows,
  layout,
  view,
  mayReuse,
}: RowSlotsOptions<Row>): RowSlots<Row> {
  const shown = useRef({ slots: new Map() as RowSlots<Row>, layout, view, rests: 0 })
  const [rests, rest] = useReducer((count: number) => count + 1, 0)
  const names = rows.join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: other rows only, not another array of the same
  const slots = useMemo(() => {
    const { current } = shown
    const isScrolled = current.layout === layout && current.rests === rests
    const isExpected = isScrolled || current.view !== view
    const next = assignSlots(current.slots, rows, isExpected ? mayReuse : () => false)
    return isScrolled ? next : new Map(rows.map((row) => [row, next.get(row) ?? -1]))
  }, [names, layout, rests])
  const isInOrder = [...slots.keys()].join() === names
  useLayoutEffect(() => {
    shown.current = { slots, layout, view, rests }
    if (isInOrder) group.current?.removeAttribute('aria-owns')
  }, [group, slots, layout, view, rests, isInOrder])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the time starts again with other rows
  useEffect(() => {
    if (isInOrder) return
    const timer = setTimeout(() => {
      if (group.current?.contains(document.activeElement)) tellOrder(group.current)
      else rest()
    }, REST_MS)
    return () => clearTimeout(timer)
  }, [group, slots, isInOrder])
  return slots
}

/** Tells screen readers the order of the rows of a group, or of the items of a list. */
function tellOrder(group: HTMLElement): void {
  const rows = [
    ...group.querySelectorAll<HTMLElement>(':scope > :is([role="row"], [aria-posinset])'),
  ]
  const placeOf = ({ ariaRowIndex, ariaPosInSet }: HTMLElement) =>
    Number(ariaRowIndex ?? ariaPosInSet)
  rows.sort((a, b) => placeOf(a) - placeOf(b))
  for (const row of rows) row.id ||= crypto.randomUUID()
  group.setAttribute('aria-owns', rows.map(({ id }) => id).join(' '))
}
