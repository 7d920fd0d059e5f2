import { type RefObject, useEffect, useRef } from 'react'

/**
 * Whether the cursor's row may take the focus: nothing has it, or another element of the list. It
 * must not be stolen from a field elsewhere, nor from a control in the row itself.
 */
export function canTakeFocus(listSelector: string, row?: Element | null): boolean {
  const { activeElement, body } = document
  if (!activeElement || activeElement === body) return true
  return activeElement.closest(listSelector) !== null && !row?.contains(activeElement)
}

/** Focuses a row of a grid while the cursor is on it. */
export function useCursorFocus(hasCursor: boolean): RefObject<HTMLDivElement | null> {
  const row = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (hasCursor && canTakeFocus('[role="grid"]', row.current)) {
      row.current?.focus({ preventScroll: true })
    }
  }, [hasCursor])
  return row
}
