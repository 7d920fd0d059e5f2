import type { deleteAttachment } from '#resources/attachments/contract.ts'
import type { deleteComment } from '#resources/comments/contract.ts'
import type { deleteTag } from '#resources/tags/contract.ts'
import type { deleteTemplate } from '#resources/templates/internal.ts'
import type { deleteTimeEntry } from '#resources/time-entries/contract.ts'
import type { deleteView } from '#resources/web-app/views/internal.ts'
import { type CallOptions, requestEndpoint } from '../../lib/http/request-endpoint.ts'
import { outcomeMessages } from '../../messages/app/outcomes.ts'
import { invalidate, refetchSoon } from '../cache/query-client.ts'
import { hideRecord, showRecord } from '../mutations/hidden-records.ts'
import type { MutationKind } from '../mutations/mutation-entry.ts'
import { ignoreNotFound, showNotDone } from '../mutations/record-mutations.ts'
import type { DeletableNoun, MutationOfKind } from '../mutations/stored-mutation.ts'
import { updateBoot } from '../session/boot.ts'
import { patchCachedAttachments } from './attachments.ts'
import { patchCommentPages } from './comments.ts'
import { refetchTaskTime } from './time-entries.ts'

/** How the records of a noun are deleted. */
interface NounDeletion {
  send: (params: { id: string }, options: CallOptions) => Promise<unknown>
  onDeleted: (id: string, parent_id: string) => void
}

const DELETIONS: Record<DeletableNoun, NounDeletion> = {
  comment: {
    send: (params, options) =>
      requestEndpoint<typeof deleteComment>('DELETE /api/v1/comments/:id', { params }, options),
    onDeleted(id, task_id) {
      patchCommentPages(task_id, (comments) => comments.filter((one) => one.id !== id))
      // Somebody may restore it.
      showRecord(id)
      for (const name of ['search', 'trash']) refetchSoon([name])
    },
  },
  time_entry: {
    send: (params, options) =>
      requestEndpoint<typeof deleteTimeEntry>(
        'DELETE /api/v1/time-entries/:id',
        { params },
        options,
      ),
    onDeleted: (_, task_id) => refetchTaskTime(task_id),
  },
  attachment: {
    send: (params, options) =>
      requestEndpoint<typeof deleteAttachment>(
        'DELETE /api/v1/attachments/:id',
        { params },
        options,
      ),
    onDeleted(id, task_id) {
      patchCachedAttachments(task_id, (all) => all.filter((one) => one.id !== id))
    },
  },
  tag: {
    send: (params, options) =>
      requestEndpoint<typeof deleteTag>('DELETE /api/v1/tags/:id', { params }, options),
    onDeleted(_, project_id) {
      refetch(['tags', project_id])
      refetch(['tags', 'all'])
    },
  },
  view: {
    send: (params, options) =>
      requestEndpoint<typeof deleteView>('DELETE /internal/views/:id', { params }, options),
    onDeleted(id) {
      updateBoot((now) => ({ ...now, views: now.views.filter((one) => one.id !== id) }))
      refetch(['views'])
    },
  },
  template: {
    send: (params, options) =>
      requestEndpoint<typeof deleteTemplate>('DELETE /internal/templates/:id', { params }, options),
    onDeleted: () => refetch(['templates']),
  },
}

const refetch = (queryKey: readonly string[]): void => void invalidate({ queryKey })

/** A deletion, stored as long as the server has not acknowledged it. */
export const deletionKind: MutationKind<MutationOfKind<'deletion'>> = {
  async send({ noun, id, parent_id }, { key }) {
    const { send, onDeleted } = DELETIONS[noun]
    // The page may be unloading, which has ended the toast.
    await ignoreNotFound(send({ id }, { idempotencyKey: key, keepalive: true }))
    onDeleted(id, parent_id)
    return []
  },
  revert({ id }, error) {
    showRecord(id)
    showNotDone(outcomeMessages.deletion, error)
  },
  show: ({ id }) => hideRecord(id),
}
