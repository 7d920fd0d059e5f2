import type { Tag } from '#resources/tags/contract.ts'
import type { mergeTag } from '#resources/tags/internal.ts'
import { showToast } from '../../../data/app/toasts.ts'
import { applyLiveReset } from '../../../data/live/apply-live-event.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { projectMessages } from '../../../messages/projects/projects.ts'
import { openConfirmDialog } from '../../../ui/overlays/dialog.tsx'

/** Asks whether to merge a tag into another one, because that cannot be undone, and does so. */
export async function confirmMergeTags(from: Tag, into: Tag): Promise<void> {
  const isConfirmed = await openConfirmDialog({
    title: projectMessages.merge(from.name, into.name),
    text: projectMessages.mergeWhy,
    action: projectMessages.mergeDo(from.task_count),
    run: async () => {
      await requestEndpoint<typeof mergeTag>('POST /internal/tags/:id/merge', {
        params: { id: from.id },
        body: { into_id: into.id },
      })
    },
  })
  if (!isConfirmed) return
  // The tasks have other tags, but no new version by which they could be told apart.
  applyLiveReset()
  showToast({ text: projectMessages.merged(from.name, into.name) })
}
