/**
 * Focuses the element that replaced a removed field, unless the user has focused something else in
 * the meantime: moving the focus then would redirect what they type.
 */
export function focusIfLost(findTarget: () => HTMLElement | null | undefined): void {
  requestAnimationFrame(() => {
    const { activeElement, body } = document
    if (!activeElement || activeElement === body) findTarget()?.focus()
  })
}
