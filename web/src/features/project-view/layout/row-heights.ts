import { useSyncExternalStore } from 'react'

/**
 * Heights of the rows of a list, in px. They are fixed per density, so that no row has to be
 * measured.
 */
export interface RowHeights {
  cols: number
  head: number
  task: number
  add: number
}

/** Phones have other heights, by the same query in styles/tokens.css. */
const phoneMedia = matchMedia('(width < 600px)')
let cached: RowHeights | undefined
const listeners = new Set<() => void>()

/**
 * One shared observer, because reading computed styles in every frame of scrolling would be too
 * slow.
 */
const invalidate = () => {
  cached = undefined
  for (const listener of [...listeners]) listener()
}
phoneMedia.addEventListener('change', invalidate)
new MutationObserver(invalidate).observe(document.documentElement, {
  attributeFilter: ['data-density', 'style'],
})

/** The current heights; the same object until they change. */
export const useRowHeights = (): RowHeights => useSyncExternalStore(subscribe, getHeights)

function getHeights(): RowHeights {
  cached ??= computeHeights()
  return cached
}

function computeHeights(): RowHeights {
  return {
    cols: readHeight('--row-columns'),
    head: readHeight('--row-group'),
    task: Math.round(readHeight('--row-task')),
    add: Math.round(readHeight('--row-add')),
  }
}

/** The height that a token of styles/tokens.css gives in rem, in px. */
export function readHeight(token: `--${string}`): number {
  const style = getComputedStyle(document.documentElement)
  return Number.parseFloat(style.getPropertyValue(token)) * Number.parseFloat(style.fontSize)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
