import type { createComment } from '#resources/comments/contract.ts'
import { type CallResult, requestEndpointForResult } from '../../lib/http/request-endpoint.ts'
import { refetchSoon } from '../cache/query-client.ts'
import type { MutationKind } from '../mutations/mutation-entry.ts'
import type { MutationOfKind } from '../mutations/stored-mutation.ts'
import { type Comment, patchCommentPages, pendingComments } from './comments.ts'

/** A new comment. */
export const commentKind: MutationKind<MutationOfKind<'comment'>> = {
  async send({ comment: { task_id, parent_id, body } }, { key }) {
    const sent = { params: { id: task_id }, body: { body, ...(parent_id && { parent_id }) } }
    const to = 'POST /api/v1/tasks/:id/comments'
    const options = { idempotencyKey: key }
    const reply = await requestEndpointForResult<typeof createComment>(to, sent, options)
    refetchAfter(reply)
    const { id } = reply.body
    // The stream may have told of it before the reply.
    patchCommentPages(task_id, (all) => [reply.body, ...all.filter((one) => one.id !== id)])
    removePending(key)
    return []
  },
  revert: (_, __, key) => removePending(key),
  textOf: ({ comment }) => comment.body,
  show({ comment }) {
    removePending(comment.key)
    pendingComments.set([...pendingComments.get(), comment])
  },
}

/** Refetches what an own write changes beside the comment. */
function refetchAfter({ body, isReplayed }: CallResult<Comment>): void {
  refetchSoon(['search'])
  // Somebody may have changed or deleted the comment since the first reply, which was lost.
  if (isReplayed) refetchSoon(['comments', body.task_id])
}

const removePending = (key: string): void =>
  pendingComments.set(pendingComments.get().filter((one) => one.key !== key))
