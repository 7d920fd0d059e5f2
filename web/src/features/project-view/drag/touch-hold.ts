/** How long a finger must rest on a card before it starts a drag. */
const HOLD_MS = 250

const hold = { isActive: false }

/** During a drag, a touch neither scrolls nor ends in a click. */
const preventWhileHolding = (event: TouchEvent) => {
  if (hold.isActive && event.cancelable) event.preventDefault()
}

/**
 * Must be installed before the touch starts, because browsers do not let a listener that was added
 * later prevent scrolling. Returns what removes the listeners.
 */
export function installTouchHold(): () => void {
  const controller = new AbortController()
  const options = { passive: false, signal: controller.signal }
  document.addEventListener('touchmove', preventWhileHolding, options)
  document.addEventListener('touchend', preventWhileHolding, options)
  return () => controller.abort()
}

/**
 * Calls `onHoldStart` when the finger has rested on the card, unless the signal is aborted first.
 */
export function onTouchHold(card: HTMLElement, signal: AbortSignal, onHoldStart: () => void): void {
  const timer = setTimeout(() => {
    hold.isActive = true
    onHoldStart()
  }, HOLD_MS)
  // Touch events always go to the element where the touch started, even after it was removed.
  card.addEventListener('touchmove', preventWhileHolding, { passive: false, signal })
  // Suppresses the browser's context menu of a long press.
  addEventListener('contextmenu', (event) => event.preventDefault(), { signal })
  signal.addEventListener('abort', () => {
    clearTimeout(timer)
    // The touchend event follows pointerup.
    setTimeout(() => {
      hold.isActive = false
    })
  })
}
