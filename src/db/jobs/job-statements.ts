import { sql } from 'kysely'
import type { JobKindName, JobStatus } from '#core/job.ts'
import {
  command,
  pickSlots,
  query,
  type Scoped,
  unscopedCommand,
  unscopedQuery,
} from '../core/statement.ts'
import type { JobRow } from '../schema/tables.ts'

/** A job, with the fencing token that was read. */
type JobToken = { id: string; token: number }

/**
 * Jobs of a kind that a process may claim, longest waiting first: those that are due, and those
 * whose lease has ended.
 */
export const dueJobs = unscopedQuery((db, $: { kind: JobKindName; now: string; limit: number }) =>
  db
    .selectFrom('jobs')
    .select(['workspace_id', 'id', 'token', 'status'])
    .where('kind', '=', $.kind)
    .where('ended_at', 'is', null)
    .where('run_at', '<=', $.now)
    .orderBy('run_at')
    .limit($.limit),
)

/**
 * Claims a job. Changes no row if another process has claimed it since it was read. One that is
 * `running` was not given back: its process has ended, or was cut off. One that was enqueued again
 * has new work, so its attempts and these deaths are counted anew.
 */
export const claimJob = command((db, $: Scoped<JobToken & { now: string; until: string }>) =>
  db
    .updateTable('jobs')
    .set((job) => ({
      status: job.val('running'),
      token: job('token', '+', 1),
      attempts: sql`case when again = 1 then 1 else attempts + 1 end`,
      deaths: sql`case when again = 1 then 0 when status = 'running' then deaths + 1 else deaths end`,
      again: job.lit(0),
      run_at: $.until,
    }))
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.id)
    .where('token', '=', $.token)
    .where('ended_at', 'is', null)
    .where('run_at', '<=', $.now),
)

export const jobById = query((db, $: Scoped<{ id: string }>) =>
  db
    .selectFrom('jobs')
    .select(['id', 'payload', 'secret', 'attempts', 'deaths', 'token', 'created_at'])
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.id),
)

/** The job of a kind and key that has not ended. */
export const openJobByKey = query((db, $: Scoped<{ kind: JobKindName; key: string }>) =>
  db
    .selectFrom('jobs')
    .select(['id', 'status', 'run_at'])
    .where('workspace_id', '=', $.workspace_id)
    .where('kind', '=', $.kind)
    .where('key', '=', $.key)
    .where('ended_at', 'is', null),
)

/** Whether the record of a row has a job of the kind that has not ended. */
export const hasOpenJob = (kind: JobKindName, table: 'imports' | 'exports') =>
  sql<boolean>`exists (select 1 from jobs where jobs.workspace_id = ${sql.ref(`${table}.workspace_id`)}
    and jobs.kind = ${sql.lit(kind)} and jobs.key = ${sql.ref(`${table}.id`)}
    and jobs.ended_at is null and jobs.key is not null)`

type JobInsert = Pick<
  JobRow,
  'id' | 'kind' | 'key' | 'payload' | 'secret' | 'run_at' | 'created_at'
>

/**
 * Inserts a job. If one with its key has not ended, that one is due now, or runs once more after its
 * present run.
 */
export const insertJob = command((db, $: Scoped<JobInsert>) =>
  db
    .insertInto('jobs')
    .values((job) => ({
      ...pickSlots($, 'workspace_id', 'id', 'kind', 'key', 'payload', 'secret', 'run_at'),
      ...pickSlots($, 'created_at'),
      status: job.val('waiting'),
      attempts: job.lit(0),
      token: job.lit(0),
      again: job.lit(0),
      progress: job.val(''),
    }))
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'kind', 'key'])
        .where('ended_at', 'is', null)
        .where('key', 'is not', null)
        .doUpdateSet({
          payload: sql`excluded.payload`,
          again: sql`case when jobs.status = 'running' then 1 else 0 end`,
          run_at: sql`case when jobs.status = 'running' then jobs.run_at else excluded.run_at end`,
        }),
    ),
)

type JobInsertElsewhere = Pick<JobRow, 'id' | 'kind' | 'payload' | 'run_at' | 'created_at'> & {
  in_workspace_id: string
}

/** Inserts a job without a key in any workspace. */
export const insertJobInWorkspace = unscopedCommand((db, $: JobInsertElsewhere) =>
  db.insertInto('jobs').values((job) => ({
    workspace_id: $.in_workspace_id,
    ...pickSlots($, 'id', 'kind', 'payload', 'run_at', 'created_at'),
    key: job.val(null),
    secret: job.val(null),
    status: job.val('waiting'),
    attempts: job.lit(0),
    token: job.lit(0),
    again: job.lit(0),
    progress: job.val(''),
  })),
)

/** Empties the payload of a job whose work is done. Changes no row if it is empty already. */
export const clearJobPayload = command((db, $: Scoped<{ id: string }>) =>
  db
    .updateTable('jobs')
    .set({ payload: '{}' })
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.id)
    .where('payload', '<>', '{}'),
)

/** Renews a lease. If no row changes, another process has claimed the job. */
export const renewJob = command((db, $: Scoped<JobToken & { until: string; progress: string }>) =>
  db
    .updateTable('jobs')
    .set({ run_at: $.until, progress: $.progress })
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.id)
    .where('token', '=', $.token)
    .where('ended_at', 'is', null),
)

type JobEnd = JobToken & { status: JobStatus; error: string | null; now: string }

/** Ends a job and removes its secret, unless it was enqueued again: then it is due now. */
export const endJob = command((db, $: Scoped<JobEnd>) => {
  const unlessAgain = (value: unknown, otherwise: unknown) =>
    sql<never>`case when again = 1 then ${otherwise} else ${value} end`
  return db
    .updateTable('jobs')
    .set({
      status: unlessAgain($.status, sql.lit('waiting')),
      ended_at: unlessAgain($.now, sql.lit(null)),
      secret: unlessAgain(sql.lit(null), sql.ref('secret')),
      run_at: $.now,
      error: $.error,
    })
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.id)
    .where('token', '=', $.token)
    .where('ended_at', 'is', null)
})

/** Gives a job back that has more to do, behind those of its kind that are due already. */
export const continueJob = command((db, $: Scoped<JobToken & { now: string }>) =>
  db
    .updateTable('jobs')
    .set((job) => ({
      status: job.val('waiting'),
      run_at: $.now,
      attempts: job.lit(0),
      deaths: job.lit(0),
      again: job.lit(0),
      error: job.val(null),
    }))
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.id)
    .where('token', '=', $.token)
    .where('ended_at', 'is', null),
)

/** Plans the next attempt of a job. */
export const retryJob = command((db, $: Scoped<JobToken & { run_at: string; error: string }>) =>
  db
    .updateTable('jobs')
    .set((job) => ({ status: job.val('waiting'), run_at: $.run_at, error: $.error }))
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.id)
    .where('token', '=', $.token)
    .where('ended_at', 'is', null),
)

/** Gives a job back that has not been done, as if it had not been claimed. */
export const releaseJob = command((db, $: Scoped<JobToken & { now: string }>) =>
  db
    .updateTable('jobs')
    .set((job) => ({
      status: job.val('waiting'),
      run_at: $.now,
      attempts: job('attempts', '-', 1),
    }))
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.id)
    .where('token', '=', $.token)
    .where('ended_at', 'is', null),
)

/** Ends the leases of a kind, for a process that knows that those who took them are gone. */
export const endLeases = unscopedCommand((db, $: { kind: JobKindName; now: string }) =>
  db
    .updateTable('jobs')
    .set({ run_at: $.now })
    .where('kind', '=', $.kind)
    .where('ended_at', 'is', null)
    .where('run_at', '>', $.now)
    .where('status', '=', 'running'),
)

/** Deletes at most `limit` jobs that ended before a time. */
export const deleteEndedJobs = unscopedCommand(
  (db, $: { status: JobStatus; before: string; limit: number }) => {
    const some = sql`select workspace_id, id from jobs where status = ${$.status}
      and ended_at < ${$.before} and ended_at is not null order by ended_at limit ${$.limit}`
    return db.deleteFrom('jobs').where(sql<boolean>`(workspace_id, id) in (${some})`)
  },
)

/** The end of the job after which `kept` jobs of the status have ended. */
export const endOfSurplusJobs = unscopedQuery((db, $: { status: JobStatus; kept: number }) =>
  db
    .selectFrom('jobs')
    .select('ended_at')
    .where('status', '=', $.status)
    .where('ended_at', 'is not', null)
    .orderBy('ended_at', 'desc')
    .limit(1)
    .offset($.kept),
)
