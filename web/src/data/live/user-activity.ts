let isPointerDown = false
const OPEN_OVERLAY = '[data-overlay], [role="menu"], [role="listbox"]'

/** Whether the person is interacting: holds the pointer down, types, or has a menu open. */
export function isUserBusy(): boolean {
  const { activeElement } = document
  const typing =
    activeElement instanceof HTMLTextAreaElement ||
    (activeElement instanceof HTMLInputElement && activeElement.type !== 'checkbox') ||
    (activeElement instanceof HTMLElement && activeElement.isContentEditable)
  return isPointerDown || typing || document.querySelector(OPEN_OVERLAY) !== null
}

const POLL_INTERVAL_MS = 300

/** Calls back once the person no longer interacts. Returns a function that cancels the wait. */
export function whenUserIdle(callback: () => void): () => void {
  const timer = setInterval(() => {
    if (isUserBusy()) return
    clearInterval(timer)
    callback()
  }, POLL_INTERVAL_MS)
  return () => clearInterval(timer)
}

addEventListener('pointerdown', () => (isPointerDown = true), { capture: true })
for (const end of ['pointerup', 'pointercancel', 'dragend', 'blur']) {
  addEventListener(end, () => (isPointerDown = false), { capture: true })
}
