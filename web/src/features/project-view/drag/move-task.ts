import { showToast } from '../../../data/app/toasts.ts'
import { changeTask } from '../../../data/tasks/change-task.ts'
import type { Task, TaskPatch } from '../../../data/tasks/task-patch.ts'
import { getCachedTask } from '../../../data/tasks/task-store.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { announce } from '../../../ui/feedback/announce.ts'
import type { NestedTask } from '../grouping/nest-subtasks.ts'
import { patchIntoGroup } from '../grouping/task-groups.ts'
import { getCellLabel } from '../grouping/task-sections.ts'
import type { ListLayout } from '../layout/list-layout.ts'
import type { ProjectPageContext } from '../project-page-context.ts'
import type { ProjectView } from '../project-view.ts'
import { moveDueDate } from '../schedule/move-due-date.ts'
import { type DropTarget, dropTargetOf } from './drop-target.ts'

/** Moves a task to another place or group by hand, with undo; returns whether it has moved. */
export function moveTask(
  context: ProjectPageContext,
  view: ProjectView,
  id: string,
  from: DropTarget,
  to: DropTarget,
): boolean {
  const task = getCachedTask(id)
  if (!task) return false
  const { locked } = context
  const patch = locked === undefined ? buildMovePatch(context, view, task, from, to) : undefined
  if (!patch) {
    const isReorder = from.key === to.key && view.sort !== 'position'
    const { sortedReason, noPlace } = projectViewMessages
    showToast({ text: locked ?? (isReorder ? sortedReason : noPlace) })
    return false
  }
  if (context.selection.cursor === id) context.selection.place = null
  const groupLabel = from.key === to.key ? undefined : getCellLabel(context, view, to.key)
  const text = groupLabel
    ? projectViewMessages.moved(task.short_id, groupLabel)
    : projectViewMessages.reordered(task.short_id)
  changeTask(task.id, patch, { label: text })
  return true
}

function buildMovePatch(
  context: ProjectPageContext,
  view: ProjectView,
  task: Task,
  from: DropTarget,
  to: DropTarget,
): TaskPatch | undefined {
  const groupPatch = patchIntoGroup(view, to.key, context.filterContext.today, {
    task,
    key: from.key,
  })
  if (!groupPatch) return undefined
  const isManualOrder = view.sort === 'position'
  const beside = to.beside && isManualOrder ? getCachedTask(to.beside.id) : undefined
  if (!beside && Object.keys(groupPatch).length === 0) return undefined
  const { due_date } = groupPatch
  return {
    ...groupPatch,
    // A task that is moved to another day keeps its time.
    ...(due_date && moveDueDate(task, due_date, context.boot.session.workspace.timezone)),
    ...(beside && (to.beside?.after ? { after_id: beside.id } : { before_id: beside.id })),
  }
}

/**
 * Moves the task of a row up or down by one place among tasks of its depth, or into the next group
 * that can take it and is not folded, and announces it to screen readers.
 */
export function moveTaskBy(
  context: ProjectPageContext,
  view: ProjectView,
  layout: ListLayout,
  index: number,
  by: -1 | 1,
): void {
  const item = layout.itemAt(index)
  if (item?.kind !== 'task') return
  const { section, line } = item
  const { id } = line
  const task = getCachedTask(id)
  if (!task) return
  const isManualOrder = view.sort === 'position'
  if (!isManualOrder && layout.sectionsPerRow === 1 && view.group !== 'day') {
    showToast({ text: projectViewMessages.sortedReason })
    return
  }
  const at = layout.sectionAt(index)
  const beside = isManualOrder ? findNeighbour(section.lines, id, by) : undefined
  const from = dropTargetOf(section, id)
  if (beside) {
    const place = { id: beside.id, after: by > 0 }
    if (moveTask(context, view, id, from, { key: section.key, beside: place }))
      announceMove(id, beside.id, by)
    return
  }
  const step = by * layout.sectionsPerRow
  const others = layout.sections.filter(
    ({ folded }, index) => !folded && (index - at) % step === 0 && (index - at) / step > 0,
  )
  if (by < 0) others.reverse()
  // "Later" is no day: what is planned from below it goes on to the last one.
  const { today } = context.filterContext
  const other =
    others.find(({ key }) => patchIntoGroup(view, key, today, { task, key: section.key })) ??
    others[0]
  if (!other || !layout.hasHeaders) return
  const edge = by > 0 ? other.lines[0] : other.lines.at(-1)
  const target = { key: other.key, beside: edge && { id: edge.id, after: by < 0 } }
  if (moveTask(context, view, id, from, target))
    announce(projectViewMessages.moved(getShortId(id), other.label))
}

/** The next task of the same depth, with no shallower one between. Subtasks are skipped. */
function findNeighbour(
  lines: readonly NestedTask[],
  id: string,
  by: -1 | 1,
): NestedTask | undefined {
  const at = lines.findIndex((line) => line.id === id)
  const depth = lines[at]?.depth ?? 0
  for (let next = at + by; lines[next]; next += by) {
    const line = lines[next]
    if (!line || line.depth < depth) return undefined
    if (line.depth === depth) return line
  }
  return undefined
}

const getShortId = (id: string): string => getCachedTask(id)?.short_id ?? ''

function announceMove(id: string, other: string, by: -1 | 1): void {
  announce(
    by < 0
      ? projectViewMessages.movedUp(getShortId(id), getShortId(other))
      : projectViewMessages.movedDown(getShortId(id), getShortId(other)),
  )
}
