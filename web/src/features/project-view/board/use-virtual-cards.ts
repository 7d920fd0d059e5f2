import { type RefObject, useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'

/** Assumed height of a card that was not measured yet. */
const ESTIMATED_CARD_PX = 98
const GAP_PX = 6
/** What a card takes of a column, with the gap below it. */
export const ESTIMATED_CARD_STEP_PX = ESTIMATED_CARD_PX + GAP_PX
const PADDING_TOP_PX = 8
const PADDING_BOTTOM_PX = 24
/**
 * Cards rendered beyond each edge of the viewport; fewer in the low cells of a board with lanes.
 */
const OVERSCAN_CARDS = 4
const CELL_OVERSCAN_CARDS = 1
/** The maximum height of a cell of a board with lanes, at the default font size. */
export const MAX_CELL_PX = 416

/**
 * Computes which cards of a column are near its viewport and where they are, and scrolls to one.
 * Cards differ in height: those that were rendered are measured, the others estimated.
 *
 * @param numbers The tasks of the column in order; another array means another order.
 * @param few Whether this is one cell of a board with lanes.
 */
export function useVirtualCards(
  scroll: RefObject<HTMLElement | null>,
  numbers: readonly number[],
  few: boolean,
) {
  const overscan = few ? CELL_OVERSCAN_CARDS : OVERSCAN_CARDS
  const heights = useRef(new Map<number, number>()).current
  const [measured, setMeasured] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the map of heights is filled in place; `measured` counts its changes
  const starts = useMemo(() => computeStarts(numbers, heights), [numbers, heights, measured])
  const [viewport, setViewport] = useState({ top: 0, height: few ? MAX_CELL_PX : innerHeight })
  const latest = useRef({ starts, numbers, viewport, pendingReveal: -1 })
  latest.current = { ...latest.current, starts, numbers, viewport }

  const reveal = useCallback(
    (index: number) => {
      const element = scroll.current
      const { starts, numbers } = latest.current
      const [start, end] = [starts[index], starts[index + 1]]
      if (!element || start === undefined || end === undefined) return
      const minTop = end - GAP_PX + PADDING_BOTTOM_PX - element.clientHeight
      if (element.scrollTop < minTop) element.scrollTop = minTop
      if (element.scrollTop > start - PADDING_TOP_PX) element.scrollTop = start - PADDING_TOP_PX
      // The position may be an estimate: this is repeated once the card is measured.
      latest.current.pendingReveal = heights.has(numbers[index] ?? 0) ? -1 : index
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
    return () => {
      element.removeEventListener('scroll', onScroll)
      resizeObserver.disconnect()
    }
  }, [scroll, overscan])

  const observer = useMemo(
    () =>
      new ResizeObserver((entries) => {
        let changed = false
        for (const { target, borderBoxSize } of entries) {
          const number = target instanceof HTMLElement ? Number(target.dataset.slip) : 0
          const height = borderBoxSize[0]?.blockSize ?? 0
          // A card that was removed from the document has no height.
          if (!height || heights.get(number) === height) continue
          heights.set(number, height)
          changed = true
        }
        if (!changed) return
        const { starts } = latest.current
        const element = scroll.current
        const anchor = element ? indexAt(starts, element.scrollTop) : 0
        const before = starts[anchor] ?? 0
        flushSync(() => setMeasured((count) => count + 1))
        const shift = (latest.current.starts[anchor] ?? before) - before
        // Keeps the visible cards in place when the heights of cards above them turn out different.
        if (element && shift !== 0 && latest.current.pendingReveal < 0) element.scrollTop += shift
      }),
    [scroll, heights],
  )
  useLayoutEffect(() => () => observer.disconnect(), [observer])
  const measure = useCallback(
    (element: HTMLElement | null) => {
      if (!element) return undefined
      observer.observe(element)
      return () => observer.unobserve(element)
    },
    [observer],
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when more is measured, not when a reveal is requested
  useLayoutEffect(() => {
    if (latest.current.pendingReveal >= 0) reveal(latest.current.pendingReveal)
  }, [measured, reveal])

  return {
    ...rangeOf(starts, viewport, overscan),
    starts,
    size: computeSize(starts),
    reveal,
    measure,
  }
}

/** The start of each card, and of one after the last. */
function computeStarts(
  numbers: readonly number[],
  heights: ReadonlyMap<number, number>,
): Float64Array {
  const starts = new Float64Array(numbers.length + 1)
  let at = PADDING_TOP_PX
  for (const [index, number] of numbers.entries()) {
    starts[index] = at
    at += (heights.get(number) ?? ESTIMATED_CARD_PX) + GAP_PX
  }
  starts[numbers.length] = at
  return starts
}

const computeSize = (starts: Float64Array) => (starts.at(-1) ?? 0) - GAP_PX + PADDING_BOTTOM_PX

/** Indexes of the first rendered card and, exclusive, the last. */
function rangeOf(
  starts: Float64Array,
  { top, height }: { top: number; height: number },
  overscan: number,
) {
  const count = starts.length - 1
  return {
    first: Math.max(0, indexAt(starts, top) - overscan),
    last: Math.min(count, indexAt(starts, top + height) + 1 + overscan),
  }
}

/** Index of the card at an offset in px, else of the nearest. */
function indexAt(starts: Float64Array, px: number): number {
  let [low, high] = [0, Math.max(0, starts.length - 2)]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((starts[middle] ?? 0) <= px) low = middle
    else high = middle - 1
  }
  return low
}
