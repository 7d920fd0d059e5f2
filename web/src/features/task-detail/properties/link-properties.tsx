import { useMemo, useState } from 'react'
import { useBoot } from '../../../data/session/boot.ts'
import { useLoadTasks } from '../../../data/tasks/task-queries.ts'
import { IconButton } from '../../../ui/form/button.tsx'
import { Icon } from '../../../ui/marks/icon.tsx'
import { PickerButton } from '../../../ui/overlays/picker-button.tsx'
import { createTaskSearch, listCachedTaskOptions, toTaskOption } from '../links/task-options.tsx'
import { setBlockers, setParent } from '../links/update-task-links.ts'
import { useBlockReasons } from '../use-block-reasons.ts'
import { PropertyRow } from './property-row.tsx'
import { useEmptyLabel } from './unset-properties.ts'
import '../links/task-links.css'
import { getCachedTask, useTask, useTasksRevision } from '../../../data/tasks/task-store.ts'
import { taskDetailMessages } from '../../../messages/tasks/task-detail.ts'
import { ShortId } from '../../../ui/marks/short-id.tsx'
import { TaskLink } from '../links/task-link.tsx'
import { useOpenTask } from '../open-task-context.ts'

export function ParentProperty() {
  const { task } = useOpenTask()
  const { projects } = useBoot('projects')
  const { write } = useBlockReasons()
  const [linkError, setLinkError] = useState<string>()
  const emptyLabel = useEmptyLabel(taskDetailMessages.parent)
  useLoadTasks(useMemo(() => (task.parent_id ? [task.parent_id] : []), [task.parent_id]))
  const scope = { projects, project_id: task.project_id, without: [task.id] }
  const saveLinks = async (parent_id: string | null) =>
    setLinkError(await setParent(task, parent_id))
  return (
    <PropertyRow label={taskDetailMessages.parent} fields={['parent_id']}>
      {task.parent_id && <TaskReference id={task.parent_id} />}
      <PickerButton
        className={task.parent_id ? undefined : 'value'}
        data-does="parent"
        label={taskDetailMessages.changeOf(
          taskDetailMessages.parent,
          (task.parent_id && getCachedTask(task.parent_id)?.title) || taskDetailMessages.none,
        )}
        reason={write}
        pick={{
          options: [{ id: '', label: taskDetailMessages.none }, ...listCachedTaskOptions(scope)],
          picked: [task.parent_id ?? ''],
          search: createTaskSearch(scope),
          onPick: ([id]) => void saveLinks(id || null),
        }}
      >
        {task.parent_id ? <Icon name="edit" /> : <span className="quiet">{emptyLabel}</span>}
      </PickerButton>
      <LinkError text={linkError} />
    </PropertyRow>
  )
}

/** The tasks that block this one. */
export function BlockersProperty() {
  const { task } = useOpenTask()
  const { projects } = useBoot('projects')
  const { write } = useBlockReasons()
  const [linkError, setLinkError] = useState<string>()
  const emptyLabel = useEmptyLabel(taskDetailMessages.blockedBy)
  const { blocked_by_ids } = task
  useLoadTasks(blocked_by_ids)
  // They are named once they are loaded.
  useTasksRevision()
  const saveLinks = async (ids: string[]) => setLinkError(await setBlockers(task, ids))
  const scope = { projects, without: [task.id] }
  const blockers = blocked_by_ids.flatMap((id) => getCachedTask(id) ?? [])
  return (
    <PropertyRow label={taskDetailMessages.blockedBy} fields={['blocked_by_ids']}>
      {blocked_by_ids.map((id) => (
        <span key={id} className="task-ref-line">
          <TaskReference id={id} />
          <IconButton
            icon="x"
            label={taskDetailMessages.removeFrom(
              getCachedTask(id)?.short_id ?? taskDetailMessages.hidden,
            )}
            reason={write}
            onClick={() => saveLinks(blocked_by_ids.filter((other) => other !== id))}
          />
        </span>
      ))}
      <PickerButton
        className={blocked_by_ids.length > 0 ? undefined : 'value'}
        data-does="blockers"
        label={taskDetailMessages.changeOf(
          taskDetailMessages.blockedBy,
          blockers.map(({ short_id }) => short_id).join(', ') || taskDetailMessages.none,
        )}
        reason={write}
        pick={{
          several: true,
          options: [...blockers.map((other) => toTaskOption(other, projects)), ...listOtherTasks()],
          picked: blocked_by_ids,
          search: createTaskSearch(scope),
          onPick: (ids) => void saveLinks(ids),
        }}
      >
        {blocked_by_ids.length > 0 ? (
          <Icon name="plus" />
        ) : (
          <span className="quiet">{emptyLabel}</span>
        )}
      </PickerButton>
      <LinkError text={linkError} />
    </PropertyRow>
  )

  function listOtherTasks() {
    return listCachedTaskOptions({ projects, without: [task.id, ...blocked_by_ids] })
  }
}

/** The tasks that this one blocks. */
export function BlockingProperty() {
  const { blocking_ids = [] } = useOpenTask().task
  useLoadTasks(blocking_ids)
  return (
    <PropertyRow label={taskDetailMessages.blocks}>
      {blocking_ids.map((id) => (
        <span key={id} className="task-ref-line">
          <TaskReference id={id} />
        </span>
      ))}
    </PropertyRow>
  )
}

/** The API's error message at the field: a cycle, or a wrong project. */
const LinkError = ({ text }: { text: string | undefined }) =>
  text === undefined ? null : (
    <p className="error" role="alert">
      <Icon name="warning" />
      <span>{text}</span>
    </p>
  )

/** A link to another task by short id and title, or a note that the viewer may not see it. */
function TaskReference({ id }: { id: string }) {
  const task = useTask(id)
  const { showTask } = useOpenTask()
  if (!task) return <span className="quiet">{taskDetailMessages.hidden}</span>
  return (
    <span className="task-ref" data-s={task.status_category}>
      <TaskLink className="no" shortId={task.short_id} onGo={showTask}>
        <ShortId id={task.short_id} />
      </TaskLink>
      <TaskLink className="clip" shortId={task.short_id} onGo={showTask}>
        {task.title}
      </TaskLink>
    </span>
  )
}
