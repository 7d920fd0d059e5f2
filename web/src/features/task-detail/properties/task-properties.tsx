import './properties.css'
import { type MouseEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import type { Project } from '#resources/projects/contract.ts'
import { startTimer, stopTimer, useTimer } from '../../../data/resources/timer.ts'
import { useBoot } from '../../../data/session/boot.ts'
import { changeTask } from '../../../data/tasks/change-task.ts'
import { useHeldProject } from '../../../data/tasks/held-tasks.ts'
import { applyPatch, isTaskFinished, type Task } from '../../../data/tasks/task-patch.ts'
import { formatDuration } from '../../../lib/dates/duration.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { taskDetailMessages } from '../../../messages/tasks/task-detail.ts'
import { Button } from '../../../ui/form/button.tsx'
import { Icon } from '../../../ui/marks/icon.tsx'
import { openDialog } from '../../../ui/overlays/dialog.tsx'
import { PickerButton, type PickerConfig } from '../../../ui/overlays/picker-button.tsx'
import { VALUE_PROPERTIES, type ValueDefinition } from '../../property-definitions.ts'
import { ElapsedTime } from '../../timer/index.ts'
import { describeRecurrence } from '../formatting/describe-recurrence.ts'
import { useOpenTask } from '../open-task-context.ts'
import { useBlockReasons } from '../use-block-reasons.ts'
import { AssigneesProperty } from './assignees-property.tsx'
import { AddCustomField, CustomFieldProperties } from './custom-field-properties.tsx'
import { DueDateProperty, StartDateProperty } from './date-properties.tsx'
import { type FixedPlacement, FixedPlacementContext } from './fixed-placement.ts'
import { InlineTextField } from './inline-text-field.tsx'
import { BlockersProperty, BlockingProperty, ParentProperty } from './link-properties.tsx'
import { PropertyRow } from './property-row.tsx'
import { RecurrenceForm } from './recurrence-form.tsx'
import { PriorityProperty, StatusProperty } from './status-and-priority-properties.tsx'
import { TagsProperty } from './tags-property.tsx'
import { UnsetPropertiesContext, useEmptyLabel } from './unset-properties.ts'

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

function ProjectProperty() {
  const { task, project } = useOpenTask()
  const { projects } = useBoot('projects')
  const { write } = useBlockReasons()
  return (
    <PropertyRow label={taskDetailMessages.project} fields={['project_id']}>
      <PickerButton
        className="value"
        data-does="project"
        label={taskDetailMessages.changeOf(
          taskDetailMessages.project,
          project ? `${project.prefix} ${project.name}` : taskDetailMessages.none,
        )}
        reason={write}
        pick={createProjectPicker(task, projects)}
      >
        {project && <span className="mono">{project.prefix}</span>} {project?.name}
      </PickerButton>
    </PropertyRow>
  )
}

/** Creates the picker of the project to move a task to, with active projects only. */
const createProjectPicker = (task: Task, projects: readonly Project[]): PickerConfig => ({
  options: projects
    .filter(({ id, status }) => status === 'active' || id === task.project_id)
    .map(({ id, name, prefix }) => ({ id, label: name, hint: prefix, words: prefix })),
  picked: [task.project_id],
  onPick([project_id]) {
    const target = projects.find(({ id }) => id === project_id)
    if (!target || target.id === task.project_id) return
    const label = projectViewMessages.moved(task.short_id, target.name)
    changeTask(task.id, { project_id: target.id }, { label, from: task })
  },
})

function RecurrenceProperty() {
  const { task } = useOpenTask()
  const { write } = useBlockReasons()
  const { recurrence } = task
  // Its next occurrence appears once it is completed.
  useHeldProject(recurrence ? task.project_id : undefined)
  const emptyLabel = useEmptyLabel(taskDetailMessages.repeats)
  const text = recurrence
    ? describeRecurrence(recurrence.rrule, recurrence.basis)
    : taskDetailMessages.repeatNever
  return (
    <PropertyRow label={taskDetailMessages.repeats} fields={['recurrence']}>
      <Button
        kind="plain"
        className="value"
        data-does="recurrence"
        aria-label={taskDetailMessages.changeOf(taskDetailMessages.repeats, text)}
        reason={write}
        onClick={() =>
          openDialog({
            title: taskDetailMessages.repeats,
            gutter: task.short_id,
            body: (close) => <RecurrenceForm task={task} onDone={close} />,
          })
        }
      >
        {recurrence ? (
          <>
            <Icon name="repeat" />
            <span>{text}</span>
          </>
        ) : (
          <span className="quiet">{emptyLabel}</span>
        )}
      </Button>
    </PropertyRow>
  )
}

/** Time spent against the estimate, and the timer. */
function TimeProperty() {
  const { task } = useOpenTask()
  const { write } = useBlockReasons()
  const runningTimer = useTimer()
  const isRunning = runningTimer?.task.id === task.id
  const { time_spent_seconds: spent, estimate_seconds: estimate } = task
  const remaining = estimate === null ? undefined : estimate - spent
  return (
    <PropertyRow label={taskDetailMessages.time}>
      <span className={remaining !== undefined && remaining < 0 ? 'mono bad' : 'mono'}>
        {formatDuration(spent)}
      </span>
      {remaining !== undefined && !(isTaskFinished(task) && remaining >= 0) && (
        <span className={remaining < 0 ? 'bad' : 'quiet'}>
          {remaining < 0
            ? taskDetailMessages.over(formatDuration(-remaining))
            : taskDetailMessages.left(formatDuration(remaining))}
        </span>
      )}
      <Button
        kind="plain"
        icon={isRunning ? 'stop' : 'play'}
        data-does="timer"
        aria-label={isRunning ? taskDetailMessages.stopTimer : taskDetailMessages.startTimer}
        title={isRunning ? taskDetailMessages.stopTimer : taskDetailMessages.startTimer}
        reason={isRunning ? undefined : write}
        onClick={() => (isRunning ? stopTimer() : startTimer(task))}
      >
        {isRunning && <ElapsedTime since={runningTimer.entry.started_at} />}
      </Button>
    </PropertyRow>
  )
}

/** A property of one value, which is typed as text. */
function ValueProperty({ property: { id, field, format, parse } }: { property: ValueDefinition }) {
  const { task } = useOpenTask()
  const { write } = useBlockReasons()
  const name = projectViewMessages.properties[id]
  const { hint } = projectViewMessages.values[id]
  const empty = useEmptyLabel(name)
  const text = format(task)
  const save = (typed: string): string | undefined => {
    const patch = parse(typed)
    if (!patch) return taskDetailMessages.notValue(hint)
    const changed = applyPatch(task, patch, undefined)
    if (changed[field] === task[field]) return
    const label =
      changed[field] === null
        ? taskDetailMessages.cleared(task.short_id, name)
        : taskDetailMessages.took(task.short_id, name, format(changed))
    changeTask(task.id, patch, { label, from: task })
    return
  }
  return (
    <PropertyRow label={name} fields={[field]}>
      <InlineTextField
        does={id}
        label={taskDetailMessages.changeOf(name, text || taskDetailMessages.none)}
        value={text}
        hint={hint}
        reason={write}
        onSave={save}
      >
        {text || <span className="quiet">{empty}</span>}
      </InlineTextField>
    </PropertyRow>
  )
}
