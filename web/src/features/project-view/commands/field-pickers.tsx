import { parseTypedRepeat } from '#lib/typed-dates.ts'
import { parseDuration } from '#lib/typed-duration.ts'
import type { Status } from '#resources/projects/contract.ts'
import { fetchMembersOfProjects } from '../../../data/resources/project-people.ts'
import { createProjectTag, toNewTag } from '../../../data/resources/tags.ts'
import { hasRight } from '../../../data/session/rights.ts'
import { getDueDay } from '../../../data/tasks/due-day.ts'
import type { Task } from '../../../data/tasks/task-patch.ts'
import { getCachedTask } from '../../../data/tasks/task-store.ts'
import { nearestHue } from '../../../lib/browser/hue.ts'
import { getDateContext } from '../../../lib/dates/date-context.ts'
import { formatDuration } from '../../../lib/dates/duration.ts'
import { getInitials } from '../../../lib/text/initials.ts'
import { mutationMessages } from '../../../messages/app/mutations.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { queueKeys } from '../../../ui/keyboard/key-queue.ts'
import { PriorityMark } from '../../../ui/marks/priority-mark.tsx'
import { StatusGlyph } from '../../../ui/marks/status-mark.tsx'
import { getStatusMark } from '../../../ui/marks/status-mark-name.ts'
import {
  openDatePicker,
  openPicker,
  type PickerOption,
} from '../../../ui/overlays/picker-button.tsx'
import { PRIORITY_VALUES, REPETITIONS } from '../../property-definitions.ts'
import { normalizeWord } from '../filter/filter-query.ts'
import type { PickerField } from '../lazy/with-deferred.ts'
import type { ProjectPageContext } from '../project-page-context.ts'
import { describeTargets, runCommand, type TaskCommand } from './run-command.tsx'
import * as commands from './task-commands.ts'

const MINUTE_SECONDS = 60
const ESTIMATE_SECONDS = [15, 30, 60, 120, 240, 480, 960].map((minutes) => minutes * MINUTE_SECONDS)

/** What the pickers need to know; it also works outside of a project page. */
type PickerContext = Pick<ProjectPageContext, 'boot' | 'tags' | 'people' | 'me'>

/** The target of a picker: its description, its loaded tasks, and what runs a command on it. */
interface PickerTarget {
  what: string
  tasks: readonly Task[]
  /** Whether there are more tasks, which are not loaded: then no value is known to be of all. */
  isPartial?: boolean
  does: (command: TaskCommand) => void
}

/** Opens the picker of a field at an element, for one task or for many. */
export async function openLoadedFieldPicker(
  context: ProjectPageContext,
  field: PickerField,
  ids: readonly string[],
  anchor: Element,
): Promise<void> {
  const tasks = ids.flatMap((id) => getCachedTask(id) ?? [])
  const from = ids.length === 1 ? tasks[0] : undefined
  const target = {
    what: describeTargets(ids),
    tasks,
    isPartial: tasks.length < ids.length,
    does: (command: TaskCommand) => runCommand(context, ids, command, from),
  }
  if (context.project || field !== 'assignees') {
    openFieldPickerFor(context, field, target, anchor)
    return
  }
  // Letters that are typed while the people lists load are for the picker.
  let isCanceled = false
  const dropKeys = queueKeys(true, () => {
    isCanceled = true
  })
  const projects = [...new Set(tasks.map(context.projectOf))].filter((one) => one !== undefined)
  const people = await fetchMembersOfProjects(context.people, projects)
  if (isCanceled || !anchor.isConnected) dropKeys()
  else openFieldPickerFor({ ...context, people }, field, target, anchor)
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
      const statuses = sharedStatuses(context, tasks)
      const onPick = ([key]: string[]) =>
        key && does(commands.setStatus({ boot: context.boot, statuses }, key))
      openPicker({
        anchor,
        label: labelOf(properties.status),
        options: statusOptions(statuses),
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
    case 'tags': {
      const project_ids = [...new Set(tasks.map(({ project_id }) => project_id))]
      const [project_id] = project_ids
      const canCreate =
        project_ids.length === 1 && hasRight(context.boot.session.user, 'shape_projects')
      const tags = context.tags.filter((tag) => project_ids.includes(tag.project_id))
      openPicker({
        anchor,
        label: labelOf(properties.tags),
        ...selectionOf(tagOptions(tags), ({ tag_ids }) =>
          tagOptions(tags).flatMap(({ id }) =>
            splitIds(id).some((one) => tag_ids.includes(one)) ? id : [],
          ),
        ),
        ...(canCreate &&
          project_id !== undefined && {
            create: {
              label: mutationMessages.newTag,
              run: async (name) =>
                tagOption(await createProjectTag(project_id, toNewTag(project_id, name))),
            },
          }),
        onPick: (_, { added, removed }) =>
          does(commands.setTags(context, added.flatMap(splitIds), removed.flatMap(splitIds))),
      })
      break
    }
    case 'start': {
      const date = sharedValue(({ start_date }) => start_date)
      openDatePicker({
        anchor,
        label: labelOf(properties.start),
        date: date ?? null,
        mixed: date === undefined,
        onPick: ({ date: start_date }) => does(commands.setStartDate(start_date)),
      })
      break
    }
    case 'repeat': {
      const rule = sharedValue(({ recurrence }) => recurrence?.rrule ?? 'none')
      const options = repeatOptions()
      openPicker({
        anchor,
        label: labelOf(properties.repeat),
        placeholder: projectViewMessages.repeatHint,
        options,
        picked: asList(rule),
        search: async (typed) => {
          const parsed = parseTypedRepeat(typed, getDateContext())
          const option = parsed && { id: parsed.rrule, label: typed.trim() }
          if (option) options.push(option)
          return option ? [option] : []
        },
        onPick: ([id]) => {
          const option = options.findLast((one) => one.id === id)
          if (!option) return
          // Without a due date there is none to count from.
          const basis = tasks.every(({ due_date }) => due_date !== null) ? 'due_date' : 'completion'
          const recurrence = option.id === 'none' ? null : ({ rrule: option.id, basis } as const)
          does(commands.setRepeat(recurrence, option.label))
        },
      })
      break
    }
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

/** The statuses that all projects of these tasks have, in the order of the first one. */
function sharedStatuses(
  { boot }: Pick<PickerContext, 'boot'>,
  tasks: readonly Task[],
): readonly Status[] {
  const [first, ...others] = boot.projects.filter(({ id }) =>
    tasks.some(({ project_id }) => project_id === id),
  )
  const isShared = ({ key }: Status) =>
    others.every(({ statuses }) => statuses.some((one) => one.key === key))
  return first?.statuses.filter(isShared) ?? []
}

export const statusOptions = (statuses: readonly Status[]): PickerOption[] =>
  statuses.map(({ key, name, category }) => {
    const mark = getStatusMark(statuses, key, category)
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

/** Tags with the same name in different projects are one option, whose id is those of all of them. */
export const tagOptions = (tags: ProjectPageContext['tags']): PickerOption[] =>
  [...Map.groupBy(tags, ({ name }) => normalizeWord(name)).values()].flatMap((all) => {
    const [first] = all
    return first ? tagOption({ ...first, id: all.map(({ id }) => id).join() }) : []
  })

const splitIds = (joined: string): string[] => joined.split(',')

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

const repeatOptions = (): PickerOption[] =>
  (['none', ...REPETITIONS] as const).map((one) => ({
    id: one === 'none' ? one : `FREQ=${one.toUpperCase()}`,
    label: projectViewMessages.repeats[one],
  }))

const projectOptions = ({ boot }: PickerContext, tasks: readonly Task[]): PickerOption[] => {
  const isInOtherProject = (id: string) => tasks.some(({ project_id }) => project_id !== id)
  return boot.projects
    .filter(({ id, status }) => status === 'active' && isInOtherProject(id))
    .map(({ id, name, prefix }) => ({ id, label: name, hint: prefix }))
}
