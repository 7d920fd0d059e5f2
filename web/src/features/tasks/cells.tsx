import { isFinished, type Task } from '../../data/task-view.ts'
import { clockOf } from '../../lib/duration.ts'
import { Due } from '../../ui/due.tsx'
import { Moment } from '../../ui/moment.tsx'
import { People } from '../../ui/person.tsx'
import { PriorityMark } from '../../ui/priority-mark.tsx'
import { Tag } from '../../ui/tag.tsx'
import { classOf } from './column-heads.tsx'
import type { ColumnId } from './columns.ts'
import type { Screen } from './screen.ts'

/** What a press on the cell of a column changes. */
const FIELDS: Partial<Record<ColumnId, string>> = {
  status: 'status',
  tags: 'tags',
  time: 'estimate',
  estimate: 'estimate',
  due: 'due',
  priority: 'priority',
  who: 'assignees',
}

interface Props {
  id: ColumnId
  task: Task
  screen: Screen
}

/** One cell of a row beside number and title. */
export const Cell = ({ id, task, screen }: Props) => (
  <div className={classOf(id)} role="gridcell" data-field={FIELDS[id]}>
    <Content id={id} task={task} screen={screen} />
  </div>
)

function Content({ id, task, screen }: Props) {
  switch (id) {
    case 'tags':
      return <TagsOf task={task} screen={screen} />
    case 'time':
      return <Time task={task} />
    case 'estimate':
      return task.estimate_seconds === null ? null : clockOf(task.estimate_seconds)
    case 'due':
      return <Due date={task.due_date} at={task.due_at} finished={isFinished(task)} />
    case 'priority':
      return <PriorityMark priority={task.priority} />
    case 'who':
      return <PeopleOf task={task} screen={screen} />
    case 'status':
      return screen.project.statuses.find(({ key }) => key === task.status)?.name ?? task.status
    case 'created':
      return <Moment at={task.created_at} style="gutter" />
    case 'updated':
      return <Moment at={task.updated_at} style="gutter" />
  }
}

export function TagsOf({ task, screen }: Omit<Props, 'id'>) {
  return task.tag_ids.map((tag_id) => {
    const tag = screen.tagOf(tag_id)
    return tag && <Tag key={tag_id} name={tag.name} color={tag.color} />
  })
}

export function PeopleOf({ task, screen }: Omit<Props, 'id'>) {
  if (task.assignee_ids.length === 0) return null
  const people = task.assignee_ids.map((id) => ({
    ...{ id, name: screen.nameOf(id) },
    me: id === screen.me,
  }))
  return <People people={people} most={2} />
}

function Time({ task: { time_spent_seconds: spent, estimate_seconds: estimate } }: { task: Task }) {
  if (estimate === null) return spent > 0 ? <b>{clockOf(spent)}</b> : null
  if (spent === 0) return clockOf(estimate)
  return (
    <>
      <b className={spent > estimate ? 'over' : undefined}>{clockOf(spent)}</b>
      {` / ${clockOf(estimate)}`}
    </>
  )
}
