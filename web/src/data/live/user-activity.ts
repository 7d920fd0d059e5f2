let isPointerDown = false
const OPEN_OVERLAY = '[data-overlay], [role="menu"], [role="listbox"]'

/** Whether the person holds the pointer down or has a menu open. */
export const isPointing = (): boolean =>
  isPointerDown || document.querySelector(OPEN_OVERLAY) !== null

/** Whether the person is interacting: points or types. */
export function isUserBusy(): boolean {
  const { activeElement } = document
  const typing =
    activeElement instanceof HTMLTextAreaElement ||
    (activeElement instanceof HTMLInputElement && activeElement.type !== 'checkbox') ||
    (activeElement instanceof HTMLElement && activeElement.isContentEditable)
  return typing || isPointing()
}

const POLL_INTERVAL_MS = 300

/** Calls back once the person no longer interacts. Returns a function that cancels the wait. */
export function whenUserIdle(callback: () => void, isBusy = isUserBusy): () => void {
  const timer = setInterval(() => {
    if (isBusy()) return
    clearInterval(timer)
    callback()
  }, POLL_INTERVAL_MS)
  return () => clearInterval(timer)
}

// What opens the menu of the system (with Ctrl on a Mac) may have no end that the page hears of.
addEventListener('pointerdown', (down) => (isPointerDown = down.button === 0 && !down.ctrlKey), {
  capture: true,
})
for (const end of ['pointerup', 'pointercancel', 'dragend']) {
  addEventListener(end, () => (isPointerDown = false), { capture: true })
}
// Not in the capture phase, in which each element that loses the focus counts: the pointer that goes down
// on another one takes it away.
addEventListener('blur', () => (isPointerDown = false))
