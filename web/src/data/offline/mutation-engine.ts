import { NetworkError } from '../../lib/http/problem.ts'
import { mutationLog } from '../mutations/mutation-queue.ts'
import { getMutationKind } from './mutation-kinds.ts'
import { claimStoredMutations, writeStoredMutations } from './mutation-storage.ts'

export { getMutationKind, writeStoredMutations }

/** Resumes the mutations that earlier pages of this person and workspace could not send. */
export async function resumeStoredMutations(): Promise<void> {
  const { entries, isStored } = await claimStoredMutations()
  for (const { payload, key } of entries) {
    try {
      const kind = await getMutationKind(payload)
      kind.show?.(payload, key)
    } catch (error) {
      // Without a network it may not be possible to show it; it counts as waiting all the same.
      if (!(error instanceof NetworkError)) throw error
    }
  }
  mutationLog.resume(entries, isStored ? 'stored' : 'failed')
}
