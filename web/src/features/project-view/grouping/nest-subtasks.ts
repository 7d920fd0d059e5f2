import type { ProjectList } from './project-list.ts'

/** A task in its group, and its nesting depth below parents that are in the same group. */
export interface NestedTask {
  id: string
  depth: number
}

const MAX_DEPTH = 5

/** Puts subtasks directly below their parents; otherwise the order stays. */
export function nestSubtasks(
  ids: readonly string[],
  parents: ProjectList['parents'],
): readonly NestedTask[] {
  const inGroup = new Set(ids)
  const children = new Map<string, string[]>()
  const tops: string[] = []
  for (const id of ids) {
    const parent = parents[id]
    if (parent === undefined || !inGroup.has(parent)) tops.push(id)
    else {
      const siblings = children.get(parent)
      if (siblings) siblings.push(id)
      else children.set(parent, [id])
    }
  }
  if (children.size === 0) return ids.map((id) => ({ id, depth: 0 }))
  const lines: NestedTask[] = []
  const append = (id: string, depth: number) => {
    lines.push({ id, depth })
    for (const child of children.get(id) ?? []) append(child, Math.min(depth + 1, MAX_DEPTH))
  }
  for (const id of tops) append(id, 0)
  return lines
}
