import { isManager } from '#core/actor.ts'
import { insufficientRole, notFound } from '#core/api-error.ts'
import type { ReadTx } from '#core/transaction.ts'
import { commentById } from './store.ts'

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
  if (comment.author_id === tx.actor.user_id || isManager(tx.actor)) return comment
  throw insufficientRole('Only its author, owners and admins can delete a comment.')
}
