import type { JobKindName, JobPayload } from '#core/job.ts'
import type { WriteTx } from '#core/transaction.ts'
import { newId } from '#lib/id.ts'
import { insertJob } from './job-statements.ts'

/** A job to enqueue. */
export interface NewJob {
  kind: JobKindName
  payload: JobPayload
  /**
   * Of the jobs of the kind and the workspace that have not ended, only one has this key. Enqueuing
   * it again makes that one due now, or run once more if it is running.
   */
  key?: string
  /** Stored encrypted, and removed when the job ends. */
  secret?: string
  /** The id of the job, if it is known already. */
  id?: string
}

/**
 * Enqueues a job in the workspace of the transaction, together with everything else that the
 * transaction writes. Returns its id.
 */
export async function enqueueJob(
  tx: WriteTx,
  { kind, payload, key, secret, id = newId('job', tx.nowMs) }: NewJob,
): Promise<string> {
  await tx.run(insertJob, {
    id,
    kind,
    key: key ?? null,
    payload: JSON.stringify(payload),
    secret: secret === undefined ? null : tx.encrypt(secret),
    run_at: tx.now,
    created_at: tx.now,
  })
  return id
}
