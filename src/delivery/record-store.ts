import { sql } from 'kysely'
import { firstDue } from '#storage/deliveries.ts'
import { command, query, row, type Scoped } from '#storage/statement.ts'
import type { AttemptRow, DeliveryRow } from '#storage/tables.ts'

/** Which of some deliveries are still there, whether they still wait, and what is known of them. */
export const stillThere = query((db, $: Scoped<{ ids: string[] }>, { among }) =>
  db
    .selectFrom('deliveries')
    .select(['id', 'status', 'attempt_count'])
    .where('workspace_id', '=', $.workspace_id)
    .where(among('deliveries.id', $.ids)),
)

type Settled = Pick<
  DeliveryRow,
  | 'id'
  | 'status'
  | 'attempt_count'
  | 'due_at'
  | 'last_attempt_at'
  | 'response_status'
  | 'duration_ms'
  | 'error'
  | 'completed_at'
>

/** How a delivery stands after an attempt. */
export const settle = command((db, $: Scoped<Settled>) =>
  db
    .updateTable('deliveries')
    .set({
      ...row(
        $,
        'status',
        'attempt_count',
        'due_at',
        'last_attempt_at',
        'response_status',
        'duration_ms',
        'error',
      ),
      completed_at: sql`coalesce(completed_at, ${$.completed_at})`,
    })
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.id),
)

export const insertAttempt = command((db, $: Scoped<AttemptRow>) =>
  db
    .insertInto('delivery_attempts')
    .values(
      row(
        $,
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
      ),
    ),
)

/** Lets the next delivery of a lane go. */
export const releaseNext = command((db, $: Scoped<{ webhook_id: string; lane: string }>) =>
  db
    .updateTable('deliveries')
    .set({ blocked: 0 })
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', (is) =>
      is
        .selectFrom('deliveries as waiting')
        .select('waiting.id')
        .where('waiting.workspace_id', '=', $.workspace_id)
        .where('waiting.webhook_id', '=', $.webhook_id)
        .where('waiting.lane', '=', $.lane)
        .where('waiting.status', '=', sql.lit('pending'))
        .where('waiting.blocked', '=', sql.lit(1))
        .orderBy('waiting.sequence')
        .limit(sql.lit(1)),
    ),
)

/** What the attempts to a webhook tell: `failures` and `failing_since` are those after the last success. */
interface Told {
  id: string
  /** Of the deliveries; what they tell is of no interest to a later one. */
  activation: number
  /** How many do not wait any more. */
  ended: number
  succeeded: number
  failures: number
  failing_since: string | null
  last_delivery_at: string | null
  last_success_at: string | null
  last_failure_at: string | null
  now: string
}

/** Notes how it goes with a webhook, and when it has something to do again. */
export const noteAttempts = command((db, $: Scoped<Told>) =>
  db
    .updateTable('webhooks')
    .set({
      failure_count: sql`case when activation <> ${$.activation} then failure_count
        when ${$.succeeded} = 1 then ${$.failures} else failure_count + ${$.failures} end`,
      failing_since: sql`case when activation <> ${$.activation} then failing_since
        when ${$.succeeded} = 1 then ${$.failing_since}
        else coalesce(failing_since, ${$.failing_since}) end`,
      last_delivery_at: sql`coalesce(${$.last_delivery_at}, last_delivery_at)`,
      last_success_at: sql`coalesce(${$.last_success_at}, last_success_at)`,
      last_failure_at: sql`coalesce(${$.last_failure_at}, last_failure_at)`,
      pending_count: sql`pending_count - ${$.ended}`,
      next_due_at: sql`case when has_stale = 1 then ${$.now} else (${firstDue}) end`,
    })
    .where('workspace_id', '=', $.workspace_id)
    .where('id', '=', $.id),
)

/** Where some webhooks send to at present. */
export const targetsAmong = query((db, $: Scoped<{ ids: string[] }>, { among }) =>
  db
    .selectFrom('webhooks')
    .select(['id', 'url', 'activation'])
    .where('workspace_id', '=', $.workspace_id)
    .where(among('webhooks.id', $.ids)),
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
