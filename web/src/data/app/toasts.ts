import { atom } from '../../lib/state/atom.ts'

/** A short message at the bottom of the page. */
export interface Toast {
  id: number
  text: string
  tone: 'done' | 'trouble'
  /** Undoes the action that the toast reports. */
  undo?: () => void
  /** A further action, shown as a button. */
  action?: { label: string; run: () => void }
  /** Called once when the toast ends without undo. */
  onEnd?: () => void
  /** The API's id of the failed request, which the person can copy. */
  request_id?: string
}

const TOAST_TTL_MS = 8_000
const MAX_TOASTS = 3

/** The toasts on the screen, newest last. */
export const toasts = atom<readonly Toast[]>([])
/** The last 50 toasts since the page was opened, newest first, to read again what was missed. */
export const toastHistory = atom<readonly Toast[]>([])

const timers = new Map<number, ReturnType<typeof setTimeout>>()
let lastId = 0

/** Shows a toast for eight seconds; returns its id. */
export function showToast(
  options: Omit<Toast, 'id' | 'tone'> & Partial<Pick<Toast, 'tone'>>,
): number {
  lastId += 1
  const one: Toast = { tone: 'done', ...options, id: lastId }
  toasts.set([...toasts.get(), one])
  // A toast that makes room for a newer one ends, which e.g. sends its deletion.
  for (const { id } of toasts.get().slice(0, -MAX_TOASTS)) endToast(id)
  toastHistory.set([one, ...toastHistory.get()].slice(0, 50))
  resumeToast(one.id)
  return one.id
}

/** Keeps a toast while it has the focus or the pointer. */
export function holdToast(id: number): void {
  clearTimeout(timers.get(id))
}

/** Restarts the eight seconds of a toast. */
export function resumeToast(id: number): void {
  clearTimeout(timers.get(id))
  timers.set(
    id,
    setTimeout(() => endToast(id), TOAST_TTL_MS),
  )
}

/** Ends a toast without undo. */
export function endToast(id: number): void {
  const found = toasts.get().find((one) => one.id === id)
  close(id)
  found?.onEnd?.()
}

/** Undoes the newest toast that has an undo (`Mod+Z`); returns whether there was one. */
export function undoLatestToast(): boolean {
  const found = toasts.get().findLast((one) => one.undo)
  if (found) undoToast(found.id)
  return found !== undefined
}

/** Closes a toast and undoes its action. */
export function undoToast(id: number): void {
  const found = toasts.get().find((one) => one.id === id)
  close(id)
  found?.undo?.()
}

function close(id: number): void {
  clearTimeout(timers.get(id))
  timers.delete(id)
  toasts.set(toasts.get().filter((one) => one.id !== id))
}

// Deletions that wait for the end of their toast are sent before the page unloads.
addEventListener('pagehide', () => {
  for (const { id } of toasts.get()) endToast(id)
})
