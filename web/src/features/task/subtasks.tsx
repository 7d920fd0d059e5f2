import { type KeyboardEvent, useEffect, useMemo, useRef } from 'react'
import { nameOf, useBoot, useProject } from '../../data/boot.ts'
import { useSubtaskIds } from '../../data/one-task.ts'
import { tasksUnder, useTask, useTasksRevision } from '../../data/task-store.ts'
import type { Task } from '../../data/task-view.ts'
import { compare } from '../../lib/compare.ts'
import { m } from '../../messages/task.ts'
import { IconButton } from '../../ui/button.tsx'
import { Due } from '../../ui/due.tsx'
import { People } from '../../ui/person.tsx'
import { ShortId } from '../../ui/short-id.tsx'
import { stampOf } from '../../ui/stamp.ts'
import { StatusButton } from '../../ui/status-mark.tsx'
import { NewSubtask } from './new-subtask.tsx'
import { useOpenTask } from './open-task.ts'
import { useRights } from './rights.ts'
import { Section } from './section.tsx'
import { isFinished, statusName, toggleComplete } from './status-pick.tsx'
import { moveSubtask } from './subtask-order.ts'
import { TaskLink } from './task-link.tsx'

/** The subtasks in their order: completed, moved, opened; and a line for one more. */
export function Subtasks() {
  const { task } = useOpenTask()
  const subtasks = useSubtasks(task)
  const done = subtasks.filter(({ status_category }) => status_category === 'completed').length
  const list = useRef<HTMLUListElement>(null)
  const moved = useRef<string>(undefined)
  const order = subtasks.map(({ id }) => id).join()
  const before = useRef(order)
  // A row that changes its place loses the focus: it is given back.
  useEffect(() => {
    if (before.current === order) return
    before.current = order
    if (moved.current) focusOn(list.current, moved.current)
    moved.current = undefined
  }, [order])
  const move = (id: string, by: -1 | 1) => {
    moved.current = id
    moveSubtask(subtasks, id, by)
  }
  return (
    <Section
      name="subtasks"
      title={m.subtasks}
      gutter={subtasks.length > 0 ? m.subtaskCount(done, subtasks.length) : ''}
    >
      {subtasks.length > 0 && (
        <ul className="sub list" ref={list}>
          {subtasks.map(({ id }, at) => (
            <Subtask
              key={id}
              id={id}
              up={at > 0 ? () => move(id, -1) : undefined}
              down={at < subtasks.length - 1 ? () => move(id, 1) : undefined}
            />
          ))}
        </ul>
      )}
      <NewSubtask />
    </Section>
  )
}

/** Those that are known to be under the task by now, in order; those being made, too. */
function useSubtasks(task: Task): Task[] {
  useSubtaskIds(task)
  const revision = useTasksRevision()
  return useMemo(() => {
    const known = revision >= 0 ? tasksUnder(task.id) : []
    return known.toSorted((a, b) => compare(a.position, b.position))
  }, [task.id, revision])
}

const focusOn = (list: HTMLElement | null, id: string) =>
  list?.querySelector<HTMLElement>(`[data-task="${id}"] .title`)?.focus()

interface RowProps {
  id: string
  up: (() => void) | undefined
  down: (() => void) | undefined
}

function Subtask({ id, up, down }: RowProps) {
  const task = useTask(id)
  const project = useProject(task?.project_id)
  const boot = useBoot()
  const { go } = useOpenTask()
  const { write } = useRights()
  if (!task) return null
  const { short_id } = task
  const mark = stampOf(project?.statuses, task.status, task.status_category)
  const people = task.assignee_ids.map((one) => ({
    ...{ id: one, name: nameOf(boot, one), me: one === boot.session.user.id },
  }))
  const onKeyDown = (event: KeyboardEvent) => {
    const act = { ArrowUp: up, ArrowDown: down }[event.key]
    if (!event.altKey || !act) return
    event.preventDefault()
    event.stopPropagation()
    act()
  }
  return (
    <li className="row" data-s={mark} data-task={id} onKeyDown={onKeyDown}>
      <span className="gut">
        <TaskLink className="no" shortId={short_id} onGo={go}>
          <ShortId id={short_id} />
        </TaskLink>
      </span>
      <span className="what">
        <StatusButton
          mark={mark}
          label={m.changeStatus(statusName(task, project), short_id)}
          aria-disabled={write !== undefined || undefined}
          title={write}
          onClick={() => write === undefined && toggleComplete(task, project)}
        />
        <TaskLink className="title" shortId={short_id} onGo={go}>
          {task.title}
        </TaskLink>
      </span>
      <span className="when">
        <Due date={task.due_date} at={task.due_at} finished={isFinished(task)} />
      </span>
      <span className="people">
        <span className="order">
          {up && (
            <IconButton icon="up" label={`${m.moveUp}: ${short_id}`} reason={write} onClick={up} />
          )}
          {down && (
            <IconButton
              icon="down"
              label={`${m.moveDown}: ${short_id}`}
              reason={write}
              onClick={down}
            />
          )}
        </span>
        <People people={people} />
      </span>
    </li>
  )
}
