import { may } from '#core/actor.ts'
import { insufficientRole, notFound } from '#core/api-error.ts'
import type { ReadTx } from '#core/transaction.ts'
import { trashSince } from '#core/trash.ts'
import { commentById, deletedCommentById } from './store.ts'

/** The comment, if the actor sees its task. */
export async function loadComment(tx: ReadTx, id: string) {
  const comment = await tx.one(commentById, { id })
  if (!comment) throw notFound()
  return comment
}

/** The comment, for its author: nobody else can edit it, whatever their role. */
export async function loadOwnComment(tx: ReadTx, id: string) {
  const comment = await loadComment(tx, id)
  if (comment.author_id === tx.actor.user_id) return comment
  throw insufficientRole('Only its author can edit a comment.')
}

/** The comment, for those who may delete it: its author, owners and admins. */
export async function loadCommentToDelete(tx: ReadTx, id: string) {
  const comment = await loadComment(tx, id)
  assertMayRemove(tx, comment, 'delete')
  return comment
}

/** The deleted comment, or one that is not deleted, for those who may delete it. */
export async function loadCommentToRestore(tx: ReadTx, id: string) {
  const trash_since = trashSince(tx.nowMs)
  const comment =
    (await tx.one(deletedCommentById, { id, trash_since })) ?? (await loadComment(tx, id))
  assertMayRemove(tx, comment, 'restore')
  return comment
}

function assertMayRemove(
  { actor }: ReadTx,
  { author_id }: { author_id: string },
  verb: 'delete' | 'restore',
): void {
  if (author_id === actor.user_id || may(actor, 'change_work_of_others')) return
  throw insufficientRole(`Only its author, owners and admins can ${verb} a comment.`)
}
