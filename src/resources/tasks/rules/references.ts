import { conflict, MAX_WRITTEN_BYTES, writeTooLarge } from '#core/api-error.ts'
import type { ReadTx } from '#core/transaction.ts'
import { findMembersWithAccess } from '#resources/members/load.ts'
import { type FieldError, fieldError } from '#wire/field-error.ts'
import { MAX_BLOCKED_TASKS } from '../fields.ts'
import { blockedTaskCount, blockerCount } from '../statements/links.ts'
import {
  ancestors,
  bytesOfTasks,
  descendantAtDepth,
  descendants,
  projectTagsByIds,
  tagsWithSameNames,
  visibleTasksByIds,
} from '../statements/related.ts'
import type { TaskPlacement } from '../writing/rank.ts'
import { findWaitingBlockers, MAX_DEPENDENCY_SEARCH } from './dependency-cycles.ts'
import type { ChangedSet } from './field-values.ts'

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
