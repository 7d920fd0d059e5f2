import { useContext } from 'react'
import type { Task } from '../../../data/task-view.ts'
import { m } from '../../../messages/tasks.ts'
import { MenuButton, type MenuItem } from '../../../ui/menu.tsx'
import { act } from '../act.tsx'
import * as acts from '../acts.ts'
import { cellOf, partsOfCell } from '../groups.ts'
import { useScreen } from '../screen.ts'
import { ColumnsContext } from './columns-context.ts'

/** What can be done with a card: to move it without drawing, first of all. */
export function CardMenu({ task, column }: { task: Task; column: string }) {
  const screen = useScreen()
  const { columns, lanes, move } = useContext(ColumnsContext)
  const here = partsOfCell(column)
  const { locked, undeletable } = screen
  const across: MenuItem[] =
    lanes.length > 0
      ? [
          {
            ...{ id: 'lane', label: m.moveToLane, reason: locked },
            items: lanes.map(({ key, label }) => ({
              ...{ id: key, label, checked: key === here.lane },
              run: () => move(task.number, column, cellOf({ ...here, lane: key })),
            })),
          },
        ]
      : []
  const wish = acts.toggleDone(screen, task)
  return (
    <MenuButton
      icon="dots"
      className="card-menu"
      tabIndex={-1}
      label={m.cardMenu(task.short_id)}
      items={[
        {
          ...{ id: 'move', label: m.moveTo, reason: locked },
          items: columns.map(({ key, label }) => ({
            ...{ id: key, label, checked: key === here.column },
            run: () => move(task.number, column, cellOf({ ...here, column: key })),
          })),
        },
        ...across,
        {
          ...{ id: 'done', label: task.completed_at ? m.reopen : m.complete, reason: locked },
          ...{ icon: 'check' as const, shortcut: 'mod+enter' },
          run: () => wish && act(screen, [task.number], wish),
        },
        {
          ...{ id: 'delete', label: m.delete, danger: true, icon: 'trash' as const, shortcut: '#' },
          reason: locked ?? undeletable(task),
          run: () => act(screen, [task.number], acts.remove(screen)),
        },
      ]}
    />
  )
}
