import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { Heights } from './heights.ts'
import type { Layout } from './layout.ts'
import { Measures } from './measures.ts'

/** So many rows beyond the viewport are in the document. */
const AROUND = 6
/** They come and go so many at a time: rows that come one by one would render the list for each. */
const STEP = 4

/**
 * Which items of a list are near the viewport, and what scrolls to one. `of` is the view: another one begins at its
 * top. The page is never asked where anything stands while it renders: that would lay it out twice.
 */
export function useWindow(
  scroll: RefObject<HTMLElement | null>,
  layout: Layout,
  heights: Heights,
  of: unknown,
) {
  const measures = useMemo(() => new Measures(layout, heights), [layout, heights])
  // Before the first picture nobody knows how much room the list has: at most the window.
  const [seen, see] = useState({ top: 0, height: innerHeight, of })
  const { top, height } = seen.of === of ? seen : { top: 0, height: seen.height }
  if (seen.of !== of) see({ top, height, of })
  const { first, last } = rangeOf(measures, layout, top, height)

  const latest = useRef({ measures, layout })
  latest.current = { measures, layout }
  const now = useRef({ top, height })
  useLayoutEffect(() => {
    const element = scroll.current
    if (!element) return
    const follow = () => {
      const { measures, layout } = latest.current
      const { height } = now.current
      now.current.top = element.scrollTop
      // Within the frame of the scrolling, so that no empty paper is seen.
      flushSync(() => see((seen) => moved(seen, now.current.top, height, measures, layout)))
    }
    element.addEventListener('scroll', follow, { passive: true })
    const watch = new ResizeObserver(() => {
      const { measures, layout } = latest.current
      now.current.height = element.clientHeight
      see((seen) => moved(seen, seen.top, now.current.height, measures, layout))
    })
    watch.observe(element)
    return () => {
      element.removeEventListener('scroll', follow)
      watch.disconnect()
    }
  }, [scroll])
  const before = useRef(of)
  useEffect(() => {
    if (before.current !== of) scroll.current?.scrollTo(0, 0)
    before.current = of
  }, [scroll, of])

  const reveal = (index: number) => {
    const element = scroll.current
    if (!element) return
    const { top, height } = now.current
    const most = measures.startOf(index) - heights.cols - heights.head
    const least = measures.startOf(index + 1) + heights.task - height
    const wanted = top > most ? most : Math.max(top, least)
    if (wanted === top) return
    element.scrollTop = wanted
    now.current.top = element.scrollTop
  }
  return { measures, first, last, reveal }
}

/** Indexes of the first and the last item that are in the document. */
function rangeOf(measures: Measures, { size }: Layout, top: number, height: number) {
  const first = measures.indexAt(top) - AROUND
  const last = measures.indexAt(top + height) + AROUND
  return {
    first: Math.max(0, first - (first % STEP)),
    last: Math.min(size - 1, last + STEP - 1 - (last % STEP)),
  }
}

/** The same object while the same items are near: then nothing renders. */
function moved<S extends { top: number; height: number }>(
  seen: S,
  top: number,
  height: number,
  measures: Measures,
  layout: Layout,
): S {
  const before = rangeOf(measures, layout, seen.top, seen.height)
  const after = rangeOf(measures, layout, top, height)
  const same = before.first === after.first && before.last === after.last
  return same ? seen : { ...seen, top, height }
}
