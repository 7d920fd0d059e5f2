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

const PHONES = matchMedia(PHONE)
let known: Heights | undefined
const listeners = new Set<() => void>()

/** One watch for all: asking for the styles of the page in each frame of scrolling would cost it. */
const changed = () => {
  known = undefined
  for (const listener of [...listeners]) listener()
}
PHONES.addEventListener('change', changed)
new MutationObserver(changed).observe(document.documentElement, {
  attributeFilter: ['data-density', 'style'],
})

/** The heights that hold now; the same object while they do. */
export const useHeights = (): Heights => useSyncExternalStore(listen, read)

function read(): Heights {
  known ??= reckon()
  return known
}

function reckon(): Heights {
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
  const narrow = PHONES.matches
  const { density = '' } = document.documentElement.dataset
  const task = Math.round((narrow ? 3.75 : (ROW_REM[density] ?? 2.125)) * rem)
  const cols = narrow ? 0 : 1.75 * rem
  return { cols, head: 2.75 * rem, task, add: narrow ? 6.5 * rem : task }
}

function listen(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
