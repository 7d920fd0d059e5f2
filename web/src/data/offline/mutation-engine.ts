import { firstScreenLoaded } from '../../lib/browser/schedule-preload.ts'
import type { MutationKind } from '../mutations/mutation-entry.ts'
import { mutationLog } from '../mutations/mutation-queue.ts'
import type { StoredMutation } from '../mutations/stored-mutation.ts'
import {
  claimStoredMutations,
  countStoredEntries,
  writeStoredMutations,
} from './mutation-storage.ts'

export { countStoredEntries, writeStoredMutations }

let kinds: typeof import('./mutation-kinds.ts') | undefined

async function loadKinds() {
  kinds ??= await import('./mutation-kinds.ts')
  return kinds
}

/**
 * What a stored mutation does. Rejects if the code for it cannot be loaded now. What is loaded is
 * not imported again: an import would never end in a page that is being left.
 */
export async function loadMutationKind(
  payload: StoredMutation,
): Promise<MutationKind<StoredMutation>> {
  return (kinds ?? (await loadKinds())).getMutationKind(payload)
}

// Not when it is needed, because the network may be gone then, and a browser may not load a module
// again that it could not load before.
firstScreenLoaded.then(loadKinds).catch(() => undefined)

/** Resumes the mutations that earlier pages of this person and workspace could not send. */
export async function resumeStoredMutations(): Promise<void> {
  const { entries, unstoredKeys } = await claimStoredMutations()
  for (const { payload, key } of entries) {
    // Without a network it may not be possible to show it; it counts as waiting all the same.
    const kind = await loadMutationKind(payload).catch(() => undefined)
    kind?.show?.(payload, key)
  }
  mutationLog.resume(entries, unstoredKeys)
}
