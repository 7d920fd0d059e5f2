import { type RefObject, useCallback, useLayoutEffect, useMemo, useState } from 'react'
import { flushSync } from 'react-dom'
import type { Heights } from './heights.ts'
import type { Layout } from './layout.ts'
import { Measures } from './measures.ts'

/** So many rows beyond the viewport are in the document. */
const AROUND = 6

interface Range {
  first: number
  last: number
}

/** Which items of a list are near the viewport, and what scrolls to one. */
export function useWindow(scroll: RefObject<HTMLElement | null>, layout: Layout, heights: Heights) {
  const measures = useMemo(() => new Measures(layout, heights), [layout, heights])
  const [seen, see] = useState<Range>({ first: 0, last: -1 })
  const look = useCallback((): Range => {
    const { scrollTop = 0, clientHeight = 0 } = scroll.current ?? {}
    const first = measures.indexAt(scrollTop) - AROUND
    const last = measures.indexAt(scrollTop + clientHeight) + AROUND
    return { first: Math.max(0, first), last: Math.min(layout.size - 1, last) }
  }, [scroll, measures, layout])
  useLayoutEffect(() => {
    const element = scroll.current
    if (!element) return
    const update = () => {
      const next = look()
      see((now) => (now.first === next.first && now.last === next.last ? now : next))
    }
    update()
    // Within the frame of the scrolling, so that no empty paper is seen.
    const follow = () => flushSync(update)
    element.addEventListener('scroll', follow, { passive: true })
    const watch = new ResizeObserver(update)
    watch.observe(element)
    return () => {
      element.removeEventListener('scroll', follow)
      watch.disconnect()
    }
  }, [scroll, look])
  const reveal = (index: number) => {
    const element = scroll.current
    if (!element) return
    const top = measures.startOf(index) - heights.cols - heights.head
    const bottom = measures.startOf(index + 1) + heights.task - element.clientHeight
    if (element.scrollTop > top) element.scrollTop = top
    else if (element.scrollTop < bottom) element.scrollTop = bottom
  }
  // Rows that a new layout no longer has are left out at once.
  const last = Math.min(seen.last, layout.size - 1)
  return { measures, first: Math.min(seen.first, Math.max(0, last)), last, reveal }
}
