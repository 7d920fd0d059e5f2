import type { ReactNode } from 'react'
import { getPeople } from '../../../data/session/boot.ts'
import { getStatusName, isTaskFinished, type Task } from '../../../data/tasks/task-patch.ts'
import { formatDuration } from '../../../lib/dates/duration.ts'
import { formatDay } from '../../../lib/dates/plain-date.ts'
import { AvatarGroup } from '../../../ui/marks/avatar.tsx'
import { DueDate } from '../../../ui/marks/due-date.tsx'
import { FormattedInstant } from '../../../ui/marks/formatted-instant.tsx'
import { PriorityMark } from '../../../ui/marks/priority-mark.tsx'
import { TagLabel } from '../../../ui/marks/tag-label.tsx'
import { type ColumnId, getColumn, getColumnClass } from '../../property-definitions.ts'
import type { ProjectPageContext } from '../project-page-context.ts'

interface TaskCellProps {
  id: ColumnId
  task: Task
  context: ProjectPageContext
}

/**
 * Renders a cell of a row, besides its id and title. No component of its own, because of those a
 * list that scrolls has to make some hundred in a frame.
 */
export const renderTaskCell = ({ id, task, context }: TaskCellProps) => (
  <div key={id} className={getColumnClass(id)} role="gridcell" data-field={getColumn(id)?.picker}>
    {renderContent(id, task, context)}
  </div>
)

function renderContent(id: ColumnId, task: Task, context: ProjectPageContext): ReactNode {
  switch (id) {
    case 'project':
      return context.projectOf(task)?.name
    case 'tags':
      return renderTaskTags(task, context)
    case 'time':
      return renderTimeSpent(task)
    case 'start':
      return task.start_date && formatDay(task.start_date)
    case 'due':
      return <DueDate date={task.due_date} at={task.due_at} finished={isTaskFinished(task)} />
    case 'priority':
      return <PriorityMark priority={task.priority} />
    case 'who':
      return renderTaskAssignees(task, context)
    case 'status':
      return getStatusName(context.projectOf(task), task.status)
    case 'created':
      return <FormattedInstant at={task.created_at} style="gutter" />
    case 'updated':
      return <FormattedInstant at={task.updated_at} style="gutter" />
    default:
      return getColumn(id)?.format?.(task)
  }
}

export const renderTaskTags = (task: Task, context: ProjectPageContext): ReactNode =>
  task.tag_ids.map((tag_id) => {
    const tag = context.tagOf(tag_id)
    return tag && <TagLabel key={tag_id} name={tag.name} color={tag.color} />
  })

export function renderTaskAssignees(task: Task, context: ProjectPageContext): ReactNode {
  const { boot, hasOnlyOwnTasks, me } = context
  const ids = hasOnlyOwnTasks ? task.assignee_ids.filter((id) => id !== me) : task.assignee_ids
  if (ids.length === 0) return null
  return <AvatarGroup people={getPeople(boot, ids)} most={2} />
}

function renderTimeSpent({
  time_spent_seconds: spent,
  estimate_seconds: estimate,
}: Task): ReactNode {
  if (estimate === null) return spent > 0 ? <b>{formatDuration(spent)}</b> : null
  if (spent === 0) return formatDuration(estimate)
  return (
    <>
      <b className={spent > estimate ? 'over' : undefined}>{formatDuration(spent)}</b>
      {` / ${formatDuration(estimate)}`}
    </>
  )
}
