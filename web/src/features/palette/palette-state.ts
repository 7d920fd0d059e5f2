import { atom } from '../../lib/state/atom.ts'
import { queueKeys } from '../../ui/keyboard/key-queue.ts'

/** The initial text of the palette; undefined while it is closed. */
export const paletteState = atom<{ typed: string } | undefined>(undefined)

/** Opens the palette, with a text that one types on. */
export function openPalette(typed = ''): void {
  queueKeys(true, closePalette)
  paletteState.set({ typed })
}
export const closePalette = (): void => paletteState.set(undefined)
