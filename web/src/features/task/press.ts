/**
 * Presses a control of the task that is shown, by what it does: keys and menus open the same pickers as the
 * properties, at their place. It may be about to come back, as a menu closes.
 */
export function press(does: string): void {
  requestAnimationFrame(() => {
    const control = document.querySelector<HTMLElement>(`.task-frame [data-does="${does}"]`)
    control?.scrollIntoView({ block: 'nearest' })
    control?.focus({ preventScroll: true })
    control?.click()
  })
}
