import type { deleteTag, Tag } from '#resources/tags/contract.ts'
import { showToast } from '../../../data/app/toasts.ts'
import { queryClient } from '../../../data/cache/query-client.ts'
import {
  changeTasksInBatches,
  fetchTaskIds,
} from '../../../data/mutations/change-tasks-in-batches.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { projectMessages } from '../../../messages/projects/projects.ts'
import { announce } from '../../../ui/feedback/announce.ts'
import { openConfirmDialog } from '../../../ui/overlays/dialog.tsx'

/** Asks whether to merge a tag into another one, because that cannot be undone, and does so. */
export async function confirmMergeTags(from: Tag, into: Tag): Promise<void> {
  let rejected = 0
  const isConfirmed = await openConfirmDialog({
    title: projectMessages.merge(from.name, into.name),
    text: projectMessages.mergeWhy,
    action: projectMessages.mergeDo(from.task_count),
    run: async () => {
      rejected = await merge(from, into)
    },
  })
  if (!isConfirmed) return
  if (rejected > 0) showToast({ text: projectMessages.notMoved(rejected), tone: 'trouble' })
  else showToast({ text: projectMessages.merged(from.name, into.name) })
}

/**
 * Replaces the tag on all of its tasks, then deletes it. Returns the number of tasks that could not
 * be changed. If there are any, the tag is not deleted, because they would lose it.
 */
async function merge(from: Tag, into: Tag): Promise<number> {
  const ids = await fetchTaskIds({ tag_id: [from.id] })
  const patch = { add_tag_ids: [into.id], remove_tag_ids: [from.id] }
  const rejected = await changeTasksInBatches(ids, patch, (done) =>
    announce(projectMessages.merging(done, ids.length)),
  )
  if (rejected > 0) return rejected
  await requestEndpoint<typeof deleteTag>('DELETE /api/v1/tags/:id', { params: { id: from.id } })
  await queryClient.invalidateQueries({ queryKey: ['tags', from.project_id] })
  return 0
}
