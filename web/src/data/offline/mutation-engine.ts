import { mutationLog } from '../mutations/mutation-queue.ts'
import { getMutationKind } from './mutation-kinds.ts'
import { claimStoredMutations, writeStoredMutations } from './mutation-storage.ts'

export { getMutationKind, writeStoredMutations }

/** Resumes the mutations that earlier pages of this person and workspace could not send. */
export async function resumeStoredMutations(): Promise<void> {
  const { entries, isStored } = await claimStoredMutations()
  for (const { payload, key } of entries) getMutationKind(payload).show?.(payload, key)
  mutationLog.resume(entries, isStored ? 'stored' : 'failed')
}
