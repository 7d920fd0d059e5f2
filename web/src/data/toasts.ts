import { signal } from '../lib/signal.ts'

/** A short message at the bottom of the page. */
export interface Toast {
  id: number
  text: string
  tone: 'done' | 'trouble'
  /** Takes back what the toast tells of. */
  undo?: () => void
  /** One more thing that can be done about it. */
  action?: { label: string; run: () => void }
  /** Called once when it goes without having been undone. */
  onEnd?: () => void
  /** What the API names the request that failed, to be copied. */
  request_id?: string
}

const SHOWN_MS = 8_000
const MOST = 3

/** Those on the screen, the newest last. */
export const toasts = signal<readonly Toast[]>([])
/** What was told since the page was opened, the newest first: a toast that was missed can be read again. */
export const told = signal<readonly Toast[]>([])

const timers = new Map<number, ReturnType<typeof setTimeout>>()
let last = 0

/** Shows a toast for eight seconds; gives its id. */
export function toast(made: Omit<Toast, 'id' | 'tone'> & Partial<Pick<Toast, 'tone'>>): number {
  last += 1
  const one: Toast = { tone: 'done', ...made, id: last }
  toasts.set([...toasts.get(), one])
  // What makes room for a newer one ends there: its deletion is sent now.
  for (const { id } of toasts.get().slice(0, -MOST)) end(id)
  told.set([one, ...told.get()].slice(0, 50))
  resume(one.id)
  return one.id
}

/** A toast that has the focus or the pointer stays. */
export function hold(id: number): void {
  clearTimeout(timers.get(id))
}

/** From now on it goes after eight seconds. */
export function resume(id: number): void {
  clearTimeout(timers.get(id))
  timers.set(
    id,
    setTimeout(() => end(id), SHOWN_MS),
  )
}

/** It goes without having been undone. */
export function end(id: number): void {
  const found = toasts.get().find((one) => one.id === id)
  close(id)
  found?.onEnd?.()
}

/** Undoes what the newest toast tells of, if it can be undone (`Mod+Z`). */
export function undoLast(): boolean {
  const found = toasts.get().findLast((one) => one.undo)
  if (found) undo(found.id)
  return found !== undefined
}

/** It goes, and what it tells of is taken back. */
export function undo(id: number): void {
  const found = toasts.get().find((one) => one.id === id)
  close(id)
  found?.undo?.()
}

function close(id: number): void {
  clearTimeout(timers.get(id))
  timers.delete(id)
  toasts.set(toasts.get().filter((one) => one.id !== id))
}

// A deletion that waits for its toast is sent before the page goes.
addEventListener('pagehide', () => {
  for (const { id } of toasts.get()) end(id)
})
