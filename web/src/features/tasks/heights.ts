import { useSyncExternalStore } from 'react'

/** Heights of the rows of a list, in px: fixed for each density, so that nothing is measured. */
export interface Heights {
  cols: number
  head: number
  task: number
  add: number
}

const PHONE = '(width < 600px)'
/** Mirrors --row of tokens.css, and the two-line rows of phones. */
const ROW_REM: Record<string, number> = { compact: 1.75, roomy: 2.75 }

const made = new Map<string, Heights>()

/** The heights that hold now; the same object while they do. */
export const useHeights = (): Heights => useSyncExternalStore(listen, read)

export const useNarrow = (): boolean =>
  useSyncExternalStore(listen, () => matchMedia(PHONE).matches)

function read(): Heights {
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
  const narrow = matchMedia(PHONE).matches
  const { density = '' } = document.documentElement.dataset
  const key = `${rem} ${narrow} ${density}`
  let heights = made.get(key)
  if (!heights) {
    const task = Math.round((narrow ? 3.75 : (ROW_REM[density] ?? 2.125)) * rem)
    const cols = narrow ? 0 : 1.75 * rem
    heights = { cols, head: 2.75 * rem, task, add: narrow ? 6.5 * rem : task }
    made.set(key, heights)
  }
  return heights
}

function listen(listener: () => void): () => void {
  const query = matchMedia(PHONE)
  query.addEventListener('change', listener)
  const watch = new MutationObserver(listener)
  watch.observe(document.documentElement, { attributeFilter: ['data-density', 'style'] })
  return () => {
    query.removeEventListener('change', listener)
    watch.disconnect()
  }
}
