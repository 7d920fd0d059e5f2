import { type ReactNode, useEffect, useRef } from 'react'
import type { Task } from '../../../data/task-view.ts'
import { m } from '../../../messages/task.ts'
import { useOpenTask } from '../open-task.ts'
import { BareContext } from './bare.ts'
import { AddField, CustomFields } from './custom-fields.tsx'
import { DueProp, StartProp } from './dates.tsx'
import { EstimateProp } from './estimate.tsx'
import { BlockersProp, BlockingProp, ParentProp } from './links.tsx'
import { PeopleProp } from './people.tsx'
import { ProjectProp } from './project.tsx'
import { RecurrenceProp } from './recurrence.tsx'
import { PriorityProp, StatusProp } from './status.tsx'
import { TagsProp } from './tags.tsx'
import { TimeProp } from './time.tsx'

/** Properties that many tasks do not have: a line of their own only where they are set. */
const OPTIONAL: [does: string, isSet: (task: Task) => boolean, prop: ReactNode][] = [
  ['start', ({ start_date }) => start_date !== null, <StartProp key="start" />],
  ['estimate', ({ estimate_seconds: e }) => e !== null, <EstimateProp key="estimate" />],
  ['recurrence', ({ recurrence }) => recurrence !== null, <RecurrenceProp key="recurrence" />],
  ['parent', ({ parent_id }) => parent_id !== null, <ParentProp key="parent" />],
  ['blockers', ({ blocked_by_ids }) => blocked_by_ids.length > 0, <BlockersProp key="blockers" />],
]

/** All that a task is besides its texts, each with its name in the gutter. */
export function Props() {
  const { task } = useOpenTask()
  const set = OPTIONAL.filter(([, isSet]) => isSet(task))
  const list = useFocusKept(set.map(([does]) => does))
  return (
    <dl className="props" ref={list}>
      <StatusProp />
      <PriorityProp />
      <PeopleProp />
      <TagsProp />
      <DueProp />
      <TimeProp />
      {set.map(([, , prop]) => prop)}
      {task.blocking_ids.length > 0 && <BlockingProp />}
      <ProjectProp />
      <CustomFields />
      <div className="line prop">
        <dt className="gut">{m.addMore}</dt>
        <dd className="bare">
          <BareContext value={true}>
            {OPTIONAL.map(([, isSet, prop]) => (isSet(task) ? null : prop))}
          </BareContext>
          <AddField />
        </dd>
      </div>
    </dl>
  )
}

/** A property that was just set, or removed, stands in another line now: the focus goes there with it. */
function useFocusKept(set: readonly string[]) {
  const list = useRef<HTMLDListElement>(null)
  const before = useRef(set)
  useEffect(() => {
    const moved = [
      ...set.filter((one) => !before.current.includes(one)),
      ...before.current.filter((one) => !set.includes(one)),
    ]
    before.current = set
    if (moved.length === 0 || document.activeElement !== document.body) return
    list.current?.querySelector<HTMLElement>(`[data-does="${moved[0]}"]`)?.focus()
  }, [set])
  return list
}
