import type { CreatedRecord } from '../mutations/mutation-entry.ts'
import type { TaskWithPlaceholder } from './create-task.ts'
import { isSameValue, type TaskPatch } from './task-patch.ts'

/** A patch with the server's ids of the tasks beside or below which it moves a task. */
export function resolvePatchIds(patch: TaskPatch, getRealId: (id: string) => string): TaskPatch {
  const { before_id, after_id, parent_id } = patch
  return {
    ...patch,
    ...(before_id && { before_id: getRealId(before_id) }),
    ...(after_id && { after_id: getRealId(after_id) }),
    ...(parent_id && { parent_id: getRealId(parent_id) }),
  }
}

/** A task, or the fields of one, with the id of a parent that the server has created. */
export const resolveParentId = <T extends { parent_id?: string | null }>(
  task: T,
  { tempId, id }: CreatedRecord,
): T => (task.parent_id === tempId ? { ...task, parent_id: id } : task)

/** A new task whose parent was an unsaved one, too. */
export const resolveCreation = <T extends TaskWithPlaceholder>(
  creation: T,
  created: CreatedRecord,
): T => ({
  ...creation,
  body: resolveParentId(creation.body, created),
  placeholder: resolveParentId(creation.placeholder, created),
})

/** The resolved payload of a mutation; undefined if it does not name the created record. */
export const omitUnchanged = <P>(resolved: P, payload: P): P | undefined =>
  isSameValue(resolved, payload) ? undefined : resolved
