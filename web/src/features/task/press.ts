/**
 * Presses a control of the task that is shown, by what it does: keys open the same pickers as the properties, at
 * their place.
 */
export function press(does: string): void {
  const control = document.querySelector<HTMLElement>(`.task-frame [data-does="${does}"]`)
  control?.scrollIntoView({ block: 'nearest' })
  control?.focus({ preventScroll: true })
  control?.click()
}

/** The same for a menu, which is about to close and to give the focus back. */
export const pressSoon = (does: string): void => void setTimeout(() => press(does), 50)
