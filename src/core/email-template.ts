import type { ClaimedJob, JobKind, JobKindName } from './job.ts'
import type { Email } from './mailer.ts'
import type { WriteTx } from './transaction.ts'

/** How the jobs of one kind of email compose it. */
export interface EmailTemplate {
  kind: JobKindName
  /** The most emails of the kind that one process sends at a time. */
  maxRunning: number
  /**
   * Composes the email before each attempt, from what is true then. Returns undefined if it is no
   * longer to be sent, for example because its link was revoked.
   */
  compose(tx: WriteTx, job: ClaimedJob): Promise<Email | undefined>
  /** Runs in the transaction that ends the job. */
  onEnd?: JobKind['onEnd']
}
