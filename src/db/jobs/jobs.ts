import { type ExpressionBuilder, sql } from 'kysely'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { JOB_KIND_NAMES, type JobKindName, type JobPayload, type JobStatus } from '#core/job.ts'
import type { Storage, WriteTx } from '#core/transaction.ts'
import { timestampOf } from '#lib/clock.ts'
import { newId } from '#lib/id.ts'
import {
  command,
  pickSlots,
  query,
  rawStatement,
  type Scoped,
  unscopedCommand,
  unscopedQuery,
} from '../core/statement.ts'
import type { JobRow, Tables } from '../schema/tables.ts'

/** A job, with the fencing token that was read. */
type JobToken = { id: string; token: number }

/** Whether a process may claim a job of a kind: one is due, or its lease has ended. */
const isAnyDue = (kind: unknown, now: string) => sql<boolean>`exists (select 1 from jobs as due
  where due.kind = ${kind} and due.ended_at is null and due.run_at <= ${now})`

/** The kinds of which a process may claim a job: one statement for all of them. */
export const dueJobKinds = unscopedQuery((db, $: { now: string }) => {
  const kinds = JOB_KIND_NAMES.map((kind) => sql.lit(kind))
  const each = kinds.map((kind) => sql`select ${kind} as kind where ${isAnyDue(kind, $.now)}`)
  return rawStatement<{ kind: JobKindName }>(db, sql`${sql.join(each, sql` union all `)}`)
})

type JobPosition = { kind: JobKindName; now: string; from: string; except: readonly string[] }

/**
 * Of the first workspace from a position on that has a job to claim, the one that has waited longest.
 * `except` are jobs that the process has begun already. It passes by the entries of all jobs that
 * are not due, so it first looks whether one is.
 */
export const nextDueJob = unscopedQuery((db, $: JobPosition, { inList, withoutIndex }) =>
  db
    .selectFrom('jobs')
    .select(['workspace_id', 'id', 'token', 'status'])
    .where(isAnyDue($.kind, $.now))
    .where('kind', '=', $.kind)
    .where('ended_at', 'is', null)
    .where('workspace_id', '>=', $.from)
    // SQLite would read and sort all jobs that are due.
    .where(withoutIndex(sql<boolean>`run_at <= ${$.now}`))
    .where((is) => is.not(inList('id', $.except)))
    .orderBy('workspace_id')
    .orderBy('run_at')
    .limit(1),
)

/** The position after a workspace: no id contains the character, which all letters follow. */
export const positionAfter = (workspace_id: string): string => `${workspace_id}!`

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
    .where('id', '=', $.id)
    .where('token', '=', $.token)
    .where('ended_at', 'is', null)
    .where('run_at', '<=', $.now),
)

export const jobById = query((db, $: Scoped<{ id: string }>) =>
  db
    .selectFrom('jobs')
    .select(['id', 'payload', 'secret', 'attempts', 'deaths', 'token', 'created_at'])
    .where('id', '=', $.id),
)

/** The job of a kind and key that has not ended. */
export const openJobByKey = query((db, $: Scoped<{ kind: JobKindName; key: string }>) =>
  db
    .selectFrom('jobs')
    .select(['id', 'status', 'run_at'])
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

/** The values of a job that nobody has claimed yet. */
const newJobValues = ($: JobInsert) => ({
  ...pickSlots($, 'id', 'kind', 'key', 'payload', 'secret', 'run_at', 'created_at'),
  status: sql.lit('waiting' as const),
  attempts: sql.lit(0),
  token: sql.lit(0),
  again: sql.lit(0),
  progress: sql.lit(''),
})

/**
 * Inserts a job. If one with its key has not ended, that one is due no later than this one would be,
 * or runs once more after its present run.
 */
const insertJob = command((db, $: Scoped<JobInsert>) =>
  db
    .insertInto('jobs')
    .values({ workspace_id: $.workspace_id, ...newJobValues($) })
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'kind', 'key'])
        .where('ended_at', 'is', null)
        .where('key', 'is not', null)
        .doUpdateSet({
          payload: sql`excluded.payload`,
          again: sql`case when jobs.status = 'running' then 1 else 0 end`,
          run_at: sql`case when jobs.status = 'running' or jobs.run_at < excluded.run_at
            then jobs.run_at else excluded.run_at end`,
        }),
    ),
)

/** Inserts a job without a key in any workspace. */
const insertJobElsewhere = unscopedCommand((db, $: JobInsert & { in_workspace_id: string }) =>
  db.insertInto('jobs').values({ workspace_id: $.in_workspace_id, ...newJobValues($) }),
)

/** Empties the payload of a job whose work is done. Changes no row if it is empty already. */
export const clearJobPayload = command((db, $: Scoped<{ id: string }>) =>
  db.updateTable('jobs').set({ payload: '{}' }).where('id', '=', $.id).where('payload', '<>', '{}'),
)

/** A change of a job that a process has claimed: no row changes if another one has claimed it since. */
const changeClaimedJob = <P extends JobToken>(
  values: ($: P, job: ExpressionBuilder<Tables, 'jobs'>) => object,
) =>
  command((db, $: Scoped<P>) =>
    db
      .updateTable('jobs')
      .set((job) => values($, job))
      .where('id', '=', $.id)
      .where('token', '=', $.token)
      .where('ended_at', 'is', null),
  )

/** Renews a lease. */
export const renewJob = changeClaimedJob(($: JobToken & { until: string; progress: string }) => ({
  run_at: $.until,
  progress: $.progress,
}))

type JobEnd = JobToken & { status: JobStatus; error: string | null; now: string }

/** Ends a job and removes its secret, unless it was enqueued again: then it is due now. */
export const endJob = changeClaimedJob(($: JobEnd) => {
  const unlessAgain = (value: unknown, otherwise: unknown) =>
    sql<never>`case when again = 1 then ${otherwise} else ${value} end`
  return {
    status: unlessAgain($.status, sql.lit('waiting')),
    ended_at: unlessAgain($.now, sql.lit(null)),
    secret: unlessAgain(sql.lit(null), sql.ref('secret')),
    run_at: $.now,
    error: $.error,
  }
})

/** Gives a job back that has more to do, from a time on. */
export const continueJob = changeClaimedJob(($: JobToken & { run_at: string }, job) => ({
  status: job.val('waiting'),
  run_at: $.run_at,
  attempts: job.lit(0),
  deaths: job.lit(0),
  again: job.lit(0),
  error: job.val(null),
}))

/** Plans the next attempt of a job. */
export const retryJob = changeClaimedJob(
  ($: JobToken & { run_at: string; error: string }, job) => ({
    status: job.val('waiting'),
    run_at: $.run_at,
    error: $.error,
  }),
)

/** Gives a job back that has not been done, as if it had not been claimed. */
export const releaseJob = changeClaimedJob(($: JobToken & { now: string }, job) => ({
  status: job.val('waiting'),
  run_at: $.now,
  attempts: job('attempts', '-', 1),
}))

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

/** A job to enqueue. */
export interface NewJob {
  kind: JobKindName
  payload: JobPayload
  /**
   * Of the jobs of the kind and the workspace that have not ended, only one has this key. Enqueuing
   * it again makes that one due no later than this one, or run once more if it is running.
   */
  key?: string
  /** Stored encrypted, and removed when the job ends. */
  secret?: string
  /** The id of the job, if it is known already. */
  id?: string
  /** When it may run first; at once unless given. */
  run_at?: string
}

/**
 * Enqueues a job in the workspace of the transaction, together with everything else that the
 * transaction writes. Returns its id.
 */
export async function enqueueJob(tx: WriteTx, job: NewJob): Promise<string> {
  const row = toInsert(tx, job)
  await tx.run(insertJob, row)
  return row.id
}

/** Enqueues jobs without waiting in between. */
export const enqueueJobs = (tx: WriteTx, jobs: readonly NewJob[]): Promise<void> =>
  tx.runEach(
    insertJob,
    jobs.map((job) => toInsert(tx, job)),
  )

/** Enqueues the same job, which has neither a key nor a secret, in other workspaces. */
export const enqueueJobElsewhere = (
  tx: WriteTx,
  workspace_ids: readonly string[],
  job: Pick<NewJob, 'kind' | 'payload'>,
): Promise<void> =>
  tx.runEach(
    insertJobElsewhere,
    workspace_ids.map((in_workspace_id) => ({ in_workspace_id, ...toInsert(tx, job) })),
  )

function toInsert(
  tx: WriteTx,
  { kind, payload, key, secret, id = newId('job', tx.nowMs), run_at = tx.now }: NewJob,
): JobInsert {
  if (run_at <= tx.now) tx.noteDueJob()
  return {
    id,
    kind,
    key: key ?? null,
    payload: JSON.stringify(payload),
    secret: secret === undefined ? null : tx.encrypt(secret),
    run_at,
    created_at: tx.now,
  }
}

/** The jobs of one kind that have not ended. */
interface JobBacklog {
  kind: JobKindName
  open: number
  /** Seconds since the most overdue one could have been claimed. */
  overdueSeconds: number
}

/** Reads how many jobs of each kind have not ended, and how many have failed and are kept. */
export async function loadJobBacklog(
  storage: Storage,
): Promise<{ kinds: JobBacklog[]; failed: number }> {
  const now = storage.clock.now()
  return storage.read(ANONYMOUS_ACTOR, async (tx) => {
    const kinds: JobBacklog[] = []
    for (const kind of JOB_KIND_NAMES) {
      const counts = await tx.one(openJobCounts, { kind })
      const dueAt = Date.parse(counts?.due_at ?? timestampOf(now))
      const overdueSeconds = Math.max(0, now - dueAt) / 1000
      kinds.push({ kind, open: Number(counts?.open ?? 0), overdueSeconds })
    }
    return { kinds, failed: Number((await tx.one(failedJobCount, {}))?.failed ?? 0) }
  })
}

const openJobCounts = unscopedQuery((db, $: { kind: JobKindName }) =>
  db
    .selectFrom('jobs')
    .select((job) => [
      job.fn.countAll<number>().as('open'),
      job.fn.min<string | null>('run_at').as('due_at'),
    ])
    .where('kind', '=', $.kind)
    .where('ended_at', 'is', null),
)

/** At most as many as the purge keeps. */
const failedJobCount = unscopedQuery((db) =>
  db
    .selectFrom('jobs')
    .select((job) => job.fn.countAll<number>().as('failed'))
    .where('status', '=', 'failed')
    .where('ended_at', 'is not', null),
)

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
    .where('id', '=', $.id)
    .where('status', 'in', ['waiting', 'failed'])
    .where(sql<boolean>`(ended_at is null or not ${hasOpenTwin($)})`),
)
