import { validationFailed } from '#core/api-error.ts'
import type { Operation } from '#core/route.ts'
import type { ReadTx, WriteTx } from '#core/transaction.ts'
import { assertNotArchived } from '#resources/projects/load.ts'
import { fieldError } from '#wire/field-error.ts'
import type { mergeTag } from './internal.ts'
import { loadTag } from './load.ts'
import { keepTag, type LoadedTag, TASKS_PER_STATEMENT } from './operations.ts'
import { replaceInTemplates } from './replace-in-templates.ts'
import * as store from './store.ts'

/**
 * Replaces the tag by another one on all its tasks, also on deleted ones, and in the templates of
 * the project, and deletes it. Emits `tag.deleted`; like the deletion of a tag, it gives the tasks
 * neither an event nor a new version.
 */
export const merge: Operation<typeof mergeTag, LoadedTag> = async (tx, tag, { body }) => {
  const { id, project_id } = tag
  await assertCanMerge(tx, tag, body.into_id)
  assertNotArchived(tag)
  const { task_ids, gained_ids } = await replaceOnTasks(tx, tag, body.into_id)
  await keepTag(tx, tag, { task_ids, gained_ids, into_id: body.into_id })
  await replaceInTemplates(tx, tag, body.into_id)
  await tx.run(store.removeTag, { id })
  tx.emit('tag.deleted', tag.json, { subject_id: project_id, project_id })
  return loadTag(tx, body.into_id)
}

async function assertCanMerge(tx: ReadTx, { id, project_id }: LoadedTag, into_id: string) {
  const into = await tx.one(store.tagById, { id: into_id })
  if (into?.project_id === project_id && into_id !== id) return
  const message = 'must be another tag of the project'
  throw validationFailed(fieldError('into_id', 'invalid_reference', message))
}

/** In batches, because one statement holds the event loop on SQLite. */
async function replaceOnTasks(tx: WriteTx, { id }: LoadedTag, into_id: string) {
  const done = { task_ids: [] as string[], gained_ids: [] as string[] }
  for (;;) {
    const tasks = await tx.all(store.taskIdsWithTag, { id, limit: TASKS_PER_STATEMENT })
    const task_ids = tasks.map(({ task_id }) => task_id)
    if (task_ids.length === 0) return done
    const gaining = await tx.all(store.tasksWithoutTag, { into_id, task_ids })
    done.task_ids.push(...task_ids)
    done.gained_ids.push(...gaining.map((task) => task.id))
    const by = gaining.filter(({ deleted_at }) => deleted_at === null).length
    await Promise.all([
      tx.run(store.replaceTagInTaskLists, { id, into_id, task_ids }),
      tx.run(store.copyTagLinks, { id, into_id, task_ids }),
      tx.run(store.removeTagLinks, { id, task_ids }),
      tx.run(store.addToTaskCount, { id: into_id, by }),
    ])
    if (task_ids.length < TASKS_PER_STATEMENT) return done
  }
}
