/**
 * Gives the focus to what has taken the place of a field that is gone; unless the person has gone
 * elsewhere by then, whose keys it would take.
 */
export function refocus(found: () => HTMLElement | null | undefined): void {
  requestAnimationFrame(() => {
    const { activeElement, body } = document
    if (!activeElement || activeElement === body) found()?.focus()
  })
}
