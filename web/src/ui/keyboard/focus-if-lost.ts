/** Whether nothing has the focus, as after the focused field was removed. */
export function isFocusLost(): boolean {
  const { activeElement, body } = document
  return !activeElement || activeElement === body
}

/**
 * Focuses the element that replaced a removed field, unless the user has focused something else in
 * the meantime: moving the focus then would redirect what they type.
 */
export function focusIfLost(findTarget: () => HTMLElement | null | undefined): void {
  requestAnimationFrame(() => {
    if (isFocusLost()) findTarget()?.focus()
  })
}
