/**
 * Presses the control of the open task with the given `data-does`, so that shortcuts open the same
 * pickers as the properties, at the same place.
 */
export function pressControl(does: string): void {
  const control = document.querySelector<HTMLElement>(`.task-frame [data-does="${does}"]`)
  control?.scrollIntoView({ block: 'nearest' })
  control?.focus({ preventScroll: true })
  control?.click()
}

/** A closing menu restores the focus, which must come first. */
const MENU_CLOSE_MS = 50

/** Runs what moves the focus from a menu entry, after the menu has closed. */
export const runAfterMenu = (run: () => void): void => void setTimeout(run, MENU_CLOSE_MS)

/** Presses a control from a menu entry. */
export const pressControlSoon = (does: string): void => runAfterMenu(() => pressControl(does))
