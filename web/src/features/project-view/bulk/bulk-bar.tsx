import { getCompletedStatus } from '../../../data/tasks/task-patch.ts'
import { bulkChangeMessages } from '../../../messages/tasks/bulk-changes.ts'
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
