import type { ReactNode } from 'react'
import { getPeople } from '../../../data/session/boot.ts'
import { getStatusName, isTaskFinished, type Task } from '../../../data/tasks/task-patch.ts'
import { formatDuration } from '../../../lib/dates/duration.ts'
import { formatDay } from '../../../lib/dates/plain-date.ts'
import { uiMessages } from '../../../messages/app/ui.ts'
import { AvatarGroup } from '../../../ui/marks/avatar.tsx'
import { DueDate } from '../../../ui/marks/due-date.tsx'
import { FormattedInstant } from '../../../ui/marks/formatted-instant.tsx'
import { PriorityMark } from '../../../ui/marks/priority-mark.tsx'
import { TagLabel } from '../../../ui/marks/tag-label.tsx'
import { type ColumnId, getColumn, getColumnClass } from '../../property-definitions.ts'
import type { ProjectPageContext } from '../project-page-context.ts'
import { countFittingTags } from './tag-widths.ts'

interface TaskCellProps {
  id: ColumnId
  task: Task
  context: ProjectPageContext
  /** The width of the column of tags, px, if it is known. */
  tagsWidth: number | undefined
}

/**
 * Renders a cell of a row, besides its id and title. No component of its own, because of those a
 * list that scrolls has to make some hundred in a frame.
 */
export const renderTaskCell = ({ id, task, context, tagsWidth }: TaskCellProps) => (
  <div key={id} className={getColumnClass(id)} role="gridcell" data-field={getColumn(id)?.picker}>
    {id === 'tags' ? renderTaskTags(task, context, tagsWidth) : renderContent(id, task, context)}
  </div>
)

function renderContent(id: ColumnId, task: Task, context: ProjectPageContext): ReactNode {
  switch (id) {
    case 'project':
      return context.projectOf(task)?.name
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

/** The tags of a task; of those that have no room in a width, the number. */
export function renderTaskTags(
  { tag_ids }: Task,
  { tagOf }: ProjectPageContext,
  width?: number,
): ReactNode {
  const tags = tag_ids.flatMap((id) => tagOf(id) ?? [])
  const count = width ? countFittingTags(tags, width) : tags.length
  const rest = tags.slice(count).map(({ name }) => name)
  return (
    <>
      {tags.slice(0, count).map(({ id, name, color }) => (
        <TagLabel key={id} name={name} color={color} />
      ))}
      {rest.length > 0 && (
        <span className="quiet" title={rest.join(', ')}>
          <span aria-hidden="true">{uiMessages.more(rest.length)}</span>
          <span className="sr">{rest.join(', ')}</span>
        </span>
      )}
    </>
  )
}

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
