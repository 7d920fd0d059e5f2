import './long-list.css'
import { type ComponentProps, type ReactNode, useLayoutEffect, useMemo, useRef } from 'react'
import { type Atom, useAtom } from '../../lib/state/atom.ts'
import type { RowRange } from './row-range.ts'
import { useRowSlots } from './row-slots.ts'
import type { RowStarts } from './row-starts.ts'
import { useVisibleRows } from './use-visible-rows.ts'

interface LongListProps<Row> extends Omit<ComponentProps<'ul'>, 'children'> {
  /** Lists of one name have rows of similar height. */
  name: string
  rows: readonly Row[]
  /** The same function for each rendering. */
  getId: (row: Row) => string
  /** The id of the row that has the focus. It stays rendered wherever it is, so it keeps the focus. */
  focused: Atom<string | undefined>
  /** The content of a row. While the list scrolls, the element of a row takes another one. */
  children: (row: Row) => ReactNode
}

/**
 * A list that scrolls with its page, inside of `.scroll`. Only rows near the viewport are rendered;
 * others leave room for their height. Each row is an `li` whose `data-row` is its id.
 *
 * The rows are laid out one below the other, whatever their heights. The order is told to the browser by
 * number (`order`), because that of the DOM may be another while the list scrolls: see `useRowSlots`.
 */
export function LongList<Row>(props: LongListProps<Row>) {
  const { name, rows, getId, focused, children, className = '', ...attributes } = props
  const list = useRef<HTMLUListElement>(null)
  const ids = useIds(rows, getId)
  // The props are others only if the parent has rendered.
  const { starts, visible, measure } = useVisibleRows({ list, name, ids, parent: props })
  const ranges = getRenderedRanges(visible, ids.indexOf(useAtom(focused) ?? ''))
  const indexes = new Map(ranges.flatMap(({ first, last }) => listEntries(ids, first, last)))
  const slots = useRowSlots({
    group: list,
    rows: [...indexes.keys()],
    layout: ids,
    view: name,
    mayReuse: (id) => id !== focused.get() && id !== findFocusedId(),
  })
  return (
    <ul ref={list} className={`long-list ${className}`} {...attributes}>
      {listGaps(ranges, starts).map(({ name, ...style }) => (
        <li key={name} aria-hidden="true" style={style} />
      ))}
      {[...slots].map(([id, slot]) => {
        const index = indexes.get(id) ?? -1
        const row = rows[index]
        return (
          row && (
            <LongListItem key={slot} {...{ id, index, count: rows.length, measure }}>
              {children(row)}
            </LongListItem>
          )
        )
      })}
    </ul>
  )
}

/** The ids of rows; the same array until one is added, removed or moved. */
function useIds<Row>(rows: readonly Row[], getId: (row: Row) => string): readonly string[] {
  const latest = useRef<readonly string[]>([])
  return useMemo(() => {
    const ids = rows.map(getId)
    const { current } = latest
    const isSame = ids.length === current.length && ids.every((id, at) => id === current[at])
    if (!isSame) latest.current = ids
    return latest.current
  }, [rows, getId])
}

/** The row whose element has the focus, wherever the list believes it to be. */
const findFocusedId = () => document.activeElement?.closest<HTMLElement>('[data-row]')?.dataset.row

interface LongListItemProps {
  id: string
  index: number
  /** The number of rows of the list. */
  count: number
  measure: (element: HTMLElement | null) => (() => void) | undefined
  children: ReactNode
}

function LongListItem({ id, index, count, measure, children }: LongListItemProps) {
  const item = useRef<HTMLLIElement>(null)
  // No observer tells of another row that is as high as the one before.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another row is measured anew
  useLayoutEffect(() => measure(item.current), [id, measure])
  return (
    <li
      ref={item}
      data-row={id}
      aria-setsize={count}
      aria-posinset={index + 1}
      style={{ order: 2 * index + 1 }}
    >
      {children}
    </li>
  )
}

/** The visible rows, and the focused one before or after them. */
function getRenderedRanges({ first, last }: RowRange, focused: number): RowRange[] {
  const single = { first: focused, last: focused + 1 }
  if (focused < 0 || (focused >= first && focused < last)) return [{ first, last }]
  return focused < first ? [single, { first, last }] : [{ first, last }, single]
}

/** The room that the rows leave which are not rendered. */
function listGaps(ranges: readonly RowRange[], starts: RowStarts<string>) {
  const end = { first: starts.count, last: starts.count }
  const gaps = [...ranges, end].map(({ first }, at) => {
    const from = ranges[at - 1]?.last ?? 0
    return { name: `gap ${at}`, order: 2 * from, blockSize: starts.at(first) - starts.at(from) }
  })
  return gaps.filter(({ blockSize }) => blockSize > 0)
}

/** The ids of a range, each with its index. */
const listEntries = (ids: readonly string[], first: number, last: number) =>
  ids.slice(first, last).map((id, offset) => [id, first + offset] as const)
