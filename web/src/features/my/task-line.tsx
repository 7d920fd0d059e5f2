import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { nameOf, useBoot, useProject } from '../../data/boot.ts'
import { useTask } from '../../data/task-store.ts'
import { completing } from '../../data/task-view.ts'
import { changeTask, completeTasks } from '../../data/task-writes.ts'
import { m } from '../../messages/my.ts'
import { Due } from '../../ui/due.tsx'
import { Icon } from '../../ui/icon.tsx'
import { People } from '../../ui/person.tsx'
import { PriorityMark } from '../../ui/priority-mark.tsx'
import { ShortId } from '../../ui/short-id.tsx'
import { stampOf } from '../../ui/stamp.ts'
import { StatusButton } from '../../ui/status-mark.tsx'
import { usePick } from './picked.ts'

interface Props {
  id: string
  /** The title with what was found in it. */
  title?: ReactNode
  /** A place in the task that it opens at: the id of a comment. */
  hash?: string
  /** Under the title: a snippet of what was found. */
  children?: ReactNode
}

/** One task in a short list over several projects: opens beside it, is completed in place. */
export function TaskLine({ id, title, hash, children }: Props) {
  const task = useTask(id)
  const project = useProject(task?.project_id)
  const boot = useBoot()
  const pick = usePick(id)
  if (!task) return null
  const me = boot.session.user.id
  const mark = stampOf(project?.statuses, task.status, task.status_category)
  const name = project?.statuses.find(({ key }) => key === task.status)?.name ?? task.status
  const finished = task.status_category === 'completed' || task.status_category === 'canceled'
  const people = task.assignee_ids.map((one) => ({
    id: one,
    name: nameOf(boot, one),
    me: one === me,
  }))
  return (
    <li
      className="row"
      data-s={mark}
      data-task={task.id}
      data-selected={pick?.isPicked || undefined}
    >
      <span className="gut">
        {pick && (
          <label>
            <input
              type="checkbox"
              tabIndex={-1}
              checked={pick.isPicked}
              aria-label={m.select(task.short_id)}
              onChange={({ nativeEvent }) =>
                pick.pick(nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)
              }
            />
          </label>
        )}
        <OpenTask className="no" shortId={task.short_id} {...(hash && { hash })}>
          <ShortId id={task.short_id} />
        </OpenTask>
      </span>
      <span className="what">
        <StatusButton
          mark={mark}
          label={m.toggle(name, task.short_id)}
          onClick={() => toggle(task.id, finished, completing(project))}
        />
        <OpenTask className="title" shortId={task.short_id} {...(hash && { hash })}>
          {title ?? task.title}
        </OpenTask>
        {task.blocked_by_ids.length > 0 && !finished && (
          <span className="mini blocked">
            <Icon name="block" label={m.blocked} />
          </span>
        )}
        {children}
      </span>
      <span className="quiet only-wide clip">{project?.name}</span>
      <span className="when">
        <Due date={task.due_date} at={task.due_at} finished={finished} />
      </span>
      <span className="prio">
        <PriorityMark priority={task.priority} />
      </span>
      <span className="people">
        <People people={people} />
      </span>
    </li>
  )

  function toggle(task_id: string, done: boolean, into: string | undefined): void {
    const status = project?.statuses.find(({ category }) => category === 'unstarted')?.key
    if (!done && into) completeTasks(task_id, into, { label: m.completed(task?.short_id ?? '') })
    else if (done && status)
      changeTask(task_id, { status }, { label: m.reopened(task?.short_id ?? '') })
  }
}

/** A link that opens a task beside the screen. */
export function OpenTask({
  shortId,
  className,
  hash,
  onOpen,
  children,
}: {
  shortId: string
  className: string
  hash?: string
  onOpen?: () => void
  children: ReactNode
}) {
  return (
    <Link
      // Of whatever screen shows it.
      to="."
      search={(now: object) => ({ ...now, task: shortId })}
      {...(hash && { hash })}
      className={className}
      data-open={shortId}
      {...(onOpen && { onClick: onOpen })}
    >
      {children}
    </Link>
  )
}
