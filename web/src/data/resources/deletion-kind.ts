import type { deleteAttachment } from '#resources/attachments/contract.ts'
import type { deleteComment } from '#resources/comments/contract.ts'
import type { deleteTag } from '#resources/tags/contract.ts'
import type { deleteTemplate } from '#resources/templates/internal.ts'
import type { deleteTimeEntry } from '#resources/time-entries/contract.ts'
import type { deleteView } from '#resources/web-app/views/internal.ts'
import { type EndpointAddress, requestEndpointForResult } from '../../lib/http/request-endpoint.ts'
import { outcomeMessages } from '../../messages/app/outcomes.ts'
import { invalidate, refetchSoon } from '../cache/query-client.ts'
import type { MutationKind } from '../mutations/mutation-entry.ts'
import { ignoreNotFound, showNotDone } from '../mutations/record-mutations.ts'
import type { DeletableNoun, MutationOfKind } from '../mutations/stored-mutation.ts'
import { updateBoot } from '../session/boot.ts'
import { takeRecordDeletion } from './held-records.ts'

interface DeletionEndpoints {
  comment: typeof deleteComment
  time_entry: typeof deleteTimeEntry
  attachment: typeof deleteAttachment
  tag: typeof deleteTag
  view: typeof deleteView
  template: typeof deleteTemplate
}

const ADDRESSES: { [N in DeletableNoun]: EndpointAddress<DeletionEndpoints[N]> } = {
  comment: 'DELETE /api/v1/comments/:id',
  time_entry: 'DELETE /api/v1/time-entries/:id',
  attachment: 'DELETE /api/v1/attachments/:id',
  tag: 'DELETE /api/v1/tags/:id',
  view: 'DELETE /internal/views/:id',
  template: 'DELETE /internal/templates/:id',
}

/** A deletion, stored as long as the server has not acknowledged it. */
export const deletionKind: MutationKind<MutationOfKind<'deletion'>> = {
  async send({ noun, id }, { key }) {
    let n: number | undefined
    // The page may be unloading, which has ended the toast.
    const options = { idempotencyKey: key, keepalive: true }
    const sending = requestEndpointForResult(ADDRESSES[noun], { params: { id } }, options)
    await ignoreNotFound(sending.then(({ changeNumber }) => (n = changeNumber)))
    if (noun === 'view') {
      updateBoot((now) => ({ ...now, views: now.views.filter((one) => one.id !== id) }))
      await invalidate({ queryKey: ['views'] })
    } else if (noun === 'template') await invalidate({ queryKey: ['templates'] })
    else await takeRecordDeletion(id, n)
    if (noun === 'comment') for (const name of ['search', 'trash']) refetchSoon([name])
    return []
  },
  revert: (_, error) => showNotDone(outcomeMessages.deletion, error),
}
