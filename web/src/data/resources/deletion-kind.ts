import type { deleteAttachment } from '#resources/attachments/contract.ts'
import type { deleteComment } from '#resources/comments/contract.ts'
import type { deleteTimeEntry } from '#resources/time-entries/contract.ts'
import {
  type CallOptions,
  type CallResult,
  requestEndpointForResult,
} from '../../lib/http/request-endpoint.ts'
import type { Atom } from '../../lib/state/atom.ts'
import { mutationMessages } from '../../messages/app/mutations.ts'
import { refetchSoon } from '../cache/query-client.ts'
import { recordOwnOperation } from '../live/own-operations.ts'
import type { MutationKind } from '../mutations/mutation-entry.ts'
import { ignoreNotFound, showNotDone } from '../mutations/record-mutations.ts'
import type { DeletableNoun, MutationOfKind } from '../mutations/stored-mutation.ts'
import { refetchTask } from '../tasks/task-queries.ts'
import { hiddenAttachments, patchCachedAttachments } from './attachments.ts'
import { hiddenComments, patchCommentPages } from './comments.ts'
import { hiddenTimeEntries, refetchTaskTime } from './time-entries.ts'

/** How the records of a noun are deleted. */
interface NounDeletion {
  hidden: Atom<ReadonlySet<string>>
  send: (params: { id: string }, options: CallOptions) => Promise<CallResult<unknown>>
  onDeleted: (id: string, task_id: string) => void
}

const DELETIONS: Record<DeletableNoun, NounDeletion> = {
  comment: {
    hidden: hiddenComments,
    send: (params, options) =>
      requestEndpointForResult<typeof deleteComment>(
        'DELETE /api/v1/comments/:id',
        { params },
        options,
      ),
    onDeleted(id, task_id) {
      patchCommentPages(task_id, (comments) => comments.filter((one) => one.id !== id))
      refetchTask(task_id)
      refetchSoon(['search'])
    },
  },
  time_entry: {
    hidden: hiddenTimeEntries,
    send: (params, options) =>
      requestEndpointForResult<typeof deleteTimeEntry>(
        'DELETE /api/v1/time-entries/:id',
        { params },
        options,
      ),
    onDeleted: (_, task_id) => refetchTaskTime(task_id),
  },
  attachment: {
    hidden: hiddenAttachments,
    send: (params, options) =>
      requestEndpointForResult<typeof deleteAttachment>(
        'DELETE /api/v1/attachments/:id',
        { params },
        options,
      ),
    onDeleted(id, task_id) {
      patchCachedAttachments(task_id, (all) => all.filter((one) => one.id !== id))
      refetchTask(task_id)
    },
  },
}

/** A deletion that was stored while it could still be undone. */
export const deletionKind: MutationKind<MutationOfKind<'deletion'>> = {
  async send({ noun, id, task_id }, { key }) {
    const { send, onDeleted } = DELETIONS[noun]
    // The page may be unloading, which has ended the toast.
    const request = send({ id }, { idempotencyKey: key, keepalive: true })
    await ignoreNotFound(request.then((reply) => recordOwnOperation(reply.operation_id)))
    onDeleted(id, task_id)
    return []
  },
  revert({ noun, id }, error) {
    const { hidden } = DELETIONS[noun]
    hidden.set(new Set([...hidden.get()].filter((one) => one !== id)))
    showNotDone(mutationMessages.deletion, error)
  },
  show({ noun, id }) {
    const { hidden } = DELETIONS[noun]
    hidden.set(new Set([...hidden.get(), id]))
  },
}
