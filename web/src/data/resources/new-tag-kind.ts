import { ApiResponseError } from '../../lib/http/problem.ts'
import { mutationMessages } from '../../messages/app/mutations.ts'
import type { MutationKind } from '../mutations/mutation-entry.ts'
import { ignoreNotFound, showNotDone } from '../mutations/record-mutations.ts'
import type { MutationOfKind } from '../mutations/stored-mutation.ts'
import { changeTask } from '../tasks/change-task.ts'
import { fetchTask } from '../tasks/task-queries.ts'
import { getCachedTask, getRealId, isTempId } from '../tasks/task-store.ts'
import { createProjectTag } from './tags.ts'

type NewTagMutation = MutationOfKind<'new-tag'>

/** A new tag of a project, which is then added to a task. */
export const newTagKind: MutationKind<NewTagMutation> = {
  async send(payload, { key }) {
    const tagId = await createOrFindTag(payload, key)
    const id = getRealId(payload.task_id)
    // An earlier page may have made it. Only the task that was not created has a temporary id.
    if (!getCachedTask(id) && !isTempId(id)) await ignoreNotFound(fetchTask(id))
    changeTask(id, { add_tag_ids: [tagId] })
    return []
  },
  revert: ({ tag }, error) => showNotDone(mutationMessages.newTag(tag.name), error),
  resolveTempId: (payload, { tempId, id }) =>
    payload.task_id === tempId ? { ...payload, task_id: id } : undefined,
}

/** The id of the new tag, or of the one that has the name by now. */
async function createOrFindTag({ project_id, tag }: NewTagMutation, key: string): Promise<string> {
  try {
    return (await createProjectTag(project_id, tag, key)).id
  } catch (error) {
    const isTaken = error instanceof ApiResponseError && error.code === 'tag_exists'
    const id = isTaken ? error.details[0]?.resource_id : undefined
    if (id === undefined) throw error
    return id
  }
}
