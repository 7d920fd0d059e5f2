import { showToast } from '../../../data/app/toasts.ts'
import type { BulkRejection } from '../../../data/mutations/bulk-change.ts'
import { getCompletedStatus } from '../../../data/tasks/task-patch.ts'
import { bulkChangeMessages } from '../../../messages/tasks/bulk-changes.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { Button } from '../../../ui/form/button.tsx'
import { openDialog } from '../../../ui/overlays/dialog.tsx'
import { findTaskByNumber, runCommand } from '../commands/run-command.tsx'
import * as commands from '../commands/task-commands.ts'
import type { ProjectList } from '../grouping/project-list.ts'
import { openFieldPicker } from '../lazy/with-deferred.ts'
import { useProjectPageContext } from '../project-page-context.ts'
import { useSelectedNumbers } from '../selection/list-selection.ts'
import { BulkActions } from './bulk-actions.tsx'

/** The bar of actions on the selected tasks of a project; it replaces the filter bar. */
export function BulkBar({ list }: { list: ProjectList | undefined }) {
  const context = useProjectPageContext()
  const { selection, project, locked } = context
  const selected = useSelectedNumbers(selection)
  if (selected.size === 0) return null
  const numbers = [...selected]
  // A screen may show only some tasks of the view: the calendar those of a month.
  const { total, groups } = list ?? { total: 0, groups: [] }
  const done = getCompletedStatus(project)
  const complete = () => done && runCommand(context, numbers, commands.setStatus(context, done))
  const undeletable = numbers.flatMap((number) => {
    const task = findTaskByNumber(context, number)
    return (task && context.undeletable(task)) ?? []
  })[0]
  const remove = () => {
    runCommand(context, numbers, commands.deleteTasks(context))
    selection.select([])
  }
  return (
    <BulkActions
      count={selected.size}
      all={
        selected.size < total
          ? {
              label: bulkChangeMessages.selectAll(total),
              run: () => selection.select(groups.flatMap((group) => group.numbers)),
            }
          : undefined
      }
      locked={locked}
      undeletable={undeletable}
      open={(field, anchor) => openFieldPicker(context, field, numbers, anchor)}
      complete={complete}
      remove={remove}
      clear={() => selection.select([])}
    />
  )
}

/** Shows how many tasks a bulk change or its undo has left as they are, and on demand why. */
export function showBulkRejections(refused: readonly BulkRejection[], isUndo: boolean): void {
  const isOnlyConflicts = refused.every(({ isConflict }) => isConflict)
  const text =
    isUndo && isOnlyConflicts
      ? bulkChangeMessages.notUndone(refused.length)
      : bulkChangeMessages.refused(refused.length)
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
