import { noteScroll } from './use-progressive-row.ts'

/** Reads where a list lies, and returns what renders it if other rows are near the viewport. */
type LookAtList = () => (() => void) | undefined

const listsByScroller = new WeakMap<Element, Set<LookAtList>>()

/**
 * Looks at a list whenever its scroller scrolls or changes its size. All lists of a scroller are looked at
 * before one of them renders: to read a position after that would force a layout of its own.
 */
export function followScroll(scroller: Element, look: LookAtList): () => void {
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
export function lookAtLists(scroller: Element): void {
  const renderings = [...(listsByScroller.get(scroller) ?? [])].map((look) => look())
  for (const render of renderings) render?.()
}
