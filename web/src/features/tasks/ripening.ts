import { useEffect, useState } from 'react'
import { flushSync } from 'react-dom'

/** So many rows are drawn in full within one frame, on a slow machine, too; more while it keeps up. */
const LEAST = 4
const MOST = 12
/** A frame of 60 a second, and some delay. */
const IN_TIME_MS = 20

/** What draws rows in full, in the order in which they came. */
const waiting = new Set<() => void>()
let allowed = LEAST
/** How many rows appeared in this frame. */
let fresh = 0
let last = 0
let frame: number | undefined

/**
 * Whether a row whose task is known is drawn in full: of many that appear at once, by fast scrolling, each first
 * shows number and title and gets the rest within the next frames, if it is still there.
 */
export function useRipe(known: boolean): boolean {
  const [ripe, ripen] = useState(() => mayBeRipe() && known)
  useEffect(() => {
    if (ripe || !known) return
    const now = () => ripen(true)
    waiting.add(now)
    wake()
    return () => void waiting.delete(now)
  }, [ripe, known])
  return ripe
}

function mayBeRipe(): boolean {
  wake()
  fresh += 1
  return fresh <= LEAST
}

function wake(): void {
  if (frame !== undefined) return
  last = performance.now()
  frame = requestAnimationFrame(next)
}

/** Once a frame, after the scrolling of that frame: while many rows rush by, the others wait. */
function next(at: number): void {
  allowed = at - last > IN_TIME_MS ? LEAST : Math.min(MOST, allowed + 2)
  const some = fresh > LEAST ? [] : [...waiting].slice(0, allowed)
  last = at
  fresh = 0
  frame = waiting.size > 0 ? requestAnimationFrame(next) : undefined
  if (some.length === 0) return
  for (const ripen of some) waiting.delete(ripen)
  flushSync(() => {
    for (const ripen of some) ripen()
  })
}
