import { useNavigate, useSearch } from '@tanstack/react-router'
import { type MouseEvent, memo, type ReactNode } from 'react'
import { showToast } from '../../data/app/toasts.ts'
import { getPeople, useBoot, useProject } from '../../data/session/boot.ts'
import { changeTask, completeTaskAs } from '../../data/tasks/change-task.ts'
import { getCompletedStatus, getStatusName, isTaskFinished } from '../../data/tasks/task-patch.ts'
import { getTaskPath } from '../../data/tasks/task-path.ts'
import { useTask } from '../../data/tasks/task-store.ts'
import { isPlainClick } from '../../lib/browser/is-plain-click.ts'
import { myWorkMessages } from '../../messages/tasks/my-work.ts'
import { projectViewMessages } from '../../messages/tasks/project-view.ts'
import { useProgressiveRow } from '../../ui/layout/use-progressive-row.ts'
import { AvatarGroup } from '../../ui/marks/avatar.tsx'
import { DueDate } from '../../ui/marks/due-date.tsx'
import { PriorityMark } from '../../ui/marks/priority-mark.tsx'
import { ShortId } from '../../ui/marks/short-id.tsx'
import { StatusButton } from '../../ui/marks/status-mark.tsx'
import { getTaskMark } from '../../ui/marks/status-mark-name.ts'
import { BlockedBadge, TitleField } from '../project-view/index.ts'
import { getLockReason, openCrossProjectPicker } from './cross-project-commands.ts'
import { useTaskSelection } from './cross-project-selection.ts'

interface CrossProjectTaskRowProps {
  id: string
  /** Replaces the title, for instance with search matches highlighted. */
  title?: ReactNode
  /** The id of a comment that the task opens at. */
  hash?: string
  /** Shown under the title, such as a search snippet. */
  children?: ReactNode
}

/** A task in a list over several projects. It opens in the side panel and is completed in place. */
export const CrossProjectTaskRow = memo(function CrossProjectRow({
  id,
  title,
  hash,
  children,
}: CrossProjectTaskRowProps) {
  const task = useTask(id)
  const project = useProject(task?.project_id)
  const boot = useBoot('session', 'projects', 'members', 'former')
  const selection = useTaskSelection(id)
  const isFull = useProgressiveRow(task !== undefined)
  if (!task) return null
  const mark = getTaskMark(project, task)
  const name = getStatusName(project, task.status)
  const finished = isTaskFinished(task)
  const locked = getLockReason(boot, [task])
  return (
    <div className="row" data-s={mark} data-selected={selection?.isSelected || undefined}>
      <span className="gut">
        {selection && isFull && (
          <label>
            <input
              type="checkbox"
              tabIndex={-1}
              checked={selection.isSelected}
              aria-label={myWorkMessages.select(task.short_id)}
              onChange={({ nativeEvent }) =>
                selection.toggle(nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)
              }
            />
          </label>
        )}
        <OpenTaskLink className="no" shortId={task.short_id} {...(hash && { hash })}>
          <ShortId id={task.short_id} />
        </OpenTaskLink>
      </span>
      <span className="what">
        {isFull ? (
          <StatusButton
            mark={mark}
            of={task.short_id}
            label={myWorkMessages.toggle(name, task.short_id)}
            aria-disabled={locked !== undefined}
            title={locked}
            onClick={() => toggleCompleted(task.id, finished, getCompletedStatus(project))}
          />
        ) : (
          <span className="st" />
        )}
        {selection?.isEdited ? (
          <TitleField task={task} onEnd={selection.endEdit} />
        ) : (
          <OpenTaskLink className="title" shortId={task.short_id} {...(hash && { hash })}>
            {title ?? task.title}
          </OpenTaskLink>
        )}
        {isFull && <BlockedBadge task={task} />}
        {children}
      </span>
      {isFull && (
        <>
          <span className="quiet only-wide clip">{project?.name}</span>
          <button
            type="button"
            className="when"
            tabIndex={-1}
            data-field="due"
            onClick={({ currentTarget }) =>
              void openCrossProjectPicker(boot, [task], 'due', currentTarget)
            }
          >
            <span className="sr">{`${projectViewMessages.properties.due}: ${task.short_id}`}</span>
            <DueDate date={task.due_date} at={task.due_at} finished={finished} />
          </button>
          <span className="prio">
            <PriorityMark priority={task.priority} />
          </span>
          <span className="people">
            <AvatarGroup people={getPeople(boot, task.assignee_ids)} />
          </span>
        </>
      )}
    </div>
  )

  function toggleCompleted(
    task_id: string,
    isFinished: boolean,
    completedStatus: string | undefined,
  ): void {
    if (locked !== undefined) {
      showToast({ text: locked })
      return
    }
    const status = project?.statuses.find(({ category }) => category === 'unstarted')?.key
    if (!isFinished && completedStatus)
      completeTaskAs(task_id, completedStatus, {
        label: myWorkMessages.completed(task?.short_id ?? ''),
      })
    else if (isFinished && status)
      changeTask(task_id, { status }, { label: myWorkMessages.reopened(task?.short_id ?? '') })
  }
})

/** A link that opens a task in the side panel, and its page in another tab. */
export function OpenTaskLink({
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
  const { session } = useBoot('session')
  const navigate = useNavigate()
  const isOpen = useSearch({
    strict: false,
    select: ({ task }) => task?.toUpperCase() === shortId,
  })
  const handleClick = (event: MouseEvent) => {
    onOpen?.()
    if (!isPlainClick(event)) return
    event.preventDefault()
    // Stays on the current screen.
    const search = (current: object) => ({ ...current, task: shortId })
    void navigate({ to: '.', search, ...(hash && { hash }) })
  }
  return (
    // A link of the router would compute its address again whenever its row shows another task.
    <a
      href={getTaskPath(session.workspace.id, shortId) + (hash ? `#${hash}` : '')}
      className={className}
      data-open={shortId}
      aria-current={isOpen || undefined}
      onClick={handleClick}
    >
      {children}
    </a>
  )
}
