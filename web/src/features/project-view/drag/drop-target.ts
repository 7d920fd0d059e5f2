import type { TaskSection } from '../layout/list-layout.ts'

/** Where a task is dropped: beside another task of a group, or in the group as a whole. */
export interface DropTarget {
  key: string
  beside?: { id: string; after: boolean } | undefined
}

/** The present place of a task, relative to its neighbour, so that a move can be undone. */
export function dropTargetOf(section: TaskSection, id: string): DropTarget {
  const { key, lines } = section
  const at = lines.findIndex((line) => line.id === id)
  const [before, after] = [lines[at - 1], lines[at + 1]]
  if (after) return { key, beside: { id: after.id, after: false } }
  return { key, beside: before && { id: before.id, after: true } }
}
