const MOST_MS = 1_500
/** What a field finds is there a moment after it has the focus. */
const SETTLED_MS = 50

/**
 * Keeps what is typed from the moment something with a field was asked for until that field is ready, and gives it to
 * the field: who presses a key and types on means the picker, not what the letters do on the screen below.
 */
export function typeAhead(): void {
  let typed = ''
  let entered = false
  const keep = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
    if (event.key.length === 1) typed += event.key
    else if (event.key === 'Enter' && typed !== '') entered = true
    else if (event.key === 'Backspace') typed = typed.slice(0, -1)
    else return
    event.preventDefault()
    event.stopImmediatePropagation()
  }
  const settle = ({ target }: FocusEvent) => {
    if (!(target instanceof HTMLInputElement) || !target.closest('[data-overlay]')) return
    document.removeEventListener('focusin', settle)
    setTimeout(() => {
      end()
      if (typed === '' || document.activeElement !== target) return
      insert(target, typed)
      if (entered) setTimeout(() => enter(target), SETTLED_MS)
    }, SETTLED_MS)
  }
  const end = () => {
    clearTimeout(timer)
    document.removeEventListener('keydown', keep, true)
    document.removeEventListener('focusin', settle)
  }
  const timer = setTimeout(end, MOST_MS)
  document.addEventListener('keydown', keep, true)
  document.addEventListener('focusin', settle)
}

/** As if it were typed: the field hears of it, and what is found for it is highlighted. */
function insert(field: HTMLInputElement, data: string): void {
  const told = { inputType: 'insertText', data, bubbles: true, cancelable: true }
  field.dispatchEvent(new InputEvent('beforeinput', told))
  document.execCommand('insertText', false, data)
}

function enter(field: HTMLInputElement): void {
  if (field.form) field.form.requestSubmit()
  else {
    const told = { key: 'Enter', code: 'Enter', bubbles: true, cancelable: true }
    field.dispatchEvent(new KeyboardEvent('keydown', told))
    field.dispatchEvent(new KeyboardEvent('keyup', told))
  }
}
