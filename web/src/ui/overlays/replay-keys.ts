import { getKeyQueue } from '../keyboard/key-queue.ts'

/** A field needs this long after it got the focus to take text, or to show its matches. */
const SETTLE_DELAY_MS = 50

/**
 * Presses the keys that were queued while an overlay opened, as soon as it has the focus. Loaded with
 * the code of overlays: without that, nothing can open.
 */
document.addEventListener('focusin', ({ target }) => {
  const queue = getKeyQueue()
  if (!queue || !isInOverlay(target) || (queue.needsField && !isTextInput(target))) return
  queue.isOpen = true
  /** One after the other, because a field shows its matches a moment after the text. */
  const replayNext = () => {
    if (getKeyQueue() !== queue) return
    if (queue.presses.length === 0) return queue.drop()
    // What follows the key that closed the overlay is for the page.
    replay(document.activeElement ?? document.body, queue.presses)
    setTimeout(replayNext, queue.presses.length === 0 ? 0 : SETTLE_DELAY_MS)
  }
  if (queue.presses.length === 0 && !queue.needsField) queue.drop()
  else setTimeout(replayNext, SETTLE_DELAY_MS)
})

const isInOverlay = (element: EventTarget | null): element is Element =>
  element instanceof Element && element.closest('[data-overlay]') !== null

const isTextInput = (element: EventTarget | null) =>
  element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement

/** Types the text at the beginning of the queue, or presses its first key. */
function replay(element: Element, presses: KeyboardEvent[]): void {
  const end = presses.findIndex(({ key }) => key.length > 1)
  const length = isTextInput(element) ? (end < 0 ? presses.length : end) : 0
  const event = presses.shift()
  if (!event) return
  if (length > 0) {
    // A list may take the first character as the number of an option.
    if (!dispatchKey(element, event)) return
    typeText(element, [event, ...presses.splice(0, length - 1)].map(({ key }) => key).join(''))
  } else if (event.key === 'Backspace') document.execCommand('delete')
  else pressKey(element, event)
}

const TAB_STOPS = 'a[href], button, input, select, textarea, [tabindex]'

/** Moves the focus within an overlay as Tab does, which a script cannot press. */
function moveFocus(element: Element, by: -1 | 1): void {
  if (!(element instanceof HTMLElement)) return
  const overlay = element.closest('[data-overlay]')
  const stops = [...(overlay?.querySelectorAll<HTMLElement>(TAB_STOPS) ?? [])].filter(
    (stop) =>
      stop === element ||
      (stop.tabIndex >= 0 && stop.checkVisibility() && !stop.matches(':disabled')),
  )
  const next = stops.indexOf(element) + by
  stops.at(next % stops.length)?.focus()
}

/** Types a text: React Aria listens to `beforeinput` and then highlights the first match. */
function typeText(field: Element, data: string): void {
  const init = { inputType: 'insertText', data, bubbles: true, cancelable: true }
  field.dispatchEvent(new InputEvent('beforeinput', init))
  document.execCommand('insertText', false, data)
}

function pressKey(element: Element, event: KeyboardEvent): void {
  if (!dispatchKey(element, event)) return
  // What the browser itself does with Tab and Enter, which it does for no key of a script.
  if (event.key === 'Tab') moveFocus(element, event.shiftKey ? -1 : 1)
  if (event.key !== 'Enter') return
  if (element instanceof HTMLInputElement) element.form?.requestSubmit()
  else if (element instanceof HTMLButtonElement) element.click()
}

/** Presses and releases a key. Returns whether nothing has handled it. */
function dispatchKey(element: Element, event: KeyboardEvent): boolean {
  const { key, code, altKey, ctrlKey, metaKey, shiftKey } = event
  const modifiers = { altKey, ctrlKey, metaKey, shiftKey }
  const init = { key, code, ...modifiers, bubbles: true, cancelable: true }
  const isUnhandled = element.dispatchEvent(new KeyboardEvent('keydown', init))
  element.dispatchEvent(new KeyboardEvent('keyup', init))
  return isUnhandled
}
