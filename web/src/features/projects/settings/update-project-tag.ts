import type { Tag, updateTag } from '#resources/tags/contract.ts'
import { queryClient } from '../../../data/cache/query-client.ts'
import { enqueueRecordMutation } from '../../../data/mutations/record-mutations.ts'
import type { CallInput } from '../../../lib/http/request-endpoint.ts'

type TagPatch = CallInput<typeof updateTag>['body']

interface TagChange {
  patch: TagPatch
  /** Describes the change, for the message that it is not saved. */
  label: string
  onRejected: (error: unknown) => void
}

/**
 * Renames or recolors a tag: shown at once and queued. The live event about it is not ignored as an
 * own one, because it refetches the lists that show the tag.
 */
export function updateProjectTag(tag: Tag, { patch, label, onRejected }: TagChange): void {
  enqueueRecordMutation<typeof updateTag>({
    ...{ queueKey: tag.id, label, address: 'PATCH /api/v1/tags/:id', queries: ['tags'] },
    sent: { params: { id: tag.id }, body: patch },
    onReply: ({ body }) => cacheTag(body),
    onRejected,
  })
}

const cacheTag = (tag: Tag): void =>
  void queryClient.setQueryData<Tag[]>(['tags', tag.project_id], (all) =>
    all?.map((one) => (one.id === tag.id ? tag : one)),
  )
