import { runAfterMenu } from '../../../ui/overlays/overlay-stack.ts'

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

/** Presses a control from a menu entry. */
export const pressControlSoon = (does: string): void => runAfterMenu(() => pressControl(does))
