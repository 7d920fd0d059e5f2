import { resumeAllComments } from '../resources/comments.ts'
import { resumeTaskChange } from '../tasks/change-task.ts'
import { resumeTaskCreation } from '../tasks/create-task.ts'
import { claimStoredMutations } from './stored-mutations.ts'

/**
 * How long a mutation may be resumed without asking: somewhat less than the server remembers an
 * Idempotency-Key (docs/spec/api.md#idempotency-key). Sent later it could be applied twice.
 */
const MAX_RESUME_AGE_MS = 20 * 60 * 60 * 1000

/** Resumes the mutations that earlier pages of this person and workspace could not send. */
export async function resumeStoredMutations(): Promise<void> {
  for (const { key, at, write } of await claimStoredMutations()) {
    const old = Date.now() - at > MAX_RESUME_AGE_MS
    if (write.kind === 'create')
      resumeTaskCreation({ key, isExpired: old }, write.body, write.placeholder)
    else resumeTaskChange(old, write.id, write.change, write.label)
  }
  resumeAllComments()
}
