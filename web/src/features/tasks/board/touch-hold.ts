/** So long a finger rests on a slip before it holds it, ms. */
const HOLD_MS = 250

const held = { now: false }

/** A finger that holds a slip scrolls nothing, and ends with no click. */
const holdBack = (event: TouchEvent) => {
  if (held.now && event.cancelable) event.preventDefault()
}

/**
 * Has to listen before a finger comes down: what begins to listen later is not asked whether to scroll. Gives what
 * ends it.
 */
export function heldBack(): () => void {
  const ending = new AbortController()
  const options = { passive: false, signal: ending.signal }
  document.addEventListener('touchmove', holdBack, options)
  document.addEventListener('touchend', holdBack, options)
  return () => ending.abort()
}

/** Calls `lift` when the finger has rested on the slip, unless the signal comes first. */
export function onHold(slip: HTMLElement, signal: AbortSignal, lift: () => void): void {
  const timer = setTimeout(() => {
    held.now = true
    lift()
  }, HOLD_MS)
  // The touch belongs to the slip for good, also when that scrolls out of the document.
  slip.addEventListener('touchmove', holdBack, { passive: false, signal })
  // What a browser offers for a long press.
  addEventListener('contextmenu', (event) => event.preventDefault(), { signal })
  signal.addEventListener('abort', () => {
    clearTimeout(timer)
    // The end of the touch is told after that of the pointer.
    setTimeout(() => {
      held.now = false
    })
  })
}
