/** Opening the command palette. The palette itself is palette.tsx. */

export { openPalette, paletteState } from './palette-state.ts'
