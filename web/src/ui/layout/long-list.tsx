import {
  type ComponentProps,
  type ReactNode,
  type RefObject,
  useCallback,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { type Atom, atom, useAtom } from '../../lib/state/atom.ts'
import { RowStarts } from './row-starts.ts'
import { useMeasuredHeights } from './use-measured-heights.ts'

/** The height of a row before any of a list was measured. */
const SPACING = { estimate: 34 }
/** Rows are added in steps, because adding them one by one would render the list for each. */
const ROW_STEP = 8

interface LongListProps<Row> extends Omit<ComponentProps<'ul'>, 'children'> {
  /** Lists of one name have rows of similar height. */
  name: string
  rows: readonly Row[]
  /** The same function for each rendering. */
  getId: (row: Row) => string
  /** The id of the row that has the focus. It stays rendered wherever it is, so it keeps the focus. */
  focused: Atom<string | undefined>
  /** The content of a row. */
  children: (row: Row) => ReactNode
}

/**
 * A list that scrolls with its page, inside of `.scroll`. Only rows near the viewport are rendered;
 * others leave room for their height. Each row is an `li` whose `data-row` is its id.
 */
export function LongList<Row>({
  name,
  rows,
  getId,
  focused,
  children,
  ...attributes
}: LongListProps<Row>) {
  const list = useRef<HTMLUListElement>(null)
  const ids = useMemo(() => rows.map(getId), [rows, getId])
  const { starts, visible, measure } = useVisibleRows(list, name, ids)
  const ranges = getRenderedRanges(visible, ids.indexOf(useAtom(focused) ?? ''))
  return (
    <ul ref={list} {...attributes}>
      {ranges.flatMap(({ first, last }, at) => [
        <Room
          key={`room before ${first}`}
          height={starts.at(first) - starts.at(ranges[at - 1]?.last ?? 0)}
        />,
        ...rows.slice(first, last).map((row, offset) => (
          <li
            key={getId(row)}
            ref={measure}
            data-row={getId(row)}
            aria-setsize={rows.length}
            aria-posinset={first + offset + 1}
          >
            {children(row)}
          </li>
        )),
      ])}
      <Room height={starts.end - starts.at(ranges.at(-1)?.last ?? 0)} />
    </ul>
  )
}

const Room = ({ height }: { height: number }) =>
  height > 0 && <li aria-hidden="true" style={{ blockSize: height }} />

/** Indexes of rows; `last` is exclusive. */
interface RowRange {
  first: number
  last: number
}

/** The visible rows, and the focused one before or after them. */
function getRenderedRanges({ first, last }: RowRange, focused: number): RowRange[] {
  const single = { first: focused, last: focused + 1 }
  if (focused < 0 || (focused >= first && focused < last)) return [{ first, last }]
  return focused < first ? [single, { first, last }] : [{ first, last }, single]
}

/** Measured heights in px, by list and row. They survive a list, so going back finds its place. */
const heightsByName = new Map<string, Map<string, number>>()
const MAX_HEIGHTS = 20_000

function getHeights(name: string): Map<string, number> {
  const heights = heightsByName.get(name) ?? new Map<string, number>()
  if (heights.size > MAX_HEIGHTS) heights.clear()
  heightsByName.set(name, heights)
  return heights
}

/** Which rows of a list are within the viewport and one more above and below it. */
function useVisibleRows(list: RefObject<HTMLElement | null>, name: string, ids: readonly string[]) {
  const heights = getHeights(name)
  const [measured, setMeasured] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the map of heights is filled in place; `measured` counts its changes
  const starts = useMemo(() => new RowStarts(ids, heights, SPACING), [ids, heights, measured])
  const latest = useRef(starts)
  latest.current = starts
  // An atom renders within the frame of the scroll event, so that no blank area is seen.
  const range = useMemo(() => atom<RowRange>({ first: 0, last: 0 }), [])
  const update = useCallback(() => {
    const scroller = list.current?.closest('.scroll')
    if (!list.current || !scroller) return
    const { top, height } = scroller.getBoundingClientRect()
    const from = top - list.current.getBoundingClientRect().top
    const next = findRange(latest.current, from - height, from + 2 * height)
    const { first, last } = range.get()
    if (next.first !== first || next.last !== last) range.set(next)
  }, [list, range])
  useLayoutEffect(update)
  useLayoutEffect(() => {
    const scroller = list.current?.closest('.scroll')
    if (!scroller) return
    scroller.addEventListener('scroll', update, { passive: true })
    const observer = new ResizeObserver(update)
    observer.observe(scroller)
    return () => {
      scroller.removeEventListener('scroll', update)
      observer.disconnect()
    }
  }, [list, update])

  const measure = useMeasuredHeights(
    heights,
    ({ dataset }) => dataset.row ?? '',
    () => setMeasured((count) => count + 1),
  )
  return { starts, visible: clampRange(useAtom(range), ids.length), measure }
}

/** The rows between two distances from the start of a list, in steps. */
function findRange(starts: RowStarts<string>, from: number, to: number): RowRange {
  if (to <= 0 || from >= starts.end) return { first: 0, last: 0 }
  const first = starts.indexAt(from)
  return {
    first: first - (first % ROW_STEP),
    last: Math.min(starts.count, Math.ceil((starts.indexAt(to) + 1) / ROW_STEP) * ROW_STEP),
  }
}

/** Rows may have been removed since the range was computed. */
const clampRange = ({ first, last }: RowRange, count: number): RowRange => ({
  first: Math.min(first, count),
  last: Math.min(last, count),
})
