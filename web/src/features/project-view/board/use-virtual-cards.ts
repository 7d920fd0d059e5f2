import { type RefObject, useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { RowStarts } from '../../../ui/layout/row-starts.ts'
import { useMeasuredHeights } from '../../../ui/layout/use-measured-heights.ts'
import { MAX_PRINTED_PX } from '../layout/use-virtual-rows.ts'

/** Assumed height of a card before any was measured. */
const ESTIMATED_CARD_PX = 98
const GAP_PX = 6
/** What a card takes of a column, with the gap below it. */
export const ESTIMATED_CARD_STEP_PX = ESTIMATED_CARD_PX + GAP_PX
const PADDING_TOP_PX = 8
const PADDING_BOTTOM_PX = 24
const SPACING = { estimate: ESTIMATED_CARD_PX, gap: GAP_PX, before: PADDING_TOP_PX }
/**
 * Cards rendered beyond each edge of the viewport; fewer in the low cells of a board with lanes.
 */
const OVERSCAN_CARDS = 4
const CELL_OVERSCAN_CARDS = 1
/** The maximum height of a cell of a board with lanes, at the default font size. */
export const MAX_CELL_PX = 416

/**
 * Computes which cards of a column are near its viewport and where they are, and scrolls to one.
 * Cards differ in height: those that were rendered are measured, the others assumed to be as high on average.
 *
 * @param ids The tasks of the column in order; another array means another order.
 * @param few Whether this is one cell of a board with lanes.
 */
export function useVirtualCards(
  scroll: RefObject<HTMLElement | null>,
  ids: readonly string[],
  few: boolean,
) {
  const overscan = few ? CELL_OVERSCAN_CARDS : OVERSCAN_CARDS
  const heights = useRef(new Map<string, number>()).current
  const [measured, setMeasured] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the map of heights is filled in place; `measured` counts its changes
  const starts = useMemo(() => new RowStarts(ids, heights, SPACING), [ids, heights, measured])
  const [viewport, setViewport] = useState({ top: 0, height: few ? MAX_CELL_PX : innerHeight })
  const latest = useRef({ starts, ids, viewport, pendingReveal: -1, revealed: '' })
  latest.current = { ...latest.current, starts, ids, viewport }

  const reveal = useCallback(
    (index: number) => {
      const element = scroll.current
      const { starts, ids } = latest.current
      if (!element || index < 0 || index >= starts.count) return
      const start = starts.at(index)
      const minTop = starts.at(index + 1) - GAP_PX + PADDING_BOTTOM_PX - element.clientHeight
      if (element.scrollTop < minTop) element.scrollTop = minTop
      if (element.scrollTop > start - PADDING_TOP_PX) element.scrollTop = start - PADDING_TOP_PX
      latest.current.revealed = ids[index] ?? ''
      // The position may be an estimate: this is repeated once the card is measured.
      latest.current.pendingReveal = heights.has(ids[index] ?? '') ? -1 : index
    },
    [scroll, heights],
  )

  useLayoutEffect(() => {
    const element = scroll.current
    if (!element) return
    const onScroll = () => {
      const next = { top: element.scrollTop, height: element.clientHeight }
      const { starts, viewport } = latest.current
      const [before, after] = [rangeOf(starts, viewport, overscan), rangeOf(starts, next, overscan)]
      if (before.first === after.first && before.last === after.last) return
      // Renders within the frame of the scroll event, so that no blank area is seen.
      flushSync(() => setViewport(next))
    }
    const resizeObserver = new ResizeObserver(() =>
      setViewport({ top: element.scrollTop, height: element.clientHeight }),
    )
    element.addEventListener('scroll', onScroll, { passive: true })
    resizeObserver.observe(element)
    // Paper shows all cards. The page is printed as it is once this has returned.
    const onPrint = () => flushSync(() => setViewport({ top: 0, height: MAX_PRINTED_PX }))
    addEventListener('beforeprint', onPrint)
    return () => {
      element.removeEventListener('scroll', onScroll)
      removeEventListener('beforeprint', onPrint)
      resizeObserver.disconnect()
    }
  }, [scroll, overscan])

  const measure = useMeasuredHeights({
    heights,
    getRow: ({ dataset }) => dataset.slip ?? '',
    handleChange: () => {
      const { starts, ids, pendingReveal, revealed } = latest.current
      const { scrollTop = 0, clientHeight = 0 } = scroll.current ?? {}
      const revealedStart = starts.at(Math.max(0, ids.indexOf(revealed)))
      const isRevealedInSight =
        revealedStart >= scrollTop && revealedStart < scrollTop + clientHeight
      const anchor = starts.indexAt(isRevealedInSight ? revealedStart : scrollTop)
      const before = starts.at(anchor)
      flushSync(() => setMeasured((count) => count + 1))
      const shift = latest.current.starts.at(anchor) - before
      // Keeps the visible cards in place when the heights of cards above them turn out different:
      // the revealed one, if it is among them, and otherwise the first. If the list has become
      // shorter, the browser may have scrolled by itself.
      if (scroll.current && shift !== 0 && pendingReveal < 0)
        scroll.current.scrollTop = scrollTop + shift
    },
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when more is measured, not when a reveal is requested
  useLayoutEffect(() => {
    if (latest.current.pendingReveal >= 0) reveal(latest.current.pendingReveal)
  }, [measured, reveal])

  return {
    ...rangeOf(starts, viewport, overscan),
    starts,
    size: starts.end - GAP_PX + PADDING_BOTTOM_PX,
    reveal,
    measure,
  }
}

/** Indexes of the first rendered card and, exclusive, the last. */
function rangeOf(
  starts: RowStarts<string>,
  { top, height }: { top: number; height: number },
  overscan: number,
) {
  return {
    first: Math.max(0, starts.indexAt(top) - overscan),
    last: Math.min(starts.count, starts.indexAt(top + height) + 1 + overscan),
  }
}
