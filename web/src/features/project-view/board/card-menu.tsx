import { useContext } from 'react'
import type { Task } from '../../../data/tasks/task-patch.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { viewMessages } from '../../../messages/tasks/views.ts'
import { MenuButton, type MenuItem } from '../../../ui/overlays/menu-button.tsx'
import { runCommand } from '../commands/run-command.tsx'
import * as commands from '../commands/task-commands.ts'
import { formatCellKey, parseCellKey } from '../grouping/task-groups.ts'
import { useProjectPageContext } from '../project-page-context.ts'
import { BoardColumnsContext } from './board-columns-context.ts'

/** The menu of a card, which also moves it without dragging. */
export function CardMenu({ task, column }: { task: Task; column: string }) {
  const context = useProjectPageContext()
  const { columns, lanes, move } = useContext(BoardColumnsContext)
  const cell = parseCellKey(column)
  const { locked, undeletable } = context
  const laneItems: MenuItem[] =
    lanes.length > 0
      ? [
          {
            id: 'lane',
            label: viewMessages.moveToLane,
            reason: locked,
            items: lanes.map(({ key, label }) => ({
              id: key,
              label,
              checked: key === cell.lane,
              run: () => move(task.id, column, formatCellKey({ ...cell, lane: key })),
            })),
          },
        ]
      : []
  const command = commands.toggleCompleted(context, task)
  return (
    <MenuButton
      icon="dots"
      className="card-menu"
      tabIndex={-1}
      label={viewMessages.cardMenu(task.short_id)}
      items={[
        {
          id: 'move',
          label: viewMessages.moveTo,
          reason: locked,
          items: columns.map(({ key, label }) => ({
            id: key,
            label,
            checked: key === cell.column,
            run: () => move(task.id, column, formatCellKey({ ...cell, column: key })),
          })),
        },
        ...laneItems,
        {
          id: 'done',
          label: task.completed_at ? projectViewMessages.reopen : projectViewMessages.complete,
          reason: locked,
          icon: 'check' as const,
          shortcut: 'mod+enter',
          run: () => command && runCommand(context, [task.id], command),
        },
        {
          id: 'delete',
          label: projectViewMessages.delete,
          danger: true,
          icon: 'trash' as const,
          shortcut: '#',
          reason: locked ?? undeletable(task),
          run: () => runCommand(context, [task.id], commands.deleteTasks(context)),
        },
      ]}
    />
  )
}
