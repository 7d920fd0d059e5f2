import { signal } from '../../lib/signal.ts'

/** Whether the palette is open, and what is typed in it from the start. */
export const palette = signal<{ typed: string } | undefined>(undefined)

export const openPalette = (typed = ''): void => palette.set({ typed })
export const closePalette = (): void => palette.set(undefined)
