import { atom } from '../../lib/state/atom.ts'
import { queueKeys } from '../../ui/keyboard/key-queue.ts'

/** Whether the dialog with the shortcuts is open. */
export const shortcutsState = atom(false)

export function openShortcutsDialog(): void {
  queueKeys(false, () => shortcutsState.set(false))
  shortcutsState.set(true)
}
