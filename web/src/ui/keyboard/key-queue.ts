/** What never opens, because its code cannot be loaded, must not take keys for ever. */
const QUEUE_TIMEOUT_MS = 30_000

/** Key presses that wait for what is opening; `ui/overlays/replay-keys.ts` presses them there. */
interface KeyQueue {
  presses: KeyboardEvent[]
  /** Whether they wait for a text field. */
  needsField: boolean
  /** Whether it has opened, and has the focus. */
  isOpen?: boolean
  /** Drops what waits. */
  drop: () => void
}

let current: KeyQueue | undefined

export const getKeyQueue = (): KeyQueue | undefined => current

/**
 * Queues key presses for what is opening, however long its code takes to load: people press the
 * shortcut of a picker and type on for its field, and those letters must not run shortcuts of the
 * screen below. `cancel` closes it, for Escape. Returns a function that drops what waits, for what closes
 * before it was open.
 */
export function queueKeys(needsField: boolean, cancel?: () => void): () => void {
  // Of two in a row, the second opens for the first, such as a picker whose options were read first.
  const presses = current?.presses ?? []
  current?.drop()
  const add = (event: KeyboardEvent) => {
    const { key, repeat } = event
    // Replayed presses pass, and so do modifiers, which are read from the press that follows.
    if (!event.isTrusted || isModifier(key)) return
    if (key === 'Escape') queue.drop()
    // What is open closes itself, and asks first if something would be lost.
    if (key === 'Escape' && queue.isOpen) return
    event.stopImmediatePropagation()
    // What the browser does itself, such as a reload, goes on; its letter is for nobody.
    if (key.length === 1 && (event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    // A held Enter has opened this, and must not choose from it.
    if (key === 'Escape') cancel?.()
    else if (!repeat || key !== 'Enter') presses.push(event)
  }
  // A click in the overlay shows that it has opened: the browser itself delivers the keys that follow.
  const endByClick = () => {
    if (queue.isOpen && presses.length === 0) queue.drop()
  }
  const queue: KeyQueue = {
    presses,
    needsField,
    drop() {
      if (current === queue) current = undefined
      clearTimeout(timer)
      removeEventListener('keydown', add, true)
      removeEventListener('pointerdown', endByClick, true)
    },
  }
  const timer = setTimeout(queue.drop, QUEUE_TIMEOUT_MS)
  // On the window, so that a key is taken before anything in the document sees it.
  addEventListener('keydown', add, true)
  addEventListener('pointerdown', endByClick, true)
  current = queue
  // What was pressed after the key that closed it is for the page.
  return () => {
    if (!queue.isOpen) queue.drop()
  }
}

/** Whether a key does nothing without another. */
export const isModifier = (key: string): boolean =>
  /^(Shift|Control|Alt|Meta|AltGraph|Dead)$/.test(key)
