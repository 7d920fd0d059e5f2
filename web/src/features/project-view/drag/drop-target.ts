import type { TaskSection } from '../layout/list-layout.ts'

/** Where a task is dropped: beside another task of a group, or in the group as a whole. */
export interface DropTarget {
  key: string
  beside?: { number: number; after: boolean } | undefined
}

/** The present place of a task, relative to its neighbour, so that a move can be undone. */
export function dropTargetOf(section: TaskSection, number: number): DropTarget {
  const { key, lines } = section
  const at = lines.findIndex((line) => line.number === number)
  const [before, after] = [lines[at - 1], lines[at + 1]]
  if (after) return { key, beside: { number: after.number, after: false } }
  return { key, beside: before && { number: before.number, after: true } }
}
