import './properties.css'
import { type MouseEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import type { Task } from '../../../data/tasks/task-patch.ts'
import { taskDetailMessages } from '../../../messages/tasks/task-detail.ts'
import { Button } from '../../../ui/form/button.tsx'
import { VALUE_PROPERTIES } from '../../property-definitions.ts'
import { useOpenTask } from '../open-task-context.ts'
import { AssigneesProperty } from './assignees-property.tsx'
import { AddCustomField, CustomFieldProperties } from './custom-field-properties.tsx'
import { DueDateProperty, StartDateProperty } from './date-properties.tsx'
import { type FixedPlacement, FixedPlacementContext } from './fixed-placement.ts'
import { BlockersProperty, BlockingProperty, ParentProperty } from './link-properties.tsx'
import { ProjectProperty } from './project-property.tsx'
import { RecurrenceProperty } from './recurrence-property.tsx'
import { PriorityProperty, StatusProperty } from './status-and-priority-properties.tsx'
import { TagsProperty } from './tags-property.tsx'
import { TimeProperty } from './time-property.tsx'
import { UnsetPropertiesContext } from './unset-properties.ts'
import { ValueProperty } from './value-property.tsx'

type OptionalProperty = [does: string, isSet: (task: Task) => boolean, prop: ReactNode]

/** Properties that many tasks lack; they get a row of their own only when set. */
const OPTIONAL_PROPERTIES: OptionalProperty[] = [
  ['start', ({ start_date }) => start_date !== null, <StartDateProperty key="start" />],
  ...VALUE_PROPERTIES.map((property): OptionalProperty => {
    const { id, field } = property
    return [id, (task) => task[field] !== null, <ValueProperty key={id} property={property} />]
  }),
  ['recurrence', ({ recurrence }) => Boolean(recurrence), <RecurrenceProperty key="recurrence" />],
  ['parent', ({ parent_id }) => parent_id !== null, <ParentProperty key="parent" />],
  [
    'blockers',
    ({ blocked_by_ids }) => blocked_by_ids.length > 0,
    <BlockersProperty key="blockers" />,
  ],
]

/** All properties of the open task. */
export function TaskProperties() {
  const { task } = useOpenTask()
  const [fixed, setFixed] = useState<FixedPlacement>()
  const placement = fixed?.task.id === task.id ? fixed.task : task
  const filledProperties = OPTIONAL_PROPERTIES.filter(([, isSet]) => isSet(placement))
  const filledKeys = filledProperties.map(([does]) => does)
  const [isAdding, setAdding] = useState(false)
  const [previouslyFilled, setPreviouslyFilled] = useState(filledKeys)
  if (previouslyFilled.join() !== filledKeys.join()) {
    setPreviouslyFilled(filledKeys)
    // What was cleared stays in sight, and keeps the focus.
    if (previouslyFilled.some((key) => !filledKeys.includes(key))) setAdding(true)
  }
  /** Shortcuts and menus press the control of a property that is out of sight, too. */
  const revealPressed = ({ target }: MouseEvent) => {
    const row = target instanceof Element ? target.closest('.unset, [data-empty]') : null
    if (row?.checkVisibility() === false) setAdding(true)
  }
  const list = useFocusFollowsProperty(filledKeys, fixed?.does)
  return (
    <FixedPlacementContext value={setFixed}>
      <dl
        className="props"
        ref={list}
        data-adding={isAdding || undefined}
        onClickCapture={revealPressed}
      >
        <StatusProperty />
        <PriorityProperty />
        <AssigneesProperty />
        <TagsProperty />
        <DueDateProperty />
        <TimeProperty />
        {filledProperties.map(([, , prop]) => prop)}
        {task.blocking_ids?.length ? <BlockingProperty /> : null}
        <ProjectProperty />
        <CustomFieldProperties />
        <div className="line prop add">
          <dt className="gut" />
          <dd>
            <Button
              kind="plain"
              icon="plus"
              aria-label={taskDetailMessages.addProperty}
              aria-expanded={isAdding}
              onClick={() => setAdding(!isAdding)}
            >
              {taskDetailMessages.addMore}
            </Button>
          </dd>
          <dd className="bare unset" hidden={!isAdding}>
            <UnsetPropertiesContext value={true}>
              {OPTIONAL_PROPERTIES.map(([, isSet, prop]) => (isSet(placement) ? null : prop))}
              <AddCustomField />
            </UnsetPropertiesContext>
          </dd>
        </div>
      </dl>
    </FixedPlacementContext>
  )
}

/** Restores the focus after a property, first the one typed into, moved to or from a row of its own. */
function useFocusFollowsProperty(filledKeys: readonly string[], typedKey: string | undefined) {
  const list = useRef<HTMLDListElement>(null)
  const previousKeys = useRef(filledKeys)
  const previousTypedKey = useRef(typedKey)
  useEffect(() => {
    const moved = [
      ...filledKeys.filter((key) => !previousKeys.current.includes(key)),
      ...previousKeys.current.filter((key) => !filledKeys.includes(key)),
    ]
    const focusedKey = moved.find((key) => key === previousTypedKey.current) ?? moved[0]
    previousKeys.current = filledKeys
    previousTypedKey.current = typedKey
    if (moved.length === 0 || document.activeElement !== document.body) return
    list.current?.querySelector<HTMLElement>(`[data-does="${focusedKey}"]`)?.focus()
  }, [filledKeys, typedKey])
  return list
}
