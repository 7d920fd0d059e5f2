import { atom } from '../../lib/state/atom.ts'
import type { NewMutation } from '../mutations/mutation-entry.ts'
import type { StoredMutation } from '../mutations/stored-mutation.ts'

/** The mutations of which an action consists, in their order. */
export type MutationUndo = readonly ReversalStep[]

/** A mutation to take back, or one that was taken out of the log before it was sent, to make again. */
export interface ReversalStep {
  does: 'undo' | 'add'
  entry: NewMutation<StoredMutation>
}

/**
 * Takes an action back: the mutations of which it consists, or by a function, which returns what takes that back in
 * turn, if anything can.
 */
export type Reversal = MutationUndo | (() => Reversal | undefined) | (() => void)

/** What takes mutations back. */
export const undoOf = (...entries: readonly NewMutation<StoredMutation>[]): MutationUndo =>
  entries.map((entry) => ({ does: 'undo', entry }))

/** A short message at the bottom of the page, and what the person can still do about its action. */
export interface Toast {
  id: number
  text: string
  tone: 'done' | 'trouble'
  /** When it was first shown, in milliseconds. */
  at: number
  isOpen: boolean
  /**
   * Whether the action stands and can be undone, is undone and can be redone, or can be neither,
   * such as a deletion that was sent.
   */
  mode: 'done' | 'undone' | 'final'
  /** Undoes the action that the toast reports, or redoes it if it is undone. */
  undo?: Reversal
  /** A further action, shown as a button. */
  action?: { label: string; run: () => void }
  /** Whether it tells of many tasks. */
  isOfMany?: boolean
  /** Whether what it tells of is in the trash, to which it links. */
  isInTrash?: boolean
  /** Why the action has failed: its request id can be copied, and a button offers its remedy. */
  error?: unknown
}

const MAX_MESSAGES = 100

/**
 * The last messages since the page was opened, newest first. Those that are open are the toasts;
 * `undo.ts`, which is loaded with them a moment after the page, ends and reverses them.
 */
export const messages = atom<readonly Toast[]>([])

let lastId = 0

/**
 * Shows a toast for eight seconds, or until the next one replaces it, and returns its id; one that is not
 * open is only listed, with its undo.
 */
export function showToast(
  options: Omit<Toast, 'id' | 'tone' | 'at' | 'isOpen' | 'mode'> &
    Partial<Pick<Toast, 'tone' | 'isOpen'>>,
): number {
  lastId += 1
  const mode = options.undo ? 'done' : 'final'
  const one: Toast = { tone: 'done', isOpen: true, ...options, id: lastId, at: Date.now(), mode }
  messages.set([one, ...messages.get()].slice(0, MAX_MESSAGES))
  return lastId
}

/** Changes a message, if it is still listed. */
export const updateToast = (id: number, change: Partial<Toast>): void =>
  messages.set(messages.get().map((one) => (one.id === id ? { ...one, ...change } : one)))
