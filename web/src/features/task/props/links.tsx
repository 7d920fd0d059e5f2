import { useMemo, useState } from 'react'
import { useBoot } from '../../../data/boot.ts'
import { useTasksOf } from '../../../data/one-task.ts'
import { taskOf } from '../../../data/task-store.ts'
import { m } from '../../../messages/task.ts'
import { IconButton } from '../../../ui/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { PickButton } from '../../../ui/pick.tsx'
import { knownOptions, taskOption, taskSearch } from '../find-tasks.tsx'
import { useOpenTask } from '../open-task.ts'
import { useRights } from '../rights.ts'
import { setBlockers, setParent } from '../task-links.ts'
import { TaskRef } from '../task-ref.tsx'
import { useEmptyWord } from './bare.ts'
import { Prop } from './prop.tsx'

export function ParentProp() {
  const { task } = useOpenTask()
  const { projects } = useBoot()
  const { write } = useRights()
  const [refused, setRefused] = useState<string>()
  const empty = useEmptyWord(m.parent)
  useTasksOf(useMemo(() => (task.parent_id ? [task.parent_id] : []), [task.parent_id]))
  const where = { projects, project_id: task.project_id, without: [task.id] }
  const set = async (parent_id: string | null) => setRefused(await setParent(task, parent_id))
  return (
    <Prop label={m.parent} fields={['parent_id']}>
      {task.parent_id && <TaskRef id={task.parent_id} />}
      <PickButton
        className={task.parent_id ? undefined : 'value'}
        data-does="parent"
        label={m.changeOf(m.parent, (task.parent_id && taskOf(task.parent_id)?.title) || m.none)}
        reason={write}
        pick={{
          options: [{ id: '', label: m.none }, ...knownOptions(where)],
          picked: [task.parent_id ?? ''],
          search: taskSearch(where),
          onPick: ([id]) => void set(id || null),
        }}
      >
        {task.parent_id ? <Icon name="edit" /> : <span className="quiet">{empty}</span>}
      </PickButton>
      <Refused text={refused} />
    </Prop>
  )
}

/** What the task waits for. */
export function BlockersProp() {
  const { task } = useOpenTask()
  const { projects } = useBoot()
  const { write } = useRights()
  const [refused, setRefused] = useState<string>()
  const empty = useEmptyWord(m.blockedBy)
  const { blocked_by_ids } = task
  useTasksOf(blocked_by_ids)
  const set = async (ids: string[]) => setRefused(await setBlockers(task, ids))
  const where = { projects, without: [task.id] }
  const own = blocked_by_ids.flatMap((id) => taskOf(id) ?? [])
  return (
    <Prop label={m.blockedBy} fields={['blocked_by_ids']}>
      {blocked_by_ids.map((id) => (
        <span key={id} className="task-ref-line">
          <TaskRef id={id} />
          <IconButton
            icon="x"
            label={m.removeFrom(taskOf(id)?.short_id ?? m.hidden)}
            reason={write}
            onClick={() => set(blocked_by_ids.filter((one) => one !== id))}
          />
        </span>
      ))}
      <PickButton
        className={blocked_by_ids.length > 0 ? undefined : 'value'}
        data-does="blockers"
        label={m.changeOf(m.blockedBy, own.map(({ short_id }) => short_id).join(', ') || m.none)}
        reason={write}
        pick={{
          several: true,
          options: [...own.map((one) => taskOption(one, projects)), ...rest()],
          picked: blocked_by_ids,
          search: taskSearch(where),
          onPick: (ids) => void set(ids),
        }}
      >
        {blocked_by_ids.length > 0 ? <Icon name="plus" /> : <span className="quiet">{empty}</span>}
      </PickButton>
      <Refused text={refused} />
    </Prop>
  )

  function rest() {
    return knownOptions({ projects, without: [task.id, ...blocked_by_ids] })
  }
}

/** What waits for the task. */
export function BlockingProp() {
  const { blocking_ids } = useOpenTask().task
  useTasksOf(blocking_ids)
  return (
    <Prop label={m.blocks}>
      {blocking_ids.map((id) => (
        <span key={id} className="task-ref-line">
          <TaskRef id={id} />
        </span>
      ))}
    </Prop>
  )
}

/** A refusal in place, in the API's words: a cycle, a wrong project. */
const Refused = ({ text }: { text: string | undefined }) =>
  text === undefined ? null : (
    <p className="error" role="alert">
      <Icon name="warning" />
      {text}
    </p>
  )
