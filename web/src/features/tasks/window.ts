import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { Heights } from './heights.ts'
import type { Layout } from './layout.ts'
import { Measures } from './measures.ts'

/** So many rows beyond the viewport are in the document. */
const AROUND = 6
/** After a jump by more than a screen what is seen comes alone; so soon after the last one the rest, ms. */
const REST_MS = 120
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
  const [seen, see] = useState({ top: 0, height: innerHeight, around: AROUND, of })
  const place = seen.of === of ? seen : { ...seen, top: 0, of }
  if (seen.of !== of) see(place)
  const { first, last } = rangeOf(measures, layout, place)

  const latest = useRef({ measures, layout })
  latest.current = { measures, layout }
  const now = useRef({ top: place.top, height: place.height })
  useLayoutEffect(() => {
    const element = scroll.current
    if (!element) return
    const note = (change: Partial<Place>) => {
      const { measures, layout } = latest.current
      see((seen) => moved(seen, change, measures, layout))
    }
    let rest: ReturnType<typeof setTimeout> | undefined
    const follow = () => {
      const { top: before, height } = now.current
      const top = element.scrollTop
      now.current.top = top
      const far = Math.abs(top - before) > height
      // Within the frame of the scrolling, so that no empty paper is seen.
      flushSync(() => note({ top, height, ...(far && { around: 0 }) }))
      if (!far) return
      clearTimeout(rest)
      rest = setTimeout(() => note({ around: AROUND }), REST_MS)
    }
    element.addEventListener('scroll', follow, { passive: true })
    const watch = new ResizeObserver(() => {
      now.current.height = element.clientHeight
      note({ height: now.current.height })
    })
    watch.observe(element)
    return () => {
      clearTimeout(rest)
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

/** What is seen of a list, in px, and how many rows around that are in the document. */
interface Place {
  top: number
  height: number
  around: number
}

/** Indexes of the first and the last item that are in the document. */
function rangeOf(measures: Measures, { size }: Layout, { top, height, around }: Place) {
  const first = measures.indexAt(top) - around
  const last = measures.indexAt(top + height) + around
  return {
    first: Math.max(0, first - (first % STEP)),
    last: Math.min(size - 1, last + STEP - 1 - (last % STEP)),
  }
}

/** The same object while the same items are near: then nothing renders. */
function moved<P extends Place>(
  seen: P,
  change: Partial<Place>,
  measures: Measures,
  layout: Layout,
): P {
  const next = { ...seen, ...change }
  const [before, after] = [seen, next].map((place) => rangeOf(measures, layout, place))
  return before?.first === after?.first && before?.last === after?.last ? seen : next
}
