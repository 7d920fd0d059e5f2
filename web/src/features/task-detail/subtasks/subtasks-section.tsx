import './subtasks.css'
import { type KeyboardEvent, useEffect, useMemo, useRef } from 'react'
import { showToast } from '../../../data/app/toasts.ts'
import { getPeople, useBoot, useProject } from '../../../data/session/boot.ts'
import { changeTask } from '../../../data/tasks/change-task.ts'
import { retryTasks, useHeldProject } from '../../../data/tasks/held-tasks.ts'
import { getStatusName, isTaskFinished, type Task } from '../../../data/tasks/task-patch.ts'
import { getCachedSubtasks, useTask, useTasksRevision } from '../../../data/tasks/task-store.ts'
import { compareText } from '../../../lib/text/compare-text.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { taskDetailMessages } from '../../../messages/tasks/task-detail.ts'
import { announce } from '../../../ui/feedback/announce.ts'
import { ErrorMessage } from '../../../ui/feedback/error-message.tsx'
import { IconButton } from '../../../ui/form/button.tsx'
import { Skeleton } from '../../../ui/layout/skeleton.tsx'
import { AvatarGroup } from '../../../ui/marks/avatar.tsx'
import { DueDate } from '../../../ui/marks/due-date.tsx'
import { ShortId } from '../../../ui/marks/short-id.tsx'
import { StatusButton } from '../../../ui/marks/status-mark.tsx'
import { getTaskMark } from '../../../ui/marks/status-mark-name.ts'
import { DetailSection } from '../detail-section.tsx'
import { TaskLink } from '../links/task-link.tsx'
import { useOpenTask } from '../open-task-context.ts'
import { toggleTaskCompleted } from '../properties/task-status.tsx'
import { useBlockReasons } from '../use-block-reasons.ts'
import { NewSubtaskLine } from './new-subtask-line.tsx'

/** The subtasks in their order, with a field for new ones. */
export function SubtasksSection() {
  const { task } = useOpenTask()
  const { subtasks, isWhole, error } = useSubtasks(task)
  const done = isWhole
    ? subtasks.filter(({ status_category }) => status_category === 'completed').length
    : task.completed_subtask_count
  const count = isWhole ? subtasks.length : task.subtask_count
  const list = useRef<HTMLUListElement>(null)
  const movedId = useRef<string>(undefined)
  const order = subtasks.map(({ id }) => id).join()
  const previousOrder = useRef(order)
  // React moves the row in the DOM, which drops the focus; restore it.
  useEffect(() => {
    if (previousOrder.current === order) return
    previousOrder.current = order
    if (movedId.current) focusSubtask(list.current, movedId.current)
    movedId.current = undefined
  }, [order])
  const move = (id: string, by: -1 | 1) => {
    movedId.current = id
    moveSubtask(subtasks, id, by)
  }
  return (
    <DetailSection
      name="subtasks"
      title={taskDetailMessages.subtasks}
      empty={count === 0 && !error}
      gutter={count > 0 ? projectViewMessages.subtasks(done, count) : ''}
    >
      {error ? (
        <ErrorMessage error={error} onRetry={() => retryTasks(task.project_id)} />
      ) : (
        !isWhole && <Skeleton lines={1} />
      )}
      {subtasks.length > 0 && (
        <ul className="sub list" ref={list}>
          {subtasks.map(({ id }, at) => (
            <SubtaskRow
              key={id}
              id={id}
              up={isWhole && at > 0 ? () => move(id, -1) : undefined}
              down={isWhole && at < subtasks.length - 1 ? () => move(id, 1) : undefined}
            />
          ))}
        </ul>
      )}
      <NewSubtaskLine />
    </DetailSection>
  )
}

/** The subtasks in their order, with those that are still being created. */
function useSubtasks(task: Task) {
  const hasSubtasks = task.subtask_count > 0
  const { isWhole, error } = useHeldProject(hasSubtasks ? task.project_id : undefined)
  const revision = useTasksRevision()
  const subtasks = useMemo(() => {
    const loaded = revision >= 0 ? getCachedSubtasks(task.id) : []
    return loaded.toSorted((a, b) => compareText(a.position, b.position))
  }, [task.id, revision])
  return { subtasks, isWhole: isWhole || !hasSubtasks, error }
}

const focusSubtask = (list: HTMLElement | null, id: string) =>
  list?.querySelector<HTMLElement>(`[data-task="${id}"] .title`)?.focus()

interface SubtaskRowProps {
  id: string
  up: (() => void) | undefined
  down: (() => void) | undefined
}

function SubtaskRow({ id, up, down }: SubtaskRowProps) {
  const task = useTask(id)
  const project = useProject(task?.project_id)
  const boot = useBoot('session', 'members', 'former')
  const { showTask } = useOpenTask()
  const { write } = useBlockReasons()
  if (!task) return null
  const { short_id } = task
  const isSaved = task.number > 0
  const mark = getTaskMark(project, task)
  const onKeyDown = (event: KeyboardEvent) => {
    const moveRow = { ArrowUp: up, ArrowDown: down }[event.key]
    if (!event.altKey || !moveRow) return
    event.preventDefault()
    event.stopPropagation()
    if (write === undefined) moveRow()
    else showToast({ text: write })
  }
  return (
    <li className="row" data-s={mark} data-task={id} onKeyDown={onKeyDown}>
      <span className="gut">
        {isSaved ? (
          <TaskLink className="no" shortId={short_id} onGo={showTask}>
            <ShortId id={short_id} />
          </TaskLink>
        ) : (
          projectViewMessages.coming
        )}
      </span>
      <span className="what">
        <StatusButton
          mark={mark}
          label={taskDetailMessages.changeStatus(getStatusName(project, task.status), short_id)}
          aria-disabled={write !== undefined || undefined}
          title={write}
          onClick={() => write === undefined && toggleTaskCompleted(task, project)}
        />
        {isSaved ? (
          <TaskLink className="title" shortId={short_id} onGo={showTask}>
            {task.title}
          </TaskLink>
        ) : (
          <span className="title">{task.title}</span>
        )}
      </span>
      <span className="when">
        <DueDate date={task.due_date} at={task.due_at} finished={isTaskFinished(task)} />
      </span>
      <span className="people">
        <span className="order">
          {up && (
            <IconButton
              icon="up"
              label={`${projectViewMessages.moveUp}: ${short_id}`}
              reason={write}
              onClick={up}
            />
          )}
          {down && (
            <IconButton
              icon="down"
              label={`${projectViewMessages.moveDown}: ${short_id}`}
              reason={write}
              onClick={down}
            />
          )}
        </span>
        <AvatarGroup people={getPeople(boot, task.assignee_ids)} />
      </span>
    </li>
  )
}

/** Moves a subtask one position up or down and announces the new position. */
function moveSubtask(subtasks: readonly Task[], id: string, step: -1 | 1): void {
  const index = subtasks.findIndex((one) => one.id === id)
  const task = subtasks[index]
  const neighbor = subtasks[index + step]
  if (!task || !neighbor) return
  changeTask(id, step < 0 ? { before_id: neighbor.id } : { after_id: neighbor.id })
  announce(taskDetailMessages.movedTo(task.short_id, index + step + 1, subtasks.length))
}
