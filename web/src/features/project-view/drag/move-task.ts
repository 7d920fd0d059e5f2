import { showToast } from '../../../data/app/toasts.ts'
import { changeTask } from '../../../data/tasks/change-task.ts'
import type { Task, TaskPatch } from '../../../data/tasks/task-patch.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { announce } from '../../../ui/feedback/announce.ts'
import { findTaskByNumber } from '../commands/run-command.tsx'
import type { NestedTask } from '../grouping/nest-subtasks.ts'
import { patchIntoGroup } from '../grouping/task-groups.ts'
import { getCellLabel } from '../grouping/task-sections.ts'
import type { ListLayout } from '../layout/list-layout.ts'
import type { ProjectPageContext } from '../project-page-context.ts'
import type { ProjectView } from '../project-view.ts'
import { type DropTarget, dropTargetOf } from './drop-target.ts'

/** Moves a task to another place or group by hand, with undo; returns whether it has moved. */
export function moveTask(
  context: ProjectPageContext,
  view: ProjectView,
  number: number,
  from: DropTarget,
  to: DropTarget,
): boolean {
  const task = findTaskByNumber(context, number)
  if (!task) return false
  const { locked } = context
  const patch = locked === undefined ? buildMovePatch(context, view, task, from, to) : undefined
  if (!patch) {
    const isReorder = from.key === to.key && view.sort !== 'position'
    const { sortedReason, noPlace } = projectViewMessages
    showToast({ text: locked ?? (isReorder ? sortedReason : noPlace) })
    return false
  }
  const undoPatch = buildMovePatch(context, view, { ...task, ...patch } as Task, to, from)
  if (context.selection.cursor === number) context.selection.place = null
  const groupLabel = from.key === to.key ? undefined : getCellLabel(context, view, to.key)
  const text = groupLabel
    ? projectViewMessages.moved(task.short_id, groupLabel)
    : projectViewMessages.reordered(task.short_id)
  if (undoPatch) changeTask(task.id, patch, { label: text, inverse: undoPatch })
  else {
    changeTask(task.id, patch)
    showToast({ text })
  }
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
  const beside =
    to.beside && isManualOrder ? findTaskByNumber(context, to.beside.number) : undefined
  if (!beside && Object.keys(groupPatch).length === 0) return undefined
  return {
    ...groupPatch,
    ...(beside && (to.beside?.after ? { after_id: beside.id } : { before_id: beside.id })),
  }
}

/**
 * Moves the task of a row up or down by one place among tasks of its depth, or into the next group
 * that is not folded, and announces it to screen readers.
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
  const { number } = line
  const isManualOrder = view.sort === 'position'
  if (!isManualOrder && layout.sectionsPerRow === 1) {
    showToast({ text: projectViewMessages.sortedReason })
    return
  }
  const at = layout.sectionAt(index)
  const beside = isManualOrder ? findNeighbour(section.lines, number, by) : undefined
  const from = dropTargetOf(section, number)
  if (beside) {
    const place = { number: beside.number, after: by > 0 }
    if (moveTask(context, view, number, from, { key: section.key, beside: place }))
      announceMove(context, number, beside.number, by)
    return
  }
  const step = by * layout.sectionsPerRow
  let other = layout.sections[at + step]
  for (let next = at + step; other?.folded; other = layout.sections[next]) next += step
  if (!other || !layout.hasHeaders) return
  const edge = by > 0 ? other.lines[0] : other.lines.at(-1)
  const target = { key: other.key, beside: edge && { number: edge.number, after: by < 0 } }
  if (moveTask(context, view, number, from, target))
    announce(projectViewMessages.moved(`${context.project.prefix}-${number}`, other.label))
}

/** The next task of the same depth, with no shallower one between. Subtasks are skipped. */
function findNeighbour(
  lines: readonly NestedTask[],
  number: number,
  by: -1 | 1,
): NestedTask | undefined {
  const at = lines.findIndex((line) => line.number === number)
  const depth = lines[at]?.depth ?? 0
  for (let next = at + by; lines[next]; next += by) {
    const line = lines[next]
    if (!line || line.depth < depth) return undefined
    if (line.depth === depth) return line
  }
  return undefined
}

function announceMove(
  context: ProjectPageContext,
  number: number,
  other: number,
  by: -1 | 1,
): void {
  const shortId = (one: number) => `${context.project.prefix}-${one}`
  announce(
    by < 0
      ? projectViewMessages.movedUp(shortId(number), shortId(other))
      : projectViewMessages.movedDown(shortId(number), shortId(other)),
  )
}
