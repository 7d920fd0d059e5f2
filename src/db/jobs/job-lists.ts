import { sql } from 'kysely'
import type { JobKindName, JobStatus } from '#core/job.ts'
import { command, type Scoped, unscopedQuery } from '../core/statement.ts'

const LISTED_COLUMNS = [
  'id',
  'kind',
  'workspace_id',
  'status',
  'attempts',
  'run_at',
  'progress',
  'error',
  'created_at',
  'ended_at',
] as const

/** Jobs of a kind that have not ended, in the order in which they become due. */
export const openJobsOfKind = unscopedQuery((db, $: { kind: JobKindName; limit: number }) =>
  db
    .selectFrom('jobs')
    .select(LISTED_COLUMNS)
    .where('kind', '=', $.kind)
    .where('ended_at', 'is', null)
    .orderBy('run_at')
    .limit($.limit),
)

/** Jobs that have ended, the latest first. */
export const endedJobs = unscopedQuery((db, $: { status: JobStatus; limit: number }) =>
  db
    .selectFrom('jobs')
    .select(LISTED_COLUMNS)
    .where('status', '=', $.status)
    .where('ended_at', 'is not', null)
    .orderBy('ended_at', 'desc')
    .limit($.limit),
)

/** A job in any workspace. */
export const jobInAnyWorkspace = unscopedQuery((db, $: { id: string }) =>
  db
    .selectFrom('jobs')
    .select([...LISTED_COLUMNS, 'payload'])
    .where('id', '=', $.id),
)

/** Whether a job with the same key has not ended. */
const hasOpenTwin = ($: Scoped) => sql<boolean>`exists (select 1 from jobs as twin
  where twin.workspace_id = ${$.workspace_id} and twin.kind = jobs.kind and twin.key = jobs.key
    and twin.ended_at is null and twin.key is not null)`

/**
 * Makes a job due now that waits or has failed; its age counts from now on. Changes no row if it
 * is running or done, or if another job with its key has not ended.
 */
export const runJobAgain = command((db, $: Scoped<{ id: string; now: string }>) =>
  db
    .updateTable('jobs')
    .set((job) => ({
      status: job.val('waiting'),
      run_at: $.now,
      created_at: $.now,
      attempts: job.lit(0),
      deaths: job.lit(0),
      error: job.val(null),
      ended_at: job.val(null),
    }))
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.id)
    .where('status', 'in', ['waiting', 'failed'])
    .where(sql<boolean>`(ended_at is null or not ${hasOpenTwin($)})`),
)
