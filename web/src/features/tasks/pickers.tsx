import { makeTag } from '../../data/tags.ts'
import type { Task } from '../../data/task-view.ts'
import { formatDuration, parseDuration } from '../../lib/duration.ts'
import { m } from '../../messages/tasks.ts'
import { initials } from '../../ui/person.tsx'
import { type Option, openDate, openPick } from '../../ui/pick.tsx'
import { PriorityMark } from '../../ui/priority-mark.tsx'
import { stampOf } from '../../ui/stamp.ts'
import { Glyph } from '../../ui/status-mark.tsx'
import { Tag } from '../../ui/tag.tsx'
import { type Act, act, taskAt, whatOf } from './act.tsx'
import * as acts from './acts.ts'
import type { Screen } from './screen.ts'

export const FIELDS = [
  'status',
  'priority',
  'assignees',
  'tags',
  'due',
  'estimate',
  'project',
] as const
export type Field = (typeof FIELDS)[number]

const PRIORITIES = ['urgent', 'high', 'medium', 'low', 'none'] as const
const MINUTE = 60
const ESTIMATES = [15, 30, 60, 120, 240, 480, 960].map((minutes) => minutes * MINUTE)

/** Where tasks are that a picker is opened for. */
export type Place = Pick<Screen, 'boot' | 'project' | 'tags' | 'me'>

/** What a picker is opened for: in words, those of it that are known, and how it is changed. */
interface Target {
  what: string
  tasks: readonly Task[]
  does: (act: Act) => void
}

/** Opens the picker of a field at an element, for one task or for many of a project. */
export function openField(
  screen: Screen,
  field: Field,
  numbers: readonly number[],
  anchor: Element,
): void {
  if (screen.locked !== undefined || numbers.length === 0) return
  const target = {
    what: whatOf(screen, numbers),
    tasks: numbers.flatMap((number) => taskAt(screen, number) ?? []),
    does: (wish: Act) => act(screen, numbers, wish),
  }
  openFieldOf(screen, field, target, anchor)
}

/** The same for whatever tasks. */
export function openFieldOf(screen: Place, field: Field, target: Target, anchor: Element): void {
  const { what, tasks, does } = target
  const shared = <T,>(of: (task: Task) => T): T | undefined => {
    const [first] = tasks
    return first && tasks.every((task) => of(task) === of(first)) ? of(first) : undefined
  }
  const one = (value: string | undefined) => (value === undefined ? [] : [value])
  const sets = (of: (task: Task) => readonly string[]) => {
    const ids = [...new Set(tasks.flatMap(of))]
    const all = ids.filter((id) => tasks.every((task) => of(task).includes(id)))
    return { picked: all, some: ids.filter((id) => !all.includes(id)), several: true }
  }
  switch (field) {
    case 'status': {
      const picked = one(shared(({ status }) => status))
      const onPick = ([key]: string[]) => key && does(acts.setStatus(screen, key))
      openPick({ anchor, label: m.statusOf(what), options: statuses(screen), picked, onPick })
      break
    }
    case 'priority': {
      const picked = one(shared(({ priority }) => priority))
      const onPick = ([key]: string[]) => {
        const priority = PRIORITIES.find((known) => known === key)
        if (priority) does(acts.setPriority(priority))
      }
      openPick({ anchor, label: m.priorityOf(what), options: priorities(), picked, onPick })
      break
    }
    case 'assignees':
      openPick({
        ...{ anchor, label: m.peopleOf(what), options: people(screen) },
        ...sets(({ assignee_ids }) => assignee_ids),
        onPick: (_, { added, removed }) => does(acts.setPeople(added, removed)),
      })
      break
    case 'tags':
      openPick({
        ...{ anchor, label: m.tagsOf(what), options: tags(screen) },
        ...sets(({ tag_ids }) => tag_ids),
        ...(screen.boot.session.user.role !== 'guest' && {
          create: {
            label: m.makeTag,
            run: async (name) => tagOption(await makeTag(screen.project.id, name)),
          },
        }),
        onPick: (_, { added, removed }) => does(acts.setTags(added, removed)),
      })
      break
    case 'due':
      openDate({
        ...{ anchor, label: m.dueOf(what), timed: true },
        date: shared(({ due_date }) => due_date) ?? null,
        at: shared(({ due_at }) => due_at) ?? null,
        onPick: ({ date, at }) => does(acts.setDue(date, at)),
      })
      break
    case 'estimate': {
      const seconds = shared(({ estimate_seconds }) => estimate_seconds)
      openPick({
        ...{ anchor, label: m.estimateOf(what), placeholder: m.estimateHint },
        options: [estimateOption(null), ...ESTIMATES.map((one) => estimateOption(one))],
        picked: seconds === undefined ? [] : [estimateOption(seconds).id],
        search: async (typed) => {
          const found = parseDuration(typed)
          return found === undefined ? [] : [estimateOption(found, typed)]
        },
        onPick: ([id]) => id && does(acts.setEstimate(id === 'none' ? null : Number(id))),
      })
      break
    }
    case 'project':
      openPick({
        ...{ anchor, label: m.projectOf(what), options: projects(screen, tasks), picked: [] },
        onPick: ([id]) => {
          const to = screen.boot.projects.find((project) => project.id === id)
          if (to) does(acts.moveToProject(to.id, to.name))
        },
      })
  }
}

export const statuses = ({ project }: Pick<Place, 'project'>): Option[] =>
  project.statuses.map(({ key, name, category }) => {
    const mark = stampOf(project.statuses, key, category)
    return { id: key, label: name, mark: <Stamp mark={mark} /> }
  })

const Stamp = ({ mark }: { mark: ReturnType<typeof stampOf> }) => (
  <span className="st" data-s={mark}>
    <Glyph mark={mark} />
  </span>
)

export const priorities = (): Option[] =>
  PRIORITIES.map((priority) => ({
    ...{ id: priority, label: m.priorities[priority] },
    mark: <PriorityMark priority={priority} silent />,
  }))

export const people = ({ boot, me }: Pick<Place, 'boot' | 'me'>): Option[] =>
  boot.members
    .map(({ id, name }) => ({
      ...{ id, label: name },
      mark: <span className={id === me ? 'who me' : 'who'}>{initials(name)}</span>,
    }))
    .toSorted((a, b) => Number(b.id === me) - Number(a.id === me))

export const tags = (screen: Pick<Place, 'tags'>): Option[] => screen.tags.map(tagOption)

const tagOption = ({ id, name, color }: Screen['tags'][number]): Option => ({
  ...{ id, label: name },
  mark: <Tag name="" color={color} />,
})

const estimateOption = (seconds: number | null, words = ''): Option =>
  seconds === null
    ? { id: 'none', label: m.noEstimate }
    : { id: String(seconds), label: formatDuration(seconds), words }

const projects = ({ boot, project }: Place, tasks: readonly Task[]): Option[] => {
  const isElsewhere = (id: string) => tasks.some(({ project_id }) => project_id !== id)
  return boot.projects
    .filter(({ id, status }) => status === 'active' && (id !== project.id || isElsewhere(id)))
    .map(({ id, name, prefix }) => ({ id, label: name, hint: prefix }))
}
