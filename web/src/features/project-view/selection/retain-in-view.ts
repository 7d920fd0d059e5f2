import type { ListSelection } from './list-selection.ts'

/**
 * Deselects the tasks that have left the view, and moves the cursor from such a task to the one that
 * came after it, unless it `isOpen` in the panel. Tasks that were saved meanwhile are followed to their
 * number.
 */
export function retainInView(
  selection: ListSelection,
  numbersInView: ReadonlySet<number>,
  previousOrder: readonly number[],
  getSavedNumber: (number: number) => number,
  isOpen = false,
): void {
  const isInView = (number: number) => numbersInView.has(number)
  const { selected, cursor } = selection
  if (![...selected].every(isInView))
    selection.select([...selected].map(getSavedNumber).filter(isInView))
  if (cursor === undefined || isInView(cursor) || isOpen) return
  const at = previousOrder.indexOf(cursor)
  const [before, after] = [previousOrder.slice(0, Math.max(at, 0)), previousOrder.slice(at + 1)]
  const next = at < 0 ? undefined : (after.find(isInView) ?? before.findLast(isInView))
  const saved = getSavedNumber(cursor)
  selection.moveCursor(isInView(saved) ? saved : next)
}
