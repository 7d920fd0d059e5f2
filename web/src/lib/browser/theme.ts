import { localStore } from '../state/browser-storage.ts'

export type ColorTheme = 'light' | 'dark'

/**
 * Sets the theme of this browser; undefined follows the system. src/theme.js applies it before
 * the first paint.
 */
export function setTheme(theme: ColorTheme | undefined): void {
  savePreference('theme', theme)
}

export type RowDensity = 'compact' | 'roomy'

/** Sets the row height of this browser; undefined is the regular one. */
export function setRowDensity(density: RowDensity | undefined): void {
  savePreference('density', density)
}

export const getTheme = (): string | undefined => document.documentElement.dataset.theme
export const getRowDensity = (): string | undefined => document.documentElement.dataset.density

function savePreference(name: 'theme' | 'density', value: string | undefined): void {
  const { dataset } = document.documentElement
  localStore.write(`docket.${name}`, value)
  if (value === undefined) delete dataset[name]
  else dataset[name] = value
}
