import type { Actor } from './actor.ts'
import type { WriteTx } from './transaction.ts'

/** The kinds of background jobs. */
export const JOB_KIND_NAMES = [
  'password_reset_email',
  'confirmation_email',
  'security_email',
  'invitation_email',
  'notification_email',
  'operator_email',
  'push',
  'profile_change',
  'import',
  'export',
  'backup',
  'periodic',
] as const
export type JobKindName = (typeof JOB_KIND_NAMES)[number]

/** `failed`: it is not attempted again, unless an operator runs it again. */
export const JOB_STATUSES = ['waiting', 'running', 'done', 'failed'] as const
export type JobStatus = (typeof JOB_STATUSES)[number]

/** What a job is about, usually ids. It may contain no secret and no personal data. */
export type JobPayload = Readonly<Record<string, string>>

/** A job that this process has claimed. */
export interface ClaimedJob {
  /** `''` for a job of no workspace. */
  workspace_id: string
  id: string
  payload: JobPayload
  /** Decrypted; undefined if the job has none. */
  secret: string | undefined
  /** The number of attempts since its last success, including this one. */
  attempts: number
}

/** What a running job uses. */
export interface JobContext {
  job: ClaimedJob
  /** Aborted when the process stops, or another process has claimed the job. */
  signal: AbortSignal
  /** Sets the text that tells how far the job is; it is stored with the next renewal of the lease. */
  setProgress(progress: string): void
  /**
   * Runs a transaction and renews the lease in it; throws `JobLeaseLost` if another process has
   * claimed the job. `actor` is the system in the workspace of the job unless given.
   */
  write<T>(work: (tx: WriteTx) => Promise<T>, actor?: Actor): Promise<T>
}

/** How a job ended; `lost`: it has failed, because its processes ended. */
type JobEnding = 'done' | 'failed' | 'lost'

/** How jobs of one kind run. */
export interface JobKind {
  name: JobKindName
  /**
   * The most jobs of this kind that one process runs at a time, of one workspace at most half of them.
   * Kinds do not wait for each other.
   */
  maxRunning: number
  /**
   * Whether its work takes the same time whatever clients send. Then it is not what ends its process:
   * it has only run beside that.
   */
  isBounded?: boolean
  /** Whether it runs as long as the process. */
  isEndless?: boolean
  /** The delay between a failed attempt and the next one, in milliseconds. */
  retryDelayMs(attempts: number): number
  /** A job whose next attempt would be this long after its creation fails instead. */
  maxAgeMs: number
  /**
   * Does the job. A `JobError` tells operators why it failed, and whether it can succeed later; any
   * other error is logged and retried. A long job returns `again` from time to time, so that other
   * jobs of its kind get their turn, and one that has to wait returns until when.
   */
  run(context: JobContext): Promise<'done' | 'again' | { againAt: string }>
  /** Runs in the transaction that ends the job. */
  onEnd?(tx: WriteTx, job: ClaimedJob, end: JobEnding): Promise<void>
}

/** An expected failure. The message is stored and shown to operators. */
export class JobError extends Error {
  /** Whether no later attempt can succeed. */
  readonly isPermanent: boolean
  /** Fields for the log. */
  readonly details: object
  /** The next attempt comes no sooner than after this time. */
  readonly retryAfterMs: number

  constructor(message: string, { isPermanent = false, details = {}, retryAfterMs = 0 } = {}) {
    super(message)
    this.isPermanent = isPermanent
    this.details = details
    this.retryAfterMs = retryAfterMs
  }
}

/** Another process has claimed the job, which must write nothing more. */
export class JobLeaseLost extends Error {}
