import { undoTaskChange } from '../tasks/undo-task-change.ts'
import { messages, type Reversal, type Toast } from './toasts.ts'

const TOAST_TTL_MS = 8_000
const MAX_TOASTS = 3

/** What ends the open toasts; undefined while the focus or the pointer holds one. */
const timers = new Map<number, ReturnType<typeof setTimeout> | undefined>()

/** Keeps a toast while it has the focus or the pointer. */
export function holdToast(id: number): void {
  clearTimeout(timers.get(id))
  timers.set(id, undefined)
}

/** Ends a toast some time after it has lost the focus and the pointer. */
export function resumeToast(id: number): void {
  clearTimeout(timers.get(id))
  timers.set(
    id,
    setTimeout(() => endToast(id), TOAST_TTL_MS),
  )
}

function followToasts(): void {
  const open = messages.get().filter(({ isOpen }) => isOpen)
  for (const [id, timer] of timers) {
    if (open.some((one) => one.id === id)) continue
    clearTimeout(timer)
    timers.delete(id)
  }
  for (const { id } of open) if (!timers.has(id)) resumeToast(id)
  // A toast that makes room for a newer one ends, which e.g. sends its deletion.
  for (const { id } of open.slice(MAX_TOASTS)) endToast(id)
}
/** Ends a toast without undo. */
export function endToast(id: number): void {
  const found = find(id)
  update(id, { isOpen: false })
  if (!found?.onEnd || found.mode !== 'done') return
  update(id, { mode: 'final' })
  found.onEnd()
}

/** The newest change that can be undone (`Mod+Z`). */
export const findUndoable = (): Toast | undefined =>
  messages.get().find(({ mode }) => mode === 'done')

/** The change that was undone last (`Shift+Mod+Z`), unless another has been made since. */
export function findRedoable(): Toast | undefined {
  const newest = findUndoable()?.id ?? 0
  return messages.get().findLast(({ id, mode }) => mode === 'undone' && id > newest)
}

/** Undoes the latest change, or redoes the one that was undone last. */
export function reverseLatest(mode: 'done' | 'undone'): void {
  const change = mode === 'done' ? findUndoable() : findRedoable()
  if (change) reverse(change)
}

/** Undoes the action of a message, or redoes it, and says so in its toast. */
export function reverse({ id }: Toast): void {
  const found = find(id)
  if (!found?.undo || found.mode === 'final') return
  update(id, { isOpen: false, mode: 'final' })
  const undo = runReversal(found.undo)
  if (undo) update(id, { undo, isOpen: true, mode: found.mode === 'done' ? 'undone' : 'done' })
}

/** Takes an action back. Returns what takes that back in turn, if anything can. */
export const runReversal = (undo: Reversal): Reversal | undefined =>
  (typeof undo === 'function' ? undo() : undoTaskChange(undo)) ?? undefined

/** Takes back what was said of a change of a task that the server refuses: nothing was done, or can be undone. */
export const withdrawMessage = (change_key: string): void =>
  messages.set(
    messages.get().filter(({ undo }) => typeof undo !== 'object' || undo.change.key !== change_key),
  )

const find = (id: number): Toast | undefined => messages.get().find((one) => one.id === id)

const update = (id: number, change: Partial<Toast>): void =>
  messages.set(messages.get().map((one) => (one.id === id ? { ...one, ...change } : one)))

// Deletions that wait for the end of their toast are sent before the page unloads.
addEventListener('pagehide', () => {
  for (const { id, isOpen } of messages.get()) if (isOpen) endToast(id)
})

messages.subscribe(followToasts)
followToasts()
