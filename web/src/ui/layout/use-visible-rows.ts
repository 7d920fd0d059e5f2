import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { atom, useAtom } from '../../lib/state/atom.ts'
import {
  findRowRange,
  type ListViewport,
  OVERSCAN_DELAY_MS,
  OVERSCAN_ROWS,
  type RowRange,
} from './row-range.ts'
import { RowStarts } from './row-starts.ts'
import { useMeasuredHeights } from './use-measured-heights.ts'
import { noteScroll } from './use-progressive-row.ts'

/** The height of a row before any of a list was measured. */
const SPACING = { estimate: 34 }

/** Measured heights in px, by list and row. They survive a list, so going back finds its place. */
const heightsByName = new Map<string, Map<string, number>>()
const MAX_HEIGHTS = 20_000

function getHeights(name: string): Map<string, number> {
  const heights = heightsByName.get(name) ?? new Map<string, number>()
  if (heights.size > MAX_HEIGHTS) heights.clear()
  heightsByName.set(name, heights)
  return heights
}

interface VisibleRowsOptions {
  list: RefObject<HTMLElement | null>
  /** Lists of one name have rows of similar height. */
  name: string
  ids: readonly string[]
  /** Another value whenever that is rendered which contains the list, and may have moved it. */
  parent: unknown
}

/** Which rows of a list are near the viewport, and where all of them are. */
export function useVisibleRows({ list, name, ids, parent }: VisibleRowsOptions) {
  const heights = getHeights(name)
  const [measured, setMeasured] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the map of heights is filled in place; `measured` counts its changes
  const starts = useMemo(() => new RowStarts(ids, heights, SPACING), [ids, heights, measured])
  const latest = useRef(starts)
  latest.current = starts
  // An atom renders within the frame of the scroll event, so that no blank area is seen.
  const range = useMemo(() => atom({ first: 0, last: 0, around: 0 }), [])
  const look = useMemo(() => {
    let previousTop: number | undefined
    return (around?: number) => {
      const scroller = list.current?.closest('.scroll')
      if (!list.current || !scroller) return undefined
      const { top: edge, height } = scroller.getBoundingClientRect()
      const top = edge - list.current.getBoundingClientRect().top
      const isJump = Math.abs(top - (previousTop ?? top)) > height
      previousTop = top
      const current = range.get()
      const next = findVisibleRows(latest.current, {
        top,
        height,
        around: around ?? (isJump ? 0 : current.around),
      })
      const isSame = next.first === current.first && next.last === current.last
      return isSame && next.around === current.around ? undefined : () => range.set(next)
    }
  }, [list, range])
  useLayoutEffect(() => {
    const scroller = list.current?.closest('.scroll')
    return scroller ? followScroll(scroller, () => look()) : undefined
  }, [list, look])
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is above the list or in it has changed
  useLayoutEffect(() => {
    const scroller = list.current?.closest('.scroll')
    if (scroller) lookAtLists(scroller)
  }, [list, starts, parent])

  const visible = useAtom(range)
  const { first, around } = visible
  // biome-ignore lint/correctness/useExhaustiveDependencies: the delay starts again while one scrolls on
  useEffect(() => {
    if (around > 0) return
    const timer = setTimeout(() => look(OVERSCAN_ROWS)?.(), OVERSCAN_DELAY_MS)
    return () => clearTimeout(timer)
  }, [look, around, first])

  const measure = useMeasuredHeights({
    heights,
    getRow: ({ dataset }) => dataset.row ?? '',
    getAssumed: () => latest.current.assumed,
    handleChange: () => setMeasured((count) => count + 1),
  })
  return { starts, visible: clampRange(visible, ids.length), measure }
}

/** The rows of a viewport; none if the list is farther from it than the rows around. */
function findVisibleRows(starts: RowStarts<string>, viewport: ListViewport) {
  const { top, height, around } = viewport
  const margin = around * starts.assumed
  if (top + height + margin <= 0 || top - margin >= starts.end) return { first: 0, last: 0, around }
  return { ...findRowRange(starts, starts.count, viewport), around }
}

/** Rows may have been removed since the range was computed. */
const clampRange = ({ first, last }: RowRange, count: number): RowRange => ({
  first: Math.min(first, count),
  last: Math.min(last, count),
})

/** Reads where a list lies, and returns what renders it if other rows are near the viewport. */
type LookAtList = () => (() => void) | undefined

const listsByScroller = new WeakMap<Element, Set<LookAtList>>()

/**
 * Looks at a list whenever its scroller scrolls or changes its size. All lists of a scroller are looked at
 * before one of them renders: to read a position after that would force a layout of its own.
 */
function followScroll(scroller: Element, look: LookAtList): () => void {
  const lists = listsByScroller.get(scroller) ?? new Set()
  listsByScroller.set(scroller, lists)
  lists.add(look)
  // The first list tells of a change for all of them.
  const handleChange = () => {
    if (lists.values().next().value === look) lookAtLists(scroller)
  }
  const handleScroll = () => {
    noteScroll()
    handleChange()
  }
  scroller.addEventListener('scroll', handleScroll, { passive: true })
  const observer = new ResizeObserver(handleChange)
  observer.observe(scroller)
  return () => {
    lists.delete(look)
    scroller.removeEventListener('scroll', handleScroll)
    observer.disconnect()
  }
}

/** Looks at all lists of a scroller, as after one of them has moved the others. */
function lookAtLists(scroller: Element): void {
  const renderings = [...(listsByScroller.get(scroller) ?? [])].map((look) => look())
  for (const render of renderings) render?.()
}
