import { parseDuration } from '#lib/typed-duration.ts'
import { createProjectTag, toNewTag } from '../../../data/resources/tags.ts'
import { hasRight } from '../../../data/session/rights.ts'
import { getDueDay } from '../../../data/tasks/due-day.ts'
import type { Task } from '../../../data/tasks/task-patch.ts'
import { nearestHue } from '../../../lib/browser/hue.ts'
import { formatDuration } from '../../../lib/dates/duration.ts'
import { getInitials } from '../../../lib/text/initials.ts'
import { mutationMessages } from '../../../messages/app/mutations.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { PriorityMark } from '../../../ui/marks/priority-mark.tsx'
import { StatusGlyph } from '../../../ui/marks/status-mark.tsx'
import { getStatusMark } from '../../../ui/marks/status-mark-name.ts'
import {
  openDatePicker,
  openPicker,
  type PickerOption,
} from '../../../ui/overlays/picker-button.tsx'
import { PRIORITY_VALUES } from '../../property-definitions.ts'
import type { PickerField } from '../lazy/with-deferred.ts'
import type { ProjectPageContext } from '../project-page-context.ts'
import { describeTargets, findTaskByNumber, runCommand, type TaskCommand } from './run-command.tsx'
import * as commands from './task-commands.ts'

const MINUTE_SECONDS = 60
const ESTIMATE_SECONDS = [15, 30, 60, 120, 240, 480, 960].map((minutes) => minutes * MINUTE_SECONDS)

/** What the pickers need to know; it also works outside of a project page. */
export type PickerContext = Pick<ProjectPageContext, 'boot' | 'project' | 'tags' | 'people' | 'me'>

/** The target of a picker: its description, its loaded tasks, and what runs a command on it. */
interface PickerTarget {
  what: string
  tasks: readonly Task[]
  /** Whether there are more tasks, which are not loaded: then no value is known to be of all. */
  isPartial?: boolean
  does: (command: TaskCommand) => void
}

/** Opens the picker of a field at an element, for one task or for many of a project. */
export function openLoadedFieldPicker(
  context: ProjectPageContext,
  field: PickerField,
  numbers: readonly number[],
  anchor: Element,
): void {
  const tasks = numbers.flatMap((number) => findTaskByNumber(context, number) ?? [])
  const from = numbers.length === 1 ? tasks[0] : undefined
  const target = {
    what: describeTargets(context, numbers),
    tasks,
    isPartial: tasks.length < numbers.length,
    does: (command: TaskCommand) => runCommand(context, numbers, command, from),
  }
  openFieldPickerFor(context, field, target, anchor)
}

/** Opens the picker of a field for any tasks, also of several projects. */
export function openFieldPickerFor(
  context: PickerContext,
  field: PickerField,
  target: PickerTarget,
  anchor: Element,
): void {
  const { what, tasks, isPartial, does } = target
  const sharedValue = <T,>(of: (task: Task) => T): T | undefined => {
    const [first] = tasks
    const isShared = !isPartial && tasks.every((task) => first && of(task) === of(first))
    return first && isShared ? of(first) : undefined
  }
  const { properties } = projectViewMessages
  const labelOf = (property: string) => projectViewMessages.propertyOf(property, what)
  const asList = (value: string | undefined) => (value === undefined ? [] : [value])
  const selectionOf = (options: PickerOption[], of: (task: Task) => readonly string[]) => {
    const ids = isPartial ? options.map(({ id }) => id) : [...new Set(tasks.flatMap(of))]
    const isInAll = (id: string) => !isPartial && tasks.every((task) => of(task).includes(id))
    const { true: picked = [], false: some = [] } = Object.groupBy(ids, (id) => `${isInAll(id)}`)
    return { options, picked, some, several: true }
  }
  switch (field) {
    case 'status': {
      const picked = asList(sharedValue(({ status }) => status))
      const onPick = ([key]: string[]) => key && does(commands.setStatus(context, key))
      openPicker({
        anchor,
        label: labelOf(properties.status),
        options: statusOptions(context),
        picked,
        onPick,
      })
      break
    }
    case 'priority': {
      const picked = asList(sharedValue(({ priority }) => priority))
      const onPick = ([key]: string[]) => {
        const priority = PRIORITY_VALUES.find((one) => one === key)
        if (priority) does(commands.setPriority(priority))
      }
      openPicker({
        anchor,
        label: labelOf(properties.priority),
        options: priorityOptions(),
        picked,
        onPick,
      })
      break
    }
    case 'assignees': {
      // Also those who were assigned and see the project no more, who can only be removed.
      const members = context.boot.members.filter(
        ({ id }) =>
          context.people.some((one) => one.id === id) ||
          tasks.some(({ assignee_ids }) => assignee_ids.includes(id)),
      )
      openPicker({
        anchor,
        label: projectViewMessages.peopleOf(what),
        ...selectionOf(
          memberOptions({ boot: { members }, me: context.me }),
          ({ assignee_ids }) => assignee_ids,
        ),
        onPick: (_, { added, removed }) => does(commands.setAssignees(added, removed)),
      })
      break
    }
    case 'tags':
      openPicker({
        anchor,
        label: labelOf(properties.tags),
        ...selectionOf(tagOptions(context), ({ tag_ids }) => tag_ids),
        ...(hasRight(context.boot.session.user, 'shape_projects') && {
          create: {
            label: mutationMessages.newTag,
            run: async (name) =>
              tagOption(
                await createProjectTag(context.project.id, toNewTag(context.project.id, name)),
              ),
          },
        }),
        onPick: (_, { added, removed }) => does(commands.setTags(added, removed)),
      })
      break
    case 'due': {
      const [date, at] = [sharedValue(getDueDay), sharedValue(({ due_at }) => due_at)]
      openDatePicker({
        anchor,
        label: labelOf(properties.due),
        timed: true,
        date: date ?? null,
        at: at ?? null,
        mixed: date === undefined || at === undefined,
        onPick: (picked) => does(commands.setDueDate(context, picked)),
      })
      break
    }
    case 'estimate': {
      const seconds = sharedValue(({ estimate_seconds }) => estimate_seconds)
      openPicker({
        anchor,
        label: labelOf(properties.estimate),
        ...estimateChoices(),
        picked: seconds === undefined ? [] : [estimateOption(seconds).id],
        onPick: ([id]) => id && does(commands.setEstimate(id === 'none' ? null : Number(id))),
      })
      break
    }
    case 'project':
      openPicker({
        anchor,
        label: projectViewMessages.projectOf(what),
        options: projectOptions(context, tasks),
        picked: [],
        onPick: ([id]) => {
          const to = context.boot.projects.find((project) => project.id === id)
          if (to) does(commands.moveToProject(to.id, to.name))
        },
      })
  }
}

export const statusOptions = ({ project }: Pick<PickerContext, 'project'>): PickerOption[] =>
  project.statuses.map(({ key, name, category }) => {
    const mark = getStatusMark(project.statuses, key, category)
    return { id: key, label: name, mark: <StatusIcon mark={mark} /> }
  })

const StatusIcon = ({ mark }: { mark: ReturnType<typeof getStatusMark> }) => (
  <span className="st" data-s={mark}>
    <StatusGlyph mark={mark} />
  </span>
)

export const priorityOptions = (): PickerOption[] =>
  PRIORITY_VALUES.map((priority) => ({
    id: priority,
    label: projectViewMessages.priorities[priority],
    mark: <PriorityMark priority={priority} silent />,
  }))

export const memberOptions = ({
  boot,
  me,
}: {
  boot: Pick<PickerContext['boot'], 'members'>
  me: string
}): PickerOption[] =>
  boot.members
    .map(({ id, name }) => ({
      id,
      label: name,
      mark: <span className={id === me ? 'who me' : 'who'}>{getInitials(name)}</span>,
    }))
    .toSorted((a, b) => Number(b.id === me) - Number(a.id === me))

export const tagOptions = (context: Pick<PickerContext, 'tags'>): PickerOption[] =>
  context.tags.map(tagOption)

const tagOption = ({ id, name, color }: ProjectPageContext['tags'][number]): PickerOption => ({
  id,
  label: name,
  mark: <span className="swatch" data-h={nearestHue(color)} />,
})

/** The usual estimates, by their seconds, and any that is typed; `none` takes it away. */
export const estimateChoices = () => ({
  placeholder: projectViewMessages.values.estimate.hint,
  options: [estimateOption(null), ...ESTIMATE_SECONDS.map((one) => estimateOption(one))],
  search: async (typed: string) => {
    const parsed = parseDuration(typed)
    return parsed === undefined ? [] : [estimateOption(parsed, typed)]
  },
})

const estimateOption = (seconds: number | null, words = ''): PickerOption =>
  seconds === null
    ? { id: 'none', label: projectViewMessages.noEstimate }
    : { id: String(seconds), label: formatDuration(seconds), words }

const projectOptions = (
  { boot, project }: PickerContext,
  tasks: readonly Task[],
): PickerOption[] => {
  const isInOtherProject = (id: string) => tasks.some(({ project_id }) => project_id !== id)
  return boot.projects
    .filter(({ id, status }) => status === 'active' && (id !== project.id || isInOtherProject(id)))
    .map(({ id, name, prefix }) => ({ id, label: name, hint: prefix }))
}
