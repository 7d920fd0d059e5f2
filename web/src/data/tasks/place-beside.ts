import type { Task, TaskPatch } from './task-patch.ts'
import { getCachedTask, getCachedTasks } from './task-store.ts'

/**
 * Where a patch moves a task that it puts beside another one: between that one and its neighbour, as
 * the page shows them. The server finds the final place.
 */
export function placeBeside(
  task: Pick<Task, 'id'>,
  { before_id, after_id }: TaskPatch,
): { position?: string } {
  const anchor = getCachedTask(before_id ?? after_id ?? '')
  if (!anchor) return {}
  const { position, project_id } = anchor
  const others = positionsOf(project_id, [task.id, anchor.id])
  if (before_id)
    return { position: placeBetween(maxOf(others.filter((one) => one < position)), position) }
  const following = others.filter((one) => one > position)
  return { position: placeBetween(position, following.length > 0 ? minOf(following) : undefined) }
}

/** The place behind all tasks of a project. */
export const placeAtEnd = (project_id: string): string =>
  placeBetween(maxOf(positionsOf(project_id, [])), undefined)

/** Ranks of the server contain letters and digits, so that these characters sort before all of them. */
function placeBetween(before: string, after: string | undefined): string {
  let ending = '\u0001'
  while (after !== undefined && before + ending >= after) ending = `\u0000${ending}`
  return before + ending
}

const positionsOf = (project_id: string, without: readonly string[]): string[] =>
  getCachedTasks().flatMap((task) =>
    task.project_id === project_id && !without.includes(task.id) ? task.position : [],
  )

const maxOf = (all: readonly string[]): string => all.toSorted().at(-1) ?? ''
const minOf = (all: readonly string[]): string => all.toSorted()[0] ?? ''
