import { reverseSteps } from '../mutations/undo-mutations.ts'
import { messages, type Reversal, type Toast, updateToast } from './toasts.ts'

const TOAST_TTL_MS = 8_000
/** What a change of many tasks has done takes longer to judge. */
const TOAST_OF_MANY_TTL_MS = 20_000

/** What ends the open toast; undefined while the focus or the pointer holds it. */
const timers = new Map<number, ReturnType<typeof setTimeout> | undefined>()

/** Keeps a toast while it has the focus or the pointer. */
export function holdToast(id: number): void {
  clearTimeout(timers.get(id))
  timers.set(id, undefined)
}

/** Ends a toast some time after it has lost the focus and the pointer. */
export function resumeToast(id: number): void {
  clearTimeout(timers.get(id))
  const ttl = find(id)?.isOfMany ? TOAST_OF_MANY_TTL_MS : TOAST_TTL_MS
  timers.set(
    id,
    setTimeout(() => endToast(id), ttl),
  )
}

/** Shows one toast at a time: one that opens replaces the last. */
function followToasts(): void {
  const listed = messages.get()
  const open = listed.filter(({ isOpen }) => isOpen)
  const opened = open.find(({ id }) => !timers.has(id))
  for (const [id, timer] of timers) {
    const one = listed.find((message) => message.id === id)
    if (one?.isOpen) continue
    clearTimeout(timer)
    timers.delete(id)
  }
  if (!opened) return
  resumeToast(opened.id)
  for (const one of open) {
    if (one.id === opened.id) continue
    updateToast(one.id, { isOpen: false })
  }
}

/** Ends a toast. What it tells of can still be undone. */
export const endToast = (id: number): void => updateToast(id, { isOpen: false })

/** The newest change that can be undone (`Mod+Z`). */
export const findUndoable = (): Toast | undefined =>
  messages.get().find(({ mode }) => mode === 'done')

/** The messages whose changes were undone, the last of them last. */
let undoneIds: readonly number[] = []

/** The change that was undone last (`Shift+Mod+Z`), unless another has been made since. */
export function findRedoable(): Toast | undefined {
  const newest = findUndoable()?.id ?? 0
  const last = undoneIds.findLast((id) => id > newest && find(id)?.mode === 'undone')
  return last === undefined ? undefined : find(last)
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
  updateToast(id, { isOpen: false, mode: 'final' })
  const newest = messages.get()[0]?.id
  const undo = runReversal(found.undo)
  // What the reversal itself says, such as what others have changed since, is not replaced.
  const isOpen = messages.get()[0]?.id === newest
  if (!undo) return
  const mode = found.mode === 'done' ? 'undone' : 'done'
  undoneIds = undoneIds.filter((one) => one !== id && find(one))
  if (mode === 'undone') undoneIds = [...undoneIds, id]
  updateToast(id, { undo, isOpen, mode })
}

/** Takes an action back. Returns what takes that back in turn, if anything can. */
export const runReversal = (undo: Reversal): Reversal | undefined =>
  (typeof undo === 'function' ? undo() : reverseSteps(undo)) ?? undefined

/** Takes back what was said of a mutation that the server refuses: nothing was done, or can be undone. */
export const withdrawMessage = (key: string): void =>
  messages.set(
    messages
      .get()
      .filter(
        ({ undo }) => typeof undo !== 'object' || undo.every(({ entry }) => entry.key !== key),
      ),
  )

const find = (id: number): Toast | undefined => messages.get().find((one) => one.id === id)

messages.subscribe(followToasts)
followToasts()
