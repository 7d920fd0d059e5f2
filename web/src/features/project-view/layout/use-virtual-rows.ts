import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import {
  findRowRange,
  type ListViewport,
  OVERSCAN_DELAY_MS,
  OVERSCAN_ROWS,
} from '../../../ui/layout/row-range.ts'
import { noteScroll } from '../../../ui/layout/use-progressive-row.ts'
import type { ListLayout } from './list-layout.ts'
import type { RowHeights } from './row-heights.ts'
import { RowPositions } from './row-positions.ts'

/** Some thousand rows: more would not fit into the memory of a page. */
export const MAX_PRINTED_PX = 100_000

/**
 * Computes which items of a list are near the viewport, and scrolls to one. Another `resetKey`,
 * such as another view, starts at the top. Nothing is measured in the DOM during rendering, because
 * that would force a second layout.
 */
export function useVirtualRows(
  scroll: RefObject<HTMLElement | null>,
  layout: ListLayout,
  heights: RowHeights,
  resetKey: unknown,
) {
  const measures = useMemo(() => new RowPositions(layout, heights), [layout, heights])
  // Before the first paint the height of the list is unknown; it is at most that of the window.
  const [stored, setViewport] = useState({
    top: 0,
    height: innerHeight,
    around: 0,
    resetKey,
  })
  const viewport = atTopIfReset(stored, resetKey)
  const { around } = viewport
  const { first, last } = rangeOf(measures, layout, viewport)

  const latest = useRef({ measures, layout, resetKey })
  latest.current = { measures, layout, resetKey }
  const scrolled = useRef({ top: viewport.top, height: viewport.height })
  useLayoutEffect(() => {
    const element = scroll.current
    if (!element) return
    const update = (change: Partial<ListViewport>) => {
      const { measures, layout, resetKey } = latest.current
      setViewport((current) =>
        applyIfRangeChanges(atTopIfReset(current, resetKey), change, measures, layout),
      )
    }
    const onScroll = () => {
      noteScroll()
      const { top: before, height } = scrolled.current
      const top = element.scrollTop
      scrolled.current.top = top
      const isJump = Math.abs(top - before) > height
      // Renders within the frame of the scroll event, so that no blank area is seen.
      flushSync(() => update({ top, height, ...(isJump && { around: 0 }) }))
    }
    element.addEventListener('scroll', onScroll, { passive: true })
    const observer = new ResizeObserver(() => {
      scrolled.current.height = element.clientHeight
      update({ height: scrolled.current.height })
    })
    observer.observe(element)
    // Paper shows the whole list. The page is printed as it is once this has returned.
    const onPrint = () => flushSync(() => update({ top: 0, height: MAX_PRINTED_PX }))
    addEventListener('beforeprint', onPrint)
    return () => {
      element.removeEventListener('scroll', onScroll)
      removeEventListener('beforeprint', onPrint)
      observer.disconnect()
    }
  }, [scroll])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the delay starts again while one scrolls on
  useEffect(() => {
    if (around > 0) return
    const timer = setTimeout(
      () =>
        setViewport((current) => ({ ...atTopIfReset(current, resetKey), around: OVERSCAN_ROWS })),
      OVERSCAN_DELAY_MS,
    )
    return () => clearTimeout(timer)
  }, [around, first, resetKey])
  const previousKey = useRef(resetKey)
  useEffect(() => {
    // At the top already, it would only force a layout before the rows of this frame are complete.
    if (previousKey.current !== resetKey && scrolled.current.top > 0) scroll.current?.scrollTo(0, 0)
    previousKey.current = resetKey
  }, [scroll, resetKey])

  const reveal = (index: number) => {
    const element = scroll.current
    if (!element) return
    const { top, height } = scrolled.current
    const maxTop = measures.startOf(index) - heights.cols - heights.head
    const minTop = measures.startOf(index + 1) + heights.task - height
    const target = top > maxTop ? maxTop : Math.max(top, minTop)
    if (target === top) return
    element.scrollTop = target
    scrolled.current.top = element.scrollTop
  }
  return { measures, first, last, reveal }
}

/** The same viewport until another key resets the list, then its beginning. */
const atTopIfReset = <V extends ListViewport & { resetKey: unknown }>(
  viewport: V,
  resetKey: unknown,
) => (viewport.resetKey === resetKey ? viewport : { ...viewport, top: 0, around: 0, resetKey })

/** Indexes of the first and the last rendered item. */
function rangeOf(measures: RowPositions, { size }: ListLayout, viewport: ListViewport) {
  const { first, last } = findRowRange(measures, size, viewport)
  return { first, last: last - 1 }
}

/** Returns the same object while the rendered range stays the same, so that nothing renders. */
function applyIfRangeChanges<V extends ListViewport>(
  current: V,
  change: Partial<ListViewport>,
  measures: RowPositions,
  layout: ListLayout,
): V {
  const next = { ...current, ...change }
  const [before, after] = [current, next].map((viewport) => rangeOf(measures, layout, viewport))
  return before?.first === after?.first && before?.last === after?.last ? current : next
}
