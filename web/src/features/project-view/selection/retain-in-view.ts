import type { ListSelection } from './list-selection.ts'

/**
 * Deselects the tasks that have left the view, and moves the cursor from such a task to the one that
 * came after it, unless it `isOpen` in the panel. Tasks that were saved meanwhile are followed to their
 * id.
 */
export function retainInView(
  selection: ListSelection,
  idsInView: ReadonlySet<string>,
  previousOrder: readonly string[],
  getSavedId: (id: string) => string,
  isOpen = false,
): void {
  const isInView = (id: string) => idsInView.has(id)
  const { selected, cursor } = selection
  if (![...selected].every(isInView))
    selection.select([...selected].map(getSavedId).filter(isInView))
  if (cursor === undefined || isInView(cursor) || isOpen) return
  const at = previousOrder.indexOf(cursor)
  const [before, after] = [previousOrder.slice(0, Math.max(at, 0)), previousOrder.slice(at + 1)]
  const next = at < 0 ? undefined : (after.find(isInView) ?? before.findLast(isInView))
  const saved = getSavedId(cursor)
  selection.moveCursor(isInView(saved) ? saved : next)
}
