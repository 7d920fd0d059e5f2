/** A field whose code cannot be loaded must not take keys for ever. */
const BUFFER_TIMEOUT_MS = 10_000
/** A field needs this long after it got the focus to take text, or to show its matches. */
const SETTLE_DELAY_MS = 50

/**
 * Buffers key presses until the field of an opening overlay has the focus, then types them into it.
 * People press the shortcut of a picker and type on for its field; without the buffer those letters
 * would run shortcuts of the screen below. Returns a function that ends it.
 */
export function bufferTypedKeys(): () => void {
  let typed = ''
  let enterPressed = false
  const bufferKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
    if (event.key.length === 1) typed += event.key
    else if (event.key === 'Enter' && typed !== '') enterPressed = true
    else if (event.key === 'Backspace') typed = typed.slice(0, -1)
    else return
    event.preventDefault()
    event.stopImmediatePropagation()
  }
  const flushIntoField = ({ target }: FocusEvent) => {
    if (!(target instanceof HTMLInputElement) || !target.closest('[data-overlay]')) return
    document.removeEventListener('focusin', flushIntoField)
    setTimeout(() => {
      stop()
      if (typed === '' || document.activeElement !== target) return
      typeText(target, typed)
      if (enterPressed) setTimeout(() => pressEnter(target), SETTLE_DELAY_MS)
    }, SETTLE_DELAY_MS)
  }
  const stop = () => {
    clearTimeout(timer)
    document.removeEventListener('keydown', bufferKey, true)
    document.removeEventListener('focusin', flushIntoField)
  }
  const timer = setTimeout(stop, BUFFER_TIMEOUT_MS)
  document.addEventListener('keydown', bufferKey, true)
  document.addEventListener('focusin', flushIntoField)
  return stop
}

/** Types a text: React Aria listens to `beforeinput` and then highlights the first match. */
function typeText(field: HTMLInputElement, data: string): void {
  const init = { inputType: 'insertText', data, bubbles: true, cancelable: true }
  field.dispatchEvent(new InputEvent('beforeinput', init))
  document.execCommand('insertText', false, data)
}

function pressEnter(field: HTMLInputElement): void {
  if (field.form) field.form.requestSubmit()
  else {
    const init = { key: 'Enter', code: 'Enter', bubbles: true, cancelable: true }
    field.dispatchEvent(new KeyboardEvent('keydown', init))
    field.dispatchEvent(new KeyboardEvent('keyup', init))
  }
}
