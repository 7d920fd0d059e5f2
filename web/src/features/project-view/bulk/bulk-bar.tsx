import { messages, showToast } from '../../../data/app/toasts.ts'
import {
  type BulkRejection,
  type BulkTarget,
  changeTasksInBulk,
} from '../../../data/mutations/bulk-change.ts'
import { bootState } from '../../../data/session/boot.ts'
import { findTaskIdByNumber, getCachedTask } from '../../../data/tasks/task-store.ts'
import { recordChangeMessages } from '../../../messages/app/record-changes.ts'
import { bulkChangeMessages } from '../../../messages/tasks/bulk-changes.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { Button } from '../../../ui/form/button.tsx'
import { openDialog } from '../../../ui/overlays/dialog.tsx'
import { runCommand } from '../commands/run-command.tsx'
import * as commands from '../commands/task-commands.ts'
import type { ProjectList } from '../grouping/project-list.ts'
import { openFieldPicker } from '../lazy/with-deferred.ts'
import { useProjectPageContext } from '../project-page-context.ts'
import { useSelectedIds } from '../selection/list-selection.ts'
import { BulkActions } from './bulk-actions.tsx'

/** The bar of actions on the selected tasks of a project; it replaces the filter bar. */
export function BulkBar({ list }: { list: ProjectList | undefined }) {
  const context = useProjectPageContext()
  const { selection, locked } = context
  const selected = useSelectedIds(selection)
  if (selected.size === 0) return null
  const ids = [...selected]
  // A screen may show only some tasks of the view: the calendar those of a month.
  const { total, groups } = list ?? { total: 0, groups: [] }
  const complete = () => runCommand(context, ids, commands.completeAll(context.boot))
  const undeletable = ids.flatMap((id) => {
    const task = getCachedTask(id)
    return (task && context.undeletable(task)) ?? []
  })[0]
  const remove = () => {
    runCommand(context, ids, commands.deleteTasks(context))
    selection.select([])
  }
  return (
    <BulkActions
      count={selected.size}
      all={
        selected.size < total
          ? {
              label: bulkChangeMessages.selectAll(total),
              run: () => selection.select(groups.flatMap((group) => group.ids)),
            }
          : undefined
      }
      locked={locked}
      undeletable={undeletable}
      open={(field, anchor) => openFieldPicker(context, field, ids, anchor)}
      complete={complete}
      remove={remove}
      clear={() => selection.select([])}
    />
  )
}

/** Changes many tasks with one undo, and says of how many it was done. */
export function runInBulk(
  targets: readonly BulkTarget[],
  toLabel: (targets: string) => string,
): void {
  const isDeletion = targets[0]?.command.kind === 'delete'
  const subtasks = isDeletion ? countSubtasks(targets) : 0
  const projects = bootState.get()?.projects ?? []
  const names = targets.map(({ project_id }) => projects.find(({ id }) => id === project_id)?.name)
  const place = [...new Set(names)].filter(Boolean).join(', ')
  const formatLabel = (count: number) =>
    [toLabel(projectViewMessages.tasks(count)), place].filter(Boolean).join(' · ')
  const label = formatLabel(targets.reduce((sum, { numbers }) => sum + numbers.length, 0))
  const { undo } = changeTasksInBulk({
    targets,
    label,
    onRejected(refused, changed) {
      correct(changed)
      showBulkRejections(refused)
    },
  })
  const text = subtasks > 0 ? recordChangeMessages.withSubtasks(label, subtasks) : label
  showToast({ text, undo, isOfMany: true, isInTrash: isDeletion })

  /** The message counts the tasks that the server has changed; without any, there is nothing to undo. */
  function correct(changed: number): void {
    const all = messages.get()
    messages.set(
      changed === 0
        ? all.filter((one) => one.undo !== undo)
        : all.map((one) => (one.undo === undo ? { ...one, text: formatLabel(changed) } : one)),
    )
  }
}

/** How many direct subtasks a deletion takes along that are not among its tasks themselves. */
function countSubtasks(targets: readonly BulkTarget[]): number {
  const tasks = targets.flatMap(({ project_id, numbers }) =>
    numbers.flatMap((number) => getCachedTask(findTaskIdByNumber(project_id, number) ?? '') ?? []),
  )
  const ids = new Set<string | null>(tasks.map(({ id }) => id))
  const below = tasks.reduce((sum, { subtask_count }) => sum + subtask_count, 0)
  return below - tasks.filter(({ parent_id }) => ids.has(parent_id)).length
}

/** Shows how many tasks a bulk change has left as they are, and on demand why. */
function showBulkRejections(refused: readonly BulkRejection[]): void {
  const text = bulkChangeMessages.refused(refused.length)
  const run = () =>
    openDialog({
      title: text,
      body: (close) => (
        <>
          <ul className="refusals">
            {refused.map(({ short_id, reason }) => (
              <li key={short_id} className="line">
                <span className="gut">{short_id}</span>
                <span>{reason}</span>
              </li>
            ))}
          </ul>
          <div className="acts dialog-acts">
            <Button kind="primary" onClick={close}>
              {projectViewMessages.close}
            </Button>
          </div>
        </>
      ),
    })
  showToast({ text, tone: 'trouble', action: { label: bulkChangeMessages.why, run } })
}
