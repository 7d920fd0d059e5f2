import type { Project, StatusCategory } from '#resources/projects/contract.ts'
import type { updateTask } from '#resources/tasks/contract.ts'
import type { Task } from '#resources/tasks/fields.ts'
import type { Sent } from '../lib/call.ts'

export type { Task }
export type TaskPatch = Sent<typeof updateTask>['body']

/** A change that is shown and not acknowledged yet. */
export interface Change {
  key: string
  kind: 'patch' | 'complete' | 'delete' | 'restore'
  patch: TaskPatch
  /** The task as it was on the screen when the change was meant. */
  from: Task
}

const WRITE_ONLY = [
  'before_id',
  'after_id',
  'add_assignee_ids',
  'remove_assignee_ids',
  'add_tag_ids',
  'remove_tag_ids',
] as const

/** Objects of which a patch names only the members that it changes; null takes one away (contract 6.2). */
const MERGED = ['custom_fields', 'metadata'] as const

/** The task as it is to be shown: what the server has, with the changes that wait on top. */
export function shown(
  base: Task,
  changes: readonly Change[],
  project: Project | undefined,
): Task | undefined {
  let task: Task | undefined = base
  for (const { kind, patch } of changes) {
    if (kind === 'delete') task = undefined
    else if (task) task = patched(task, patch, project)
  }
  return task
}

/** A task with a patch applied as the server will apply it. */
export function patched(task: Task, patch: TaskPatch, project: Project | undefined): Task {
  const next: Task = { ...task, ...(strip(patch) as Partial<Task>) }
  for (const name of MERGED) {
    if (patch[name]) Object.assign(next, { [name]: withMembers(task[name], patch[name]) })
  }
  if (patch.add_assignee_ids || patch.remove_assignee_ids) {
    next.assignee_ids = changed(
      task.assignee_ids,
      patch.add_assignee_ids,
      patch.remove_assignee_ids,
    )
  }
  if (patch.add_tag_ids || patch.remove_tag_ids) {
    next.tag_ids = changed(task.tag_ids, patch.add_tag_ids, patch.remove_tag_ids)
  }
  if (patch.due_date !== undefined && patch.due_at === undefined) next.due_at = null
  if (patch.due_date === null) next.due_at = null
  if (patch.status !== undefined && patch.status !== task.status) {
    const category = categoryOf(project, patch.status) ?? task.status_category
    next.status_category = category
    next.completed_at = category === 'completed' ? (task.completed_at ?? nowText()) : null
    next.canceled_at = category === 'canceled' ? (task.canceled_at ?? nowText()) : null
  }
  return next
}

/** The fields that a patch changes, by the names of the record. */
export function fieldsOf(patch: TaskPatch): (keyof Task)[] {
  const names = Object.keys(strip(patch)) as (keyof Task)[]
  if (patch.add_assignee_ids || patch.remove_assignee_ids) names.push('assignee_ids')
  if (patch.add_tag_ids || patch.remove_tag_ids) names.push('tag_ids')
  return names
}

/** What takes a patch back: the fields as they were. */
export function inverseOf(patch: TaskPatch, before: Task): TaskPatch {
  return Object.fromEntries(
    fieldsOf(patch).map((name) => {
      const merged = MERGED.find((one) => one === name)
      return [name, merged ? membersOf(before[merged], patch[merged]) : before[name]]
    }),
  ) as TaskPatch
}

/** Whether a patch gives a field another value than `from` had, where `theirs` gives it a third. */
export function clashes(name: keyof Task, patch: TaskPatch, from: Task, theirs: Task): boolean {
  const mine = (patch as Record<string, unknown>)[name]
  const merged = MERGED.find((one) => one === name)
  if (!merged) return !same(from[name], theirs[name]) && !same(mine, theirs[name])
  const now = membersOf(theirs[merged], patch[merged])
  return !same(membersOf(from[merged], patch[merged]), now) && !same(mine, now)
}

/** The status into which completing moves a task (contract 6.1). */
export const completing = (project: Project | undefined): string | undefined =>
  project?.statuses.find(({ category }) => category === 'completed')?.key

export const categoryOf = (project: Project | undefined, key: string): StatusCategory | undefined =>
  project?.statuses.find((status) => status.key === key)?.category

export const same = (a: unknown, b: unknown): boolean =>
  a === b || JSON.stringify(a) === JSON.stringify(b)

type Members = Readonly<Record<string, unknown>>

/** Those members of an object that a patch names, with null for what is not there. */
const membersOf = (of: Members, patch: Members = {}): Members =>
  Object.fromEntries(Object.keys(patch).map((name) => [name, of[name] ?? null]))

const withMembers = (of: Members, patch: Members): Members =>
  Object.fromEntries(Object.entries({ ...of, ...patch }).filter(([, value]) => value !== null))

function strip(patch: TaskPatch): TaskPatch {
  const rest = { ...patch }
  for (const name of WRITE_ONLY) delete rest[name]
  return rest
}

const changed = (
  ids: readonly string[],
  add: readonly string[] = [],
  gone: readonly string[] = [],
) => [...new Set([...ids, ...add])].filter((id) => !gone.includes(id)).toSorted()

const nowText = () => new Date().toISOString()

/** Whether nothing is left to be done of it. */
export const isFinished = ({ status_category }: Task): boolean =>
  status_category === 'completed' || status_category === 'canceled'
