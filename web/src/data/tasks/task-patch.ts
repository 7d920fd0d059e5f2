import type { Static } from 'typebox'
import type { Project, Status, StatusCategory } from '#resources/projects/contract.ts'
import type { updateTask } from '#resources/tasks/contract.ts'
import type { Task } from './page-task.ts'

export type { Task }
export type TaskPatch = Static<(typeof updateTask)['body']>

/** A local change that the server has not acknowledged; stored in the browser as JSON. */
export interface TaskChange {
  key: string
  kind: 'patch' | 'complete' | 'delete' | 'restore'
  patch: TaskPatch
  /** The task as it was on the screen when the change was made. */
  from: Task
  /** The place to which it moves the task, until the server has found the final one. */
  position?: string
}

/** Somebody else changed the same fields; the local change is shown until one is chosen. */
export interface TaskConflict {
  change: TaskChange
  theirs: Task
  fields: readonly (keyof Task)[]
}

/** Sets, and the members of a patch that add to them and remove from them. */
const SETS = [
  { field: 'assignee_ids', add: 'add_assignee_ids', remove: 'remove_assignee_ids' },
  { field: 'tag_ids', add: 'add_tag_ids', remove: 'remove_tag_ids' },
] as const

const WRITE_ONLY_FIELDS = [
  'before_id',
  'after_id',
  ...SETS.flatMap(({ add, remove }) => [add, remove]),
] as const

/** Objects that a patch merges key by key; null removes a key (docs/spec/api.md#task). */
export const MERGED_FIELDS = ['custom_fields', 'metadata'] as const

/** The server's task with the pending changes applied; undefined if one of them deletes it. */
export function applyChanges(
  base: Task,
  changes: readonly TaskChange[],
  project: Pick<Project, 'statuses'> | undefined,
): Task | undefined {
  let task: Task | undefined = base
  for (const { kind, patch, position } of changes) {
    if (kind === 'delete') task = undefined
    else if (task) task = applyPatch(position ? { ...task, position } : task, patch, project)
  }
  return task
}

/** A task with a patch applied as the server will apply it. */
export function applyPatch(
  task: Task,
  patch: TaskPatch,
  project: Pick<Project, 'statuses'> | undefined,
): Task {
  const next: Task = { ...task, ...(omitWriteOnlyFields(patch) as Partial<Task>) }
  for (const name of MERGED_FIELDS) {
    if (patch[name]) Object.assign(next, { [name]: mergeMembers(task[name], patch[name]) })
  }
  for (const { field, add, remove } of SETS)
    if (patch[add] || patch[remove]) next[field] = changeIds(task[field], patch[add], patch[remove])
  if (patch.due_date !== undefined && patch.due_at === undefined) next.due_at = null
  if (patch.due_date === null) next.due_at = null
  if (patch.status !== undefined && patch.status !== task.status) {
    const category = getStatusCategory(project, patch.status) ?? task.status_category
    next.status_category = category
    next.completed_at = category === 'completed' ? (task.completed_at ?? nowTimestamp()) : null
    next.canceled_at = category === 'canceled' ? (task.canceled_at ?? nowTimestamp()) : null
  }
  return next
}

/** The fields of the record that a patch changes. */
export function getPatchedFields(patch: TaskPatch): (keyof Task)[] {
  const names = Object.keys(omitWriteOnlyFields(patch)) as (keyof Task)[]
  for (const { field, add, remove } of SETS) if (patch[add] || patch[remove]) names.push(field)
  return names
}

/**
 * The patch that shows the fields as they were before. What was added to a set is removed from it
 * and the reverse, so that what others have added since stays. Empty if nothing had changed.
 */
export function invertPatch(patch: TaskPatch, before: Task): TaskPatch {
  const inverse: TaskPatch = Object.fromEntries(
    Object.keys(omitWriteOnlyFields(patch)).map((name) => {
      const merged = MERGED_FIELDS.find((one) => one === name)
      return [
        name,
        merged ? pickMembers(before[merged], patch[merged]) : before[name as keyof Task],
      ]
    }),
  )
  // A due date alone clears the time (docs/spec/api.md#task).
  if (patch.due_date !== undefined && before.due_at !== null) inverse.due_at = before.due_at
  for (const { field, add, remove } of SETS) {
    const had = new Set(before[field])
    const added = patch[add]?.filter((id) => !had.has(id)) ?? []
    const removed = patch[remove]?.filter((id) => had.has(id)) ?? []
    if (added.length > 0) inverse[remove] = added
    if (removed.length > 0) inverse[add] = removed
  }
  return inverse
}

/** The task as it was when editing began, if it has been created since. */
export const asCreated = (from: Task, { id, short_id, number }: Task): Task =>
  from.id === id ? from : { ...from, id, short_id, number }

/** The text in a patch that a person has typed. */
export function getPatchText({
  title,
  description,
  custom_fields = {},
}: TaskPatch): string | undefined {
  const values = Object.values(custom_fields).flatMap((value) => {
    if (Array.isArray(value)) return value.join(', ')
    return typeof value === 'string' ? value : []
  })
  return [title, description, ...values].filter((text) => text).join('\n\n') || undefined
}

/** The status that a completed task gets (docs/spec/api.md#project). */
export const getCompletedStatus = (
  project: Pick<Project, 'statuses'> | undefined,
): string | undefined => project?.statuses.find(({ category }) => category === 'completed')?.key

export const getStatusCategory = (
  project: Pick<Project, 'statuses'> | undefined,
  key: string,
): StatusCategory | undefined => project?.statuses.find((status) => status.key === key)?.category

/** Returns the name of a status in its project, or its key if the project has no such status. */
export const getStatusName = (
  project: { statuses: readonly Status[] } | undefined,
  key: string,
): string => project?.statuses.find((status) => status.key === key)?.name ?? key

export const isSameValue = (a: unknown, b: unknown): boolean =>
  a === b || JSON.stringify(a) === JSON.stringify(b)

type ObjectMembers = Readonly<Record<string, unknown>>

/** The members of an object that a patch names; null for those that it lacks. */
const pickMembers = (of: ObjectMembers = {}, patch: ObjectMembers = {}): ObjectMembers =>
  Object.fromEntries(Object.keys(patch).map((name) => [name, of[name] ?? null]))

export const mergeMembers = (of: ObjectMembers = {}, patch: ObjectMembers): ObjectMembers =>
  Object.fromEntries(Object.entries({ ...of, ...patch }).filter(([, value]) => value !== null))

function omitWriteOnlyFields(patch: TaskPatch): TaskPatch {
  const rest = { ...patch }
  for (const name of WRITE_ONLY_FIELDS) delete rest[name]
  return rest
}

const changeIds = (
  ids: readonly string[],
  add: readonly string[] = [],
  removed: readonly string[] = [],
) => [...new Set([...ids, ...add])].filter((id) => !removed.includes(id)).toSorted()

const nowTimestamp = () => new Date().toISOString()

/** Whether a task is completed or canceled. */
export const isTaskFinished = ({ status_category }: { status_category: string }): boolean =>
  status_category === 'completed' || status_category === 'canceled'
