import type { ProjectList } from './project-list.ts'

/** A task in its group, and its nesting depth below parents that are in the same group. */
export interface NestedTask {
  number: number
  depth: number
}

const MAX_DEPTH = 5

/** Puts subtasks directly below their parents; otherwise the order stays. */
export function nestSubtasks(
  numbers: readonly number[],
  parents: ProjectList['parents'],
): readonly NestedTask[] {
  const inGroup = new Set(numbers)
  const children = new Map<number, number[]>()
  const tops: number[] = []
  for (const number of numbers) {
    const parent = parents[number]
    if (parent === undefined || !inGroup.has(parent)) tops.push(number)
    else {
      const siblings = children.get(parent)
      if (siblings) siblings.push(number)
      else children.set(parent, [number])
    }
  }
  if (children.size === 0) return numbers.map((number) => ({ number, depth: 0 }))
  const lines: NestedTask[] = []
  const append = (number: number, depth: number) => {
    lines.push({ number, depth })
    for (const child of children.get(number) ?? []) append(child, Math.min(depth + 1, MAX_DEPTH))
  }
  for (const number of tops) append(number, 0)
  return lines
}
