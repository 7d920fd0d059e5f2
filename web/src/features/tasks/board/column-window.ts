import { type RefObject, useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'

/** What a slip that was not seen yet is taken for, px. */
const SLIP_PX = 98
const GAP_PX = 6
const BEFORE_PX = 8
const AFTER_PX = 24
/** So many slips beyond the viewport are in the document; of a cell of a board with lanes, which is low, fewer. */
const AROUND = 4
const FEW = 1
const CELL_PX = 416

/**
 * Which slips of a column are near its viewport, where they stand, and what scrolls to one. Slips differ in height:
 * those that were seen are measured, the others guessed.
 *
 * @param numbers The column's tasks in their order; another array means another order.
 * @param few Whether it is one cell of many.
 */
export function useColumnWindow(
  scroll: RefObject<HTMLElement | null>,
  numbers: readonly number[],
  few: boolean,
) {
  const around = few ? FEW : AROUND
  const heights = useRef(new Map<number, number>()).current
  const [measured, noteMeasured] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the map of heights is filled in place; `measured` tells that it was
  const starts = useMemo(() => startsOf(numbers, heights), [numbers, heights, measured])
  const [view, look] = useState({ top: 0, height: few ? CELL_PX : innerHeight })
  const now = useRef({ starts, numbers, view, wanted: -1 })
  now.current = { ...now.current, starts, numbers, view }

  const reveal = useCallback(
    (index: number) => {
      const element = scroll.current
      const { starts, numbers } = now.current
      const [start, end] = [starts[index], starts[index + 1]]
      if (!element || start === undefined || end === undefined) return
      const least = end - GAP_PX + AFTER_PX - element.clientHeight
      if (element.scrollTop < least) element.scrollTop = least
      if (element.scrollTop > start - BEFORE_PX) element.scrollTop = start - BEFORE_PX
      // Where it stands was guessed from others: once it is measured this is done again.
      now.current.wanted = heights.has(numbers[index] ?? 0) ? -1 : index
    },
    [scroll, heights],
  )

  useLayoutEffect(() => {
    const element = scroll.current
    if (!element) return
    const follow = () => {
      const next = { top: element.scrollTop, height: element.clientHeight }
      const { starts, view } = now.current
      const [before, after] = [rangeOf(starts, view, around), rangeOf(starts, next, around)]
      if (before.first === after.first && before.last === after.last) return
      // Within the frame of the scrolling, so that no empty paper is seen.
      flushSync(() => look(next))
    }
    const watch = new ResizeObserver(() =>
      look({ top: element.scrollTop, height: element.clientHeight }),
    )
    element.addEventListener('scroll', follow, { passive: true })
    watch.observe(element)
    return () => {
      element.removeEventListener('scroll', follow)
      watch.disconnect()
    }
  }, [scroll, around])

  const observer = useMemo(
    () =>
      new ResizeObserver((entries) => {
        let changed = false
        for (const { target, borderBoxSize } of entries) {
          const number = target instanceof HTMLElement ? Number(target.dataset.slip) : 0
          const height = borderBoxSize[0]?.blockSize ?? 0
          // What leaves the document has no height any more.
          if (!height || heights.get(number) === height) continue
          heights.set(number, height)
          changed = true
        }
        if (!changed) return
        const { starts } = now.current
        const element = scroll.current
        const anchor = element ? indexAt(starts, element.scrollTop) : 0
        const before = starts[anchor] ?? 0
        flushSync(() => noteMeasured((count) => count + 1))
        const moved = (now.current.starts[anchor] ?? before) - before
        // What is read stays where it is when slips above it turn out higher or lower.
        if (element && moved !== 0 && now.current.wanted < 0) element.scrollTop += moved
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: when more is measured, not when it is asked for
  useLayoutEffect(() => {
    if (now.current.wanted >= 0) reveal(now.current.wanted)
  }, [measured, reveal])

  return { ...rangeOf(starts, view, around), starts, size: sizeOf(starts), reveal, measure }
}

/** Where each slip begins, and where one after the last would. */
function startsOf(numbers: readonly number[], heights: ReadonlyMap<number, number>): Float64Array {
  const starts = new Float64Array(numbers.length + 1)
  let at = BEFORE_PX
  for (const [index, number] of numbers.entries()) {
    starts[index] = at
    at += (heights.get(number) ?? SLIP_PX) + GAP_PX
  }
  starts[numbers.length] = at
  return starts
}

const sizeOf = (starts: Float64Array) => (starts.at(-1) ?? 0) - GAP_PX + AFTER_PX

/** Indexes of the first slip that is in the document, and of the one after the last. */
function rangeOf(
  starts: Float64Array,
  { top, height }: { top: number; height: number },
  around: number,
) {
  const count = starts.length - 1
  return {
    first: Math.max(0, indexAt(starts, top) - around),
    last: Math.min(count, indexAt(starts, top + height) + 1 + around),
  }
}

/** The slip at so many px; the nearest, where there is none. */
function indexAt(starts: Float64Array, px: number): number {
  let [low, high] = [0, Math.max(0, starts.length - 2)]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((starts[middle] ?? 0) <= px) low = middle
    else high = middle - 1
  }
  return low
}
