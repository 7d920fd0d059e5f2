import { sql } from 'kysely'
import { command, query, type Scoped } from '#storage/statement.ts'

/** Which of some deliveries are still there, and whether they still wait. */
export const stillThere = query((db, $: Scoped<{ ids: string[] }>, { among }) =>
  db
    .selectFrom('deliveries')
    .select(['id', 'status'])
    .where('workspace_id', '=', $.workspace_id)
    .where(among('deliveries.id', $.ids)),
)

const DONE = {
  id: 'text',
  status: 'text',
  number: 'bigint',
  due_at: 'text',
  started_at: 'text',
  response_status: 'bigint',
  duration_ms: 'bigint',
  error: 'text',
  completed_at: 'text',
} as const

type Columns<C> = { [K in keyof C]: C[K] extends 'bigint' ? number | null : string | null }

/** How deliveries stand after an attempt, one row each. */
export const settle = command((db, $: Scoped<{ rows: Columns<typeof DONE>[] }>, { rowsOf }) =>
  db
    .updateTable('deliveries')
    .from(sql<Columns<typeof DONE>>`${rowsOf($.rows, DONE)}`.as('r'))
    .set({
      status: sql`r.status`,
      attempt_count: sql`r.number`,
      due_at: sql`r.due_at`,
      last_attempt_at: sql`r.started_at`,
      response_status: sql`r.response_status`,
      duration_ms: sql`r.duration_ms`,
      error: sql`r.error`,
      completed_at: sql`coalesce(deliveries.completed_at, r.completed_at)`,
    })
    .where('deliveries.workspace_id', '=', $.workspace_id)
    .where(sql<boolean>`deliveries.id = r.id`),
)

const MADE = {
  delivery_id: 'text',
  number: 'bigint',
  started_at: 'text',
  duration_ms: 'bigint',
  response_status: 'bigint',
  response_body: 'text',
  error: 'text',
  url: 'text',
  headers: 'text',
} as const

export const insertAttempts = command(
  (db, $: Scoped<{ rows: Columns<typeof MADE>[] }>, { rowsOf }) =>
    db
      .insertInto('delivery_attempts')
      .columns([
        'workspace_id',
        'delivery_id',
        'number',
        'started_at',
        'duration_ms',
        'response_status',
        'response_body',
        'error',
        'url',
        'headers',
      ])
      .expression(
        sql`select ${$.workspace_id}, r.delivery_id, r.number, r.started_at, r.duration_ms,
          r.response_status, r.response_body, r.error, r.url, r.headers
          from ${rowsOf($.rows, MADE)} as r`,
      ),
)

/** Lets the next delivery of each of some lanes go. */
export const releaseNext = command(
  (db, $: Scoped<{ lanes: { webhook_id: string; lane: string }[] }>, { rowsOf }) =>
    db
      .updateTable('deliveries')
      .set({ blocked: 0 })
      .where('workspace_id', '=', $.workspace_id)
      .where(
        'id',
        'in',
        sql<string>`(select (
          select waiting.id from deliveries as waiting
          where waiting.workspace_id = ${$.workspace_id} and waiting.webhook_id = r.webhook_id
            and waiting.lane = r.lane and waiting.status = 'pending' and waiting.blocked = 1
          order by waiting.sequence limit 1
        ) from ${rowsOf($.lanes, { webhook_id: 'text', lane: 'text' })} as r)`,
      ),
)

const TOLD = {
  id: 'text',
  activation: 'bigint',
  ended: 'bigint',
  succeeded: 'bigint',
  failures: 'bigint',
  failing_since: 'text',
  last_delivery_at: 'text',
  last_success_at: 'text',
  last_failure_at: 'text',
} as const

/** The first due of the deliveries of `webhooks` in a queue: a look at one end of an index. */
const firstDue = (queue: number) => sql`select min(due_at) as due_at from deliveries
  where deliveries.workspace_id = webhooks.workspace_id and deliveries.webhook_id = webhooks.id
    and deliveries.activation = webhooks.activation and deliveries.status = 'pending'
    and deliveries.blocked = 0 and deliveries.queue = ${sql.lit(queue)}`

/**
 * What attempts mean for their webhooks, one row each: how it goes (unless it was disabled since) and
 * when it has something to do again. `failures` and `failing_since` are those after the last success.
 */
export const noteAttempts = command(
  (db, $: Scoped<{ rows: Columns<typeof TOLD>[]; now: string }>, { rowsOf }) =>
    db
      .updateTable('webhooks')
      .from(sql<Columns<typeof TOLD>>`${rowsOf($.rows, TOLD)}`.as('r'))
      .set({
        failure_count: sql`case when r.activation <> webhooks.activation then webhooks.failure_count
          when r.succeeded = 1 then r.failures else webhooks.failure_count + r.failures end`,
        failing_since: sql`case when r.activation <> webhooks.activation then webhooks.failing_since
          when r.succeeded = 1 then r.failing_since
          else coalesce(webhooks.failing_since, r.failing_since) end`,
        last_delivery_at: sql`coalesce(r.last_delivery_at, webhooks.last_delivery_at)`,
        last_success_at: sql`coalesce(r.last_success_at, webhooks.last_success_at)`,
        last_failure_at: sql`coalesce(r.last_failure_at, webhooks.last_failure_at)`,
        pending_count: sql`webhooks.pending_count - r.ended`,
        next_due_at: sql`case when webhooks.has_stale = 1 then ${$.now} else (
          select min(due_at) from (${firstDue(0)} union all ${firstDue(1)} union all ${firstDue(2)}) as queues
        ) end`,
      })
      .where('webhooks.workspace_id', '=', $.workspace_id)
      .where(sql<boolean>`webhooks.id = r.id`),
)

/** Those of some active webhooks that have failed so often and so long that they are to be disabled. */
export const failingTooLong = query(
  (db, $: Scoped<{ ids: string[]; attempts: number; since: string }>, { among }) =>
    db
      .selectFrom('webhooks')
      .select('id')
      .where('workspace_id', '=', $.workspace_id)
      .where(among('webhooks.id', $.ids))
      .where('is_active', '=', 1)
      .where('failure_count', '>=', $.attempts)
      .where('failing_since', '<=', $.since),
)
