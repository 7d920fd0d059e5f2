import { deleteDraft, readDraftsByPrefix } from '../../lib/state/drafts.ts'
import { type MutationEntry, pickEntry } from '../mutations/mutation-entry.ts'
import { DRAFT_PREFIX } from '../mutations/mutation-queue.ts'
import type { StoredMutation } from '../mutations/stored-mutation.ts'

/**
 * The mutations of a workspace among the drafts, which a page could not store before it ended.
 * `remove` deletes them there.
 */
export function takeDraftedMutations(workspace_id: string): {
  entries: MutationEntry<StoredMutation>[]
  remove: () => void
} {
  const drafted = readDraftsByPrefix(DRAFT_PREFIX)
    .map((text) => JSON.parse(text) as MutationEntry<StoredMutation> & { workspace_id: string })
    .filter((one) => one.workspace_id === workspace_id)
  return {
    entries: drafted.map(pickEntry),
    remove() {
      for (const { key } of drafted) deleteDraft(DRAFT_PREFIX + key)
    },
  }
}
