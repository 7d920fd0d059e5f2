import { atom } from '../../lib/state/atom.ts'

/** Whether the dialog with the shortcuts is open. */
export const shortcutsState = atom(false)

export const openShortcutsDialog = (): void => shortcutsState.set(true)
