let down = false
const OPEN = '[data-overlay], [role="menu"], [role="listbox"]'

/** Whether the viewer is in the midst of something: the pointer down, a menu open, or typing. */
export function isBusy(): boolean {
  const { activeElement } = document
  const typing =
    activeElement instanceof HTMLTextAreaElement ||
    (activeElement instanceof HTMLInputElement && activeElement.type !== 'checkbox') ||
    (activeElement instanceof HTMLElement && activeElement.isContentEditable)
  return down || typing || document.querySelector(OPEN) !== null
}

const LOOK_MS = 300

/** Calls back once the viewer is at rest again; gives what ends the waiting. */
export function onCalm(then: () => void): () => void {
  const timer = setInterval(() => {
    if (isBusy()) return
    clearInterval(timer)
    then()
  }, LOOK_MS)
  return () => clearInterval(timer)
}

addEventListener('pointerdown', () => (down = true), { capture: true })
for (const end of ['pointerup', 'pointercancel', 'dragend', 'blur']) {
  addEventListener(end, () => (down = false), { capture: true })
}
