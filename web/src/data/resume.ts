import { resumeAllComments } from './comments.ts'
import { takeKept } from './kept-writes.ts'
import { resumeTask } from './task-create.ts'
import { resumeChange } from './task-writes.ts'

/** As long as the server knows an Idempotency-Key (contract 1.9), less some hours: sent later it could happen twice. */
const KNOWN_MS = 20 * 60 * 60 * 1000

/** Goes on with what pages of this person and workspace could not send before they were left. */
export async function resumeWrites(): Promise<void> {
  for (const { key, at, write } of await takeKept()) {
    const old = Date.now() - at > KNOWN_MS
    if (write.kind === 'create') resumeTask({ key, old }, write.body, write.placeholder)
    else resumeChange(old, write.id, write.change, write.label)
  }
  resumeAllComments()
}
