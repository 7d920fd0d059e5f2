export type Theme = 'light' | 'dark'

/** Sets the theme of this browser; without one it follows the system. public/theme.js reads it before the first paint. */
export function setTheme(theme: Theme | undefined): void {
  set('theme', theme)
}

export type Density = 'compact' | 'roomy'

/** Sets how high rows are in this browser; without one they are regular. */
export function setDensity(density: Density | undefined): void {
  set('density', density)
}

export const themeNow = (): string | undefined => document.documentElement.dataset.theme
export const densityNow = (): string | undefined => document.documentElement.dataset.density

function set(name: 'theme' | 'density', value: string | undefined): void {
  const { dataset } = document.documentElement
  if (value === undefined) {
    localStorage.removeItem(`docket.${name}`)
    delete dataset[name]
  } else {
    localStorage.setItem(`docket.${name}`, value)
    dataset[name] = value
  }
}
