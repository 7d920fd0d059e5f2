import { conflict, MAX_WRITTEN_BYTES, writeTooLarge } from '#core/api-error.ts'
import type { ReadTx, WriteTx } from '#core/transaction.ts'
import { dayIn, isDay } from '#lib/days.ts'
import { findMembersWithAccess } from '#resources/members/load.ts'
import type { StatusCategory } from '#resources/projects/contract.ts'
import { type FieldError, fieldError } from '#wire/field-error.ts'
import { MAX_OBJECT_MEMBERS } from '../custom-data.ts'
import { MAX_BLOCKED_TASKS, type TaskFields } from '../fields.ts'
import { blockedTaskCount, blockedTasks, blockerCount, blockerTasks } from '../statements/links.ts'
import {
  ancestors,
  bytesOfTasks,
  descendantAtDepth,
  descendants,
  projectTagsByIds,
  tagsWithSameNames,
  visibleTasksByIds,
} from '../statements/related.ts'
import type { StatusFields, TaskProjectContext } from '../writing/change-task.ts'
import type { TaskPlacement } from '../writing/rank.ts'

/** A body before its fields have been validated: its values may be of any type. */
type UncheckedTaskBody = Readonly<Record<string, unknown>>

/** The fields that rules compare. A field that is undefined may still get any value. */
interface ComparedFields {
  readonly start_date?: unknown
  readonly due_date?: unknown
  readonly recurrence?: unknown
  readonly external_source?: unknown
  readonly external_id?: unknown
}

/**
 * The rules between fields of a task (docs/spec/api.md#task). They hold for a request by itself,
 * together with the errors of its fields, and for the task as the request would make it. An error
 * names a field that the request has sent.
 */
export const findCrossFieldErrors = (fields: ComparedFields, sent: ComparedFields): FieldError[] =>
  RULES.flatMap((rule) => rule(fields, sent) ?? [])

type Rule = (fields: ComparedFields, sent: ComparedFields) => FieldError | undefined

const DAY = /^\d{4}-\d\d-\d\d$/
const isDayText = (value: unknown): value is string => typeof value === 'string' && DAY.test(value)

const RULES: readonly Rule[] = [
  function startsBeforeItIsDue({ start_date, due_date }, sent) {
    if (!isDayText(start_date) || !isDayText(due_date) || start_date <= due_date) return undefined
    if (sent.start_date)
      return fieldError('start_date', 'invalid_range', 'must not be after `due_date`')
    const field = sent.due_date ? 'due_date' : 'due_at'
    return fieldError(field, 'invalid_range', 'must not be before `start_date`')
  },
  function recursFromADueDate({ recurrence, due_date }, sent) {
    if (typeof recurrence !== 'object' || recurrence === null || due_date !== null) return undefined
    const { basis = 'due_date' } = recurrence as { basis?: unknown }
    if (basis !== 'due_date') return undefined
    const field = sent.recurrence === undefined ? 'due_date' : 'recurrence'
    const why =
      field === 'due_date'
        ? 'is required, because the task recurs on the basis of due_date'
        : 'requires a due date, unless its basis is completion'
    return fieldError(field, 'conflicting_fields', why)
  },
  function hasBothOrNoExternalFields({ external_source, external_id }) {
    if (external_source === undefined || external_id === undefined) return undefined
    if ((external_source === null) === (external_id === null)) return undefined
    const [missing, other] =
      external_source === null
        ? (['external_source', 'external_id'] as const)
        : (['external_id', 'external_source'] as const)
    return fieldError(missing, 'conflicting_fields', `is required together with \`${other}\``)
  },
]

/** The rules for a new task as it is sent: null is the same as an absent field. */
export function validateNewTask(body: UncheckedTaskBody): FieldError[] {
  const { start_date = null, external_source = null, external_id = null, recurrence } = body
  const due_date = body.due_date ?? (body.due_at ? undefined : null)
  const fields = { start_date, due_date, recurrence, external_source, external_id }
  return findCrossFieldErrors(fields, body)
}

/** The rules for an update as it is sent, as far as they do not depend on the task. */
export const validateTaskChanges = (body: UncheckedTaskBody): FieldError[] => [
  ...findCrossFieldErrors(body, body),
  ...validateAddRemove(body, 'assignee_ids'),
  ...validateAddRemove(body, 'tag_ids'),
]

function validateAddRemove(body: UncheckedTaskBody, name: string): FieldError[] {
  const [add, remove] = [body[`add_${name}`], body[`remove_${name}`]]
  if (!Array.isArray(add) || !Array.isArray(remove)) return []
  const added = new Set<unknown>(add)
  return remove.flatMap((id, at) =>
    added.has(id)
      ? [
          fieldError(
            `remove_${name}[${at}]`,
            'conflicting_fields',
            'cannot be both added and removed',
          ),
        ]
      : [],
  )
}

/** How many tasks a search for cycles visits before it gives up (docs/spec/api.md#types-and-codes). */
const MAX_DEPENDENCY_SEARCH = 5_000

/** With at most 500 links each, one statement reads at most 25,000 links. */
const TASKS_PER_STATEMENT = 50

/** Which of some tasks wait for another one, or that the search visited too many tasks to know. */
type DependencySearch = { waitingIds: ReadonlySet<string> } | 'too_many'

/**
 * Finds which of these blockers wait for a task, directly or through other (also deleted) tasks.
 * One search serves all blockers. It goes from both ends, always from the end with fewer tasks to
 * visit next, because usually one end is small: a new blocker seldom waits for anything itself.
 */
async function findWaitingBlockers(
  tx: ReadTx,
  id: string,
  blocker_ids: readonly string[],
): Promise<DependencySearch> {
  const blocked = createSearch([id], (ids) => tx.all(blockedTasks, { ids }))
  const blockers = createSearch(blocker_ids, (ids) => tx.all(blockerTasks, { ids }))
  const isTooLarge = () => blocked.visited.size + blockers.visited.size > MAX_DEPENDENCY_SEARCH
  let haveMet = false
  while (!haveMet && blocked.remaining() > 0 && blockers.remaining() > 0) {
    const [near, far] =
      blocked.remaining() <= blockers.remaining() ? [blocked, blockers] : [blockers, blocked]
    haveMet = (await near.visitNext()).some((found) => far.visited.has(found))
    if (isTooLarge()) return 'too_many'
  }
  if (!haveMet) return { waitingIds: new Set() }
  // There is a cycle. Everything that waits for the task shows through which blockers.
  while (blocked.remaining() > 0) {
    await blocked.visitNext()
    if (isTooLarge()) return 'too_many'
  }
  return { waitingIds: blocked.visited }
}

/** A breadth-first search from some tasks, in steps of one statement. */
function createSearch(
  start: readonly string[],
  neighborsOf: (ids: readonly string[]) => Promise<{ id: string }[]>,
) {
  const visited = new Set(start)
  const queue = [...start]
  let position = 0
  return {
    visited: visited as ReadonlySet<string>,
    /** How many tasks were found and not yet visited. */
    remaining: () => queue.length - position,
    /** Visits some tasks; returns the tasks that it found for the first time. */
    async visitNext(): Promise<readonly string[]> {
      const ids = queue.slice(position, position + TASKS_PER_STATEMENT)
      position += ids.length
      const found: string[] = []
      for (const { id } of await neighborsOf(ids)) {
        if (visited.has(id)) continue
        visited.add(id)
        found.push(id)
      }
      queue.push(...found)
      return found
    },
  }
}

/** A change of a set: the whole set, or ids to add and to remove. */
interface SetChange {
  whole?: readonly string[] | undefined
  add?: readonly string[] | undefined
  remove?: readonly string[] | undefined
}

/** The changed set in ascending order, and the path in the body of each new member. */
interface ChangedSet {
  ids: string[]
  gained: { id: string; path: string }[]
}

/** Applies a change. Adding a member or removing a missing one changes nothing (docs/spec/api.md#task). */
export function applySetChange(
  name: string,
  before: readonly string[],
  { whole, add = [], remove = [] }: SetChange,
  maxCount: number,
  errors: FieldError[],
): ChangedSet {
  const present = new Set(before)
  const requested = whole ?? add
  const path = whole ? name : `add_${name}`
  const remaining = whole ? [] : before.filter((id) => !remove.includes(id))
  const ids = [...new Set([...remaining, ...requested])].toSorted()
  const gained = requested.flatMap((id, index) =>
    present.has(id) ? [] : [{ id, path: `${path}[${index}]` }],
  )
  // Restored blockers can make a set too large, which must not block changes of anything else.
  if (ids.length > maxCount && gained.length > 0)
    errors.push(fieldError(path, 'too_many', `must leave at most ${maxCount} entries`))
  return { ids, gained }
}

type TaskDates = Pick<TaskFields, 'start_date' | 'due_date' | 'due_at'>
type TaskDatesInput = { [F in keyof TaskDates]?: TaskDates[F] | undefined }

/**
 * Resolves start date, due date and due time in the time zone of the workspace (docs/spec/api.md#task). A
 * due time sets its day, a new day alone clears the time, and without a day there is no time.
 */
export function resolveDates(
  before: TaskDates,
  input: TaskDatesInput,
  timezone: string,
  errors: FieldError[],
): TaskDates {
  const { start_date = before.start_date } = input
  return { start_date, ...resolveDue(before, input, timezone, errors) }
}

function resolveDue(
  before: TaskDates,
  { due_date, due_at }: TaskDatesInput,
  timezone: string,
  errors: FieldError[],
) {
  // An unchanged time keeps its day, even if the time zone of the workspace has changed since.
  const isSameDay = due_date === undefined || due_date === before.due_date
  if (due_at && due_at === before.due_at && isSameDay) {
    return { due_date: before.due_date, due_at }
  }
  if (due_at) {
    const day = dayIn(timezone, due_at)
    if (!isDay(day))
      errors.push(fieldError('due_at', 'invalid_format', 'must be between the years 1970 and 9999'))
    if (due_date !== undefined && due_date !== day) {
      const message = `must be on the \`due_date\` in the time zone of the workspace (${timezone})`
      errors.push(fieldError('due_at', 'conflicting_fields', message))
    }
    return { due_date: day, due_at }
  }
  if (due_date === null) return { due_date: null, due_at: null }
  if (due_date === undefined) {
    return { due_date: before.due_date, due_at: due_at === null ? null : before.due_at }
  }
  const keepsTime = due_at === undefined && due_date === before.due_date
  return { due_date, due_at: keepsTime ? before.due_at : null }
}

const MAX_BYTES = 16 * 1024

/**
 * Merges an object member by member; null removes one (RFC 7396). Adds errors if it gets too large.
 */
export function mergeObject<V>(
  name: string,
  before: Record<string, V>,
  patch: Record<string, V | null> | undefined,
  errors: FieldError[],
): Record<string, V> {
  if (patch === undefined) return before
  const after = Object.entries({ ...before, ...patch }).filter(
    (entry): entry is [string, V] => entry[1] !== null,
  )
  const value = Object.fromEntries(after)
  if (after.length > MAX_OBJECT_MEMBERS) {
    errors.push(fieldError(name, 'too_many', `must have at most ${MAX_OBJECT_MEMBERS} members`))
  }
  if (Buffer.byteLength(JSON.stringify(value)) > MAX_BYTES) {
    errors.push(fieldError(name, 'too_large', 'must be at most 16 KiB as JSON'))
  }
  return value
}

/** Adds an error for each new assignee who is not an active member or does not see the project. */
export async function checkAssignees(
  tx: ReadTx,
  project_id: string,
  { gained }: ChangedSet,
  errors: FieldError[],
): Promise<void> {
  const withAccess = await findMembersWithAccess(
    tx,
    project_id,
    gained.map(({ id }) => id),
  )
  for (const { id, path } of gained) {
    if (withAccess.has(id)) continue
    errors.push(
      fieldError(path, 'not_a_member', 'must be an active member with access to the project'),
    )
  }
}

/** Adds an error for each new tag that does not belong to the project. */
export async function checkTags(
  tx: ReadTx,
  project_id: string,
  { gained }: ChangedSet,
  errors: FieldError[],
): Promise<void> {
  if (gained.length === 0) return
  const ids = gained.map(({ id }) => id)
  const projectTagIds = new Set(
    (await tx.all(projectTagsByIds, { project_id, ids })).map(({ id }) => id),
  )
  for (const { id, path } of gained) {
    if (!projectTagIds.has(id))
      errors.push(fieldError(path, 'not_in_project', 'must be a tag of the project'))
  }
}

/** Maps tags to the tags of the project that have the same names. */
export async function findTagsWithSameNames(
  tx: ReadTx,
  project_id: string,
  tag_ids: readonly string[],
): Promise<Map<string, string>> {
  if (tag_ids.length === 0) return new Map()
  const rows = await tx.all(tagsWithSameNames, { project_id, ids: tag_ids })
  return new Map(rows.map(({ former_id, id }) => [former_id, id]))
}

/**
 * Adds an error for each new blocker that is unknown, is the task itself, or waits for it. `id` is
 * null for a new task. Returns false if too many tasks depend on each other to find all cycles.
 */
export async function checkBlockers(
  tx: ReadTx,
  id: string | null,
  { gained }: ChangedSet,
  errors: FieldError[],
): Promise<boolean> {
  if (gained.length === 0) return true
  const ids = gained.map((one) => one.id)
  const visibleIds = new Set((await tx.all(visibleTasksByIds, { ids })).map((task) => task.id))
  for (const { id: blocker, path } of gained) {
    if (blocker === id) errors.push(fieldError(path, 'cycle', 'cannot be the task itself'))
    else if (!visibleIds.has(blocker)) {
      errors.push(fieldError(path, 'invalid_reference', 'must be a task that you have access to'))
    }
  }
  if (id === null || ids.includes(id)) return true
  const search = await findWaitingBlockers(tx, id, ids)
  if (search === 'too_many') return false
  for (const { id: blocker, path } of gained) {
    if (!search.waitingIds.has(blocker)) continue
    errors.push(fieldError(path, 'cycle', 'is itself blocked by this task'))
  }
  return true
}

/**
 * 409 if too many tasks depend on each other, if a blocker would block too many tasks, or if too
 * many would block the task. Deleted tasks count: restoring them must not exceed the limits.
 */
export async function assertDependencyLimits(
  tx: ReadTx,
  { id, blocked_by_ids }: { id: string | null; blocked_by_ids: readonly string[] },
  { ids, gained }: ChangedSet,
  isChecked: boolean,
): Promise<void> {
  if (!isChecked) {
    const message = `Dependencies cannot be checked for cycles across more than ${MAX_DEPENDENCY_SEARCH} tasks. Remove dependencies between the tasks that wait for this one or that its blockers wait for.`
    throw conflict('limit_reached', message)
  }
  for (const blocker of gained) {
    const { count } = (await tx.one(blockedTaskCount, { id: blocker.id })) ?? { count: 0 }
    if (count < MAX_BLOCKED_TASKS) continue
    const message = `A task can block at most ${MAX_BLOCKED_TASKS} tasks, including deleted ones.`
    throw conflict('limit_reached', message)
  }
  if (id === null || gained.length === 0) return
  const { count } = (await tx.one(blockerCount, { id })) ?? { count: 0 }
  if (count - blocked_by_ids.length + ids.length <= MAX_BLOCKED_TASKS) return
  const message = `A task can be blocked by at most ${MAX_BLOCKED_TASKS} tasks, including deleted ones.`
  throw conflict('limit_reached', message)
}

/** The most levels of a task tree, including the topmost (docs/spec/api.md#task). */
export const MAX_SUBTASK_LEVELS = 5

/**
 * Adds an error for a parent that is unknown, in another project, below the task itself, or too
 * deep. `id` is null for a new task.
 */
export async function checkParent(
  tx: ReadTx,
  id: string | null,
  project_id: string,
  parent_id: string,
  errors: FieldError[],
): Promise<void> {
  const reject = (code: Parameters<typeof fieldError>[1], message: string) => {
    errors.push(fieldError('parent_id', code, message))
  }
  if (parent_id === id) return reject('cycle', 'cannot be the task itself')
  const [parent] = await tx.all(visibleTasksByIds, { ids: [parent_id] })
  if (!parent) return reject('invalid_reference', 'must be a task that you have access to')
  if (parent.project_id !== project_id)
    return reject('not_in_project', 'must be a task of the same project')
  const ancestorIds = (await tx.all(ancestors, { id: parent_id })).map((task) => task.id)
  if (id !== null && ancestorIds.includes(id))
    return reject('cycle', 'cannot be a subtask of this task')
  const levelsLeft = MAX_SUBTASK_LEVELS - ancestorIds.length - 1
  if (levelsLeft < 1 || (id !== null && (await hasDescendantAt(tx, id, levelsLeft))))
    reject('too_deep', `would nest tasks more than ${MAX_SUBTASK_LEVELS} levels deep`)
}

const hasDescendantAt = async (tx: ReadTx, id: string, max_depth: number): Promise<boolean> =>
  (await tx.one(descendantAtDepth, { id, max_depth })) !== undefined

/** The most subtasks that a deletion or a move includes (docs/spec/api.md#types-and-codes). */
export const MAX_SUBTASKS = 1_000

/**
 * Refuses to delete or move a task with so many or such long subtasks that one request cannot write
 * them. The transaction would notice the bytes, too, but not before it has written most of them.
 */
export async function assertTreeIsSmallEnough(
  tx: ReadTx,
  ids: readonly string[],
  action: 'deleted' | 'moved',
): Promise<void> {
  if (ids.length > MAX_SUBTASKS + 1)
    throw conflict(
      'limit_reached',
      `A task with more than ${MAX_SUBTASKS} subtasks cannot be ${action}.`,
    )
  if (ids.length === 1) return
  const { bytes = 0 } = (await tx.one(bytesOfTasks, { ids })) ?? {}
  if (bytes > MAX_WRITTEN_BYTES) throw writeTooLarge()
}

/**
 * The undeleted descendants of a task, by depth and number. Of more than `maxCount` it returns one
 * more than that, which the caller refuses.
 */
export const loadDescendants = (tx: ReadTx, id: string, maxCount: number) =>
  tx.all(descendants, { id, max_depth: MAX_SUBTASK_LEVELS, limit: maxCount + 1 })

/** The requested placement, if there is one. Adds an error for an invalid neighbor. */
export async function resolvePlacement(
  tx: ReadTx,
  id: string | null,
  project_id: string,
  { before_id, after_id }: { before_id?: string; after_id?: string },
  errors: FieldError[],
): Promise<Pick<TaskPlacement, 'side' | 'beside'> | undefined> {
  const neighborId = before_id ?? after_id
  if (neighborId === undefined) return undefined
  const field = before_id === undefined ? 'after_id' : 'before_id'
  const [beside] = neighborId === id ? [] : await tx.all(visibleTasksByIds, { ids: [neighborId] })
  if (!beside)
    errors.push(
      fieldError(field, 'invalid_reference', 'must be another task that you have access to'),
    )
  else if (beside.project_id !== project_id) {
    errors.push(fieldError(field, 'not_in_project', 'must be a task of the same project'))
  }
  return beside && { side: before_id === undefined ? 'after' : 'before', beside }
}

type ProjectStatuses = TaskProjectContext['statuses']

const firstOfCategory = (statuses: ProjectStatuses, category: StatusCategory) =>
  statuses.find((status) => status.category === category)

function assertFound<T>(status: T | undefined): T {
  if (status === undefined) throw new Error('A project without a status that it must have')
  return status
}

/** The status of a new task: the first unstarted, else backlog, else started one (docs/spec/api.md#project). */
export const defaultStatus = (statuses: ProjectStatuses) =>
  assertFound(
    firstOfCategory(statuses, 'unstarted') ??
      firstOfCategory(statuses, 'backlog') ??
      firstOfCategory(statuses, 'started'),
  )

/** The status of a completed task: the first of that category. */
export const completingStatus = (statuses: ProjectStatuses) =>
  assertFound(firstOfCategory(statuses, 'completed'))

/**
 * The status of a task in another project: with its key, else of its category, else the default.
 */
export const mapStatus = (
  statuses: ProjectStatuses,
  statusFields: Pick<StatusFields, 'status' | 'status_category'>,
) =>
  statuses.find(({ key }) => key === statusFields.status) ??
  firstOfCategory(statuses, statusFields.status_category) ??
  defaultStatus(statuses)

/** Adds an error for a status key that the project does not have. */
export function checkStatus(key: string, statuses: ProjectStatuses, errors: FieldError[]): void {
  if (statuses.some((status) => status.key === key)) return
  const keys = statuses.map((status) => status.key).join(', ')
  errors.push(fieldError('status', 'invalid_value', `must be a status of the project: ${keys}`))
}

/** The fields of a status. Times are set on entering a category, and kept within it. */
export function enterStatus(
  tx: WriteTx,
  statuses: ProjectStatuses,
  key: string,
  before?: Pick<
    StatusFields,
    'status_category' | 'completed_at' | 'completed_by_id' | 'canceled_at'
  >,
): StatusFields {
  const { category } = assertFound(statuses.find((status) => status.key === key))
  const isSameCategory = before?.status_category === category
  const completed = category === 'completed'
  const canceled = category === 'canceled'
  return {
    status: key,
    status_category: category,
    completed_at: completed ? (isSameCategory ? before.completed_at : tx.now) : null,
    completed_by_id: completed
      ? isSameCategory
        ? before.completed_by_id
        : tx.actor.user_id
      : null,
    canceled_at: canceled ? (isSameCategory ? before.canceled_at : tx.now) : null,
  }
}
