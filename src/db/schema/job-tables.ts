import type { Generated } from 'kysely'
import type { JobKindName, JobStatus } from '#core/job.ts'

/** A background job: what is to be done, and until it is purged how it ended. */
export interface JobRow {
  /** `''` for a job of no workspace. */
  workspace_id: string
  id: string
  kind: JobKindName
  /** Of the jobs of a kind that have not ended, at most one in a workspace has this key. */
  key: string | null
  /** JSON of JobPayload. */
  payload: string
  /** Encrypted; removed when the job ends. */
  secret: string | null
  status: JobStatus
  /** When a process may claim it: the next attempt, or the end of the lease. */
  run_at: string
  attempts: number
  /** How often its process has ended without a word since it last went on. */
  deaths: Generated<number>
  /** The fencing token: counted up by each claim, and checked by each write of the job. */
  token: number
  /** 1: it was enqueued again while it ran, so it runs once more. */
  again: number
  progress: string
  /** Why the last attempt failed. */
  error: string | null
  created_at: string
  ended_at: string | null
}
