import type { deleteAttachment } from '#resources/attachments/contract.ts'
import type { deleteComment } from '#resources/comments/contract.ts'
import type { deleteTag } from '#resources/tags/contract.ts'
import type { deleteTemplate } from '#resources/templates/internal.ts'
import type { deleteTimeEntry } from '#resources/time-entries/contract.ts'
import type { deleteView } from '#resources/web-app/views/internal.ts'
import {
  type CallOptions,
  type CallResult,
  requestEndpointForResult,
} from '../../lib/http/request-endpoint.ts'
import { outcomeMessages } from '../../messages/app/outcomes.ts'
import { invalidate, refetchSoon } from '../cache/query-client.ts'
import type { MutationKind } from '../mutations/mutation-entry.ts'
import { ignoreNotFound, showNotDone } from '../mutations/record-mutations.ts'
import type { DeletableNoun, MutationOfKind } from '../mutations/stored-mutation.ts'
import { updateBoot } from '../session/boot.ts'
import { takeRecordDeletion } from './held-records.ts'

/** Sends the deletion of a record of each noun. */
const REQUESTS: {
  [N in DeletableNoun]: (
    params: { id: string },
    options: CallOptions,
  ) => Promise<CallResult<unknown>>
} = {
  comment: (params, options) =>
    requestEndpointForResult<typeof deleteComment>(
      'DELETE /api/v1/comments/:id',
      { params },
      options,
    ),
  time_entry: (params, options) =>
    requestEndpointForResult<typeof deleteTimeEntry>(
      'DELETE /api/v1/time-entries/:id',
      { params },
      options,
    ),
  attachment: (params, options) =>
    requestEndpointForResult<typeof deleteAttachment>(
      'DELETE /api/v1/attachments/:id',
      { params },
      options,
    ),
  tag: (params, options) =>
    requestEndpointForResult<typeof deleteTag>('DELETE /api/v1/tags/:id', { params }, options),
  view: (params, options) =>
    requestEndpointForResult<typeof deleteView>('DELETE /internal/views/:id', { params }, options),
  template: (params, options) =>
    requestEndpointForResult<typeof deleteTemplate>(
      'DELETE /internal/templates/:id',
      { params },
      options,
    ),
}

/** A deletion, stored as long as the server has not acknowledged it. */
export const deletionKind: MutationKind<MutationOfKind<'deletion'>> = {
  async send({ noun, id }, { key }) {
    let n: number | undefined
    // The page may be unloading, which has ended the toast.
    const sending = REQUESTS[noun]({ id }, { idempotencyKey: key, keepalive: true })
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
