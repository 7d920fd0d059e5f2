import { manages } from '#core/actor.ts'
import { insufficientRole, notFound } from '#core/refusal.ts'
import type { ReadTx } from '#core/tx.ts'
import { commentById } from './store.ts'

/** The comment, if the actor sees its task. */
export async function loadComment(tx: ReadTx, id: string) {
  const comment = await tx.one(commentById, { id })
  if (!comment) throw notFound()
  return comment
}

/** The same for its author: nobody else edits it, whatever the role. */
export async function loadOwnComment(tx: ReadTx, id: string) {
  const comment = await loadComment(tx, id)
  if (comment.author_id === tx.actor.user_id) return comment
  throw insufficientRole('Only its author can edit a comment.')
}

/** The same for those who may delete it: its author, owners and admins. */
export async function loadCommentToDelete(tx: ReadTx, id: string) {
  const comment = await loadComment(tx, id)
  if (comment.author_id === tx.actor.user_id || manages(tx.actor)) return comment
  throw insufficientRole('Only its author, owners and admins can delete a comment.')
}
