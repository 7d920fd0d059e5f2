import type { ClaimedJob, JobKind, JobKindName } from './job.ts'
import type { WriteTx } from './transaction.ts'

/** An email to one person. */
export interface Email {
  to: string
  subject: string
  text: string
  html?: string
  /** The URL for one-click unsubscribe by POST (RFC 8058). */
  unsubscribe?: string
}

/**
 * The domain of the people of the demo workspace. Nobody can own an address below `.example`
 * (RFC 2606), so mailers drop emails to it instead of letting them bounce.
 */
export const DEMO_EMAIL_DOMAIN = 'demo.example'

/** Whether an email address belongs to a person of the demo workspace. */
export const isDemoEmailAddress = (address: string): boolean =>
  address.trim().toLowerCase().endsWith(`@${DEMO_EMAIL_DOMAIN}`)

/** Sends emails. Their content is never logged. */
export interface Mailer {
  /**
   * Sends an email once and waits until the server has accepted it. `id` is its Message-ID without
   * angle brackets, the same for every attempt. Throws a `JobError`, which is permanent if the server
   * has refused this recipient or this email for good. Emails to people of the demo workspace are
   * dropped.
   */
  send(email: Email & { id: string }): Promise<void>
}

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
