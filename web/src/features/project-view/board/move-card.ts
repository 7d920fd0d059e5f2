import { loadMissingTasks } from '../../../data/cache/task-rows.ts'
import { type DropTarget, moveTask } from '../drag/move-task.ts'
import type { ProjectPageContext } from '../project-page-context.ts'
import type { ProjectView } from '../project-view.ts'

/**
 * Moves a card, and returns whether it has moved. Its place is beside another card, which may be out
 * of sight and not loaded yet, such as the last one of a long column.
 */
export async function moveCard(
  context: ProjectPageContext,
  view: ProjectView,
  number: number,
  from: DropTarget,
  to: DropTarget,
): Promise<boolean> {
  const neighbours = [from, to].flatMap(({ beside }) => beside?.number ?? [])
  // Without a network the card at least moves to the column.
  await loadMissingTasks(context.project.id, neighbours).catch(() => undefined)
  return moveTask(context, view, number, from, to)
}
