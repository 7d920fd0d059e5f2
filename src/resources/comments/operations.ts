import { later } from '#core/later.ts'
import { invalid } from '#core/refusal.ts'
import type { Operation } from '#core/route.ts'
import { sourceOf } from '#core/source.ts'
import type { ReadTx, WriteTx } from '#core/tx.ts'
import { newId } from '#lib/id.ts'
import { refuseArchived } from '#resources/projects/load.ts'
import type { FoundTask } from '#resources/tasks/load.ts'
import { recordActivity } from '#storage/activity.ts'
import { writeCommentWords } from '#storage/comment-words.ts'
import { orderOf, windowOf } from '#storage/paged.ts'
import { tellCommented, tellMentioned } from '#storage/watching.ts'
import { indexed } from '#storage/words.ts'
import { fault } from '#wire/fault.ts'
import type { Static } from '#wire/schema.ts'
import type {
  createComment,
  deleteComment,
  getComment,
  listComments,
  updateComment,
} from './contract.ts'
import { loadComment } from './load.ts'
import { mentionsIn } from './mentions.ts'
import {
  commentsOfTask,
  countComment,
  editComment,
  insertComment,
  parentInTask,
  removeComment,
} from './store.ts'

type FoundComment = Awaited<ReturnType<typeof loadComment>>

export const list: Operation<typeof listComments, FoundTask> = async (
  tx,
  task,
  { query, page },
) => {
  const { author_id = '', updated_since = '' } = query
  const author = author_id === 'me' ? (tx.actor.user_id ?? '') : author_id
  const shape = {
    order: orderOf(page, null),
    author: author_id !== '',
    since: updated_since !== '',
  }
  const filters = { task_id: task.id, author_id: author, updated_since }
  return page.cut(await tx.all(commentsOfTask(shape), { ...windowOf(page), ...filters }))
}

export const create: Operation<typeof createComment, FoundTask> = (tx, task, { body }) =>
  createAs(tx, task, tx.actor.user_id ?? '', body)

/** Writes a comment in somebody's name: for an import, where the actor is not who wrote it. */
export async function createAs(
  tx: WriteTx,
  task: FoundTask,
  author_id: string,
  { body, parent_id = null }: Static<(typeof createComment)['body']>,
) {
  if (parent_id !== null) await refuseParent(tx, task.id, parent_id)
  refuseArchived(task)
  const id = newId('cmt', tx.instant)
  const mentions = await mentionsIn(tx, task.project_id, body)
  // The one after the other, but without waiting in between.
  const steps = [
    tx.run(insertComment, {
      id,
      task_id: task.id,
      author_id,
      body,
      parent_id,
      mentions: JSON.stringify(mentions),
      source: sourceOf(tx.actor),
      edited_at: null,
      created_at: tx.now,
      updated_at: tx.now,
    }),
    tx.run(writeCommentWords, { id, words: indexed(tx.actor.workspace_id, body) }),
    tx.run(countComment, { task_id: task.id, by: 1 }),
  ]
  const [comment] = await Promise.all([loadComment(tx, id), ...steps])
  tx.emit('comment.created', comment.json, { subject_id: task.id, project_id: task.project_id })
  await tellCommented(tx, task, id, mentions)
  return comment
}

export const get: Operation<typeof getComment, FoundComment> = async (_, comment) => comment

export const update: Operation<typeof updateComment, FoundComment> = async (
  tx,
  comment,
  { body: { body = comment.body } },
) => {
  refuseArchived(comment)
  if (body === comment.body) return comment
  const mentions = await mentionsIn(tx, comment.project_id, body)
  const updated_at = later(tx, comment.updated_at)
  await tx.run(editComment, {
    ...{ id: comment.id, body, edited_at: updated_at, updated_at },
    mentions: JSON.stringify(mentions),
  })
  const words = indexed(tx.actor.workspace_id, body)
  await tx.run(writeCommentWords, { id: comment.id, words })
  const { id, task_id, project_id } = comment
  tx.note({ noun: 'comment', id, op: 'update', task_id, project_id, revision: updated_at })
  await tellMentioned(tx, { id: task_id, project_id }, id, mentions)
  return loadComment(tx, comment.id)
}

export const remove: Operation<typeof deleteComment, FoundComment> = async (
  tx,
  { id, task_id, project_id, archived_at },
) => {
  refuseArchived({ archived_at })
  await tx.run(removeComment, { id })
  await tx.run(countComment, { task_id, by: -1 })
  tx.note({ noun: 'comment', id, op: 'delete', task_id, project_id })
  await recordActivity(tx, task_id, 'comment_deleted')
}

async function refuseParent(tx: ReadTx, task_id: string, id: string): Promise<void> {
  const parent = await tx.one(parentInTask, { task_id, id })
  if (!parent)
    throw invalid(fault('parent_id', 'invalid_reference', 'names no comment of the task'))
  if (parent.parent_id !== null) {
    throw invalid(fault('parent_id', 'too_deep', 'names a reply; only comments have replies'))
  }
}
