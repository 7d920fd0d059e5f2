import { signal } from '../../lib/signal.ts'

/** Whether the sheet of shortcuts is open. */
export const shortcuts = signal(false)

export const openShortcuts = (): void => shortcuts.set(true)
