import { atom } from '../../lib/state/atom.ts'

/** The initial text of the palette; undefined while it is closed. */
export const paletteState = atom<{ typed: string } | undefined>(undefined)

export const openPalette = (typed = ''): void => paletteState.set({ typed })
export const closePalette = (): void => paletteState.set(undefined)
