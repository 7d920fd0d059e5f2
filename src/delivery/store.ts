import { sql } from 'kysely'
import { QUEUES } from '#storage/deliveries.ts'
import { command, commandOfAll, query, row, type Scoped } from '#storage/statement.ts'
import type { DeliveryRow, WebhookRow } from '#storage/tables.ts'

/** Whether there are events to fan out, and whether another living dispatcher sends for the workspace. */
export const dispatchState = query((db, $: Scoped<{ dispatcher_id: string; now: string }>) =>
  db
    .selectFrom('workspaces')
    .leftJoin('dispatchers', (join) =>
      join
        .onRef('dispatchers.id', '=', 'workspaces.dispatcher_id')
        .on('dispatchers.id', '<>', $.dispatcher_id)
        .on('alive_until', '>', $.now),
    )
    .select(['dispatch_token', 'has_unsent_events', 'dispatchers.id as is_claimed'])
    .where('workspaces.id', '=', $.workspace_id),
)

/** The present claim. */
export const claimed = query((db, $: Scoped) =>
  db.selectFrom('workspaces').select('dispatch_token').where('id', '=', $.workspace_id),
)

/** Takes over a workspace that is not deleted and that no living dispatcher sends for. */
export const claim = command((db, $: Scoped<{ dispatcher_id: string; now: string }>) =>
  db
    .updateTable('workspaces')
    .set((is) => ({
      dispatcher_id: $.dispatcher_id,
      dispatch_token: is('dispatch_token', '+', 1),
    }))
    .where('id', '=', $.workspace_id)
    .where('deleted_at', 'is', null)
    .where((is) =>
      is.not(
        is.exists(
          is
            .selectFrom('dispatchers')
            .select('dispatchers.id')
            .whereRef('dispatchers.id', '=', 'workspaces.dispatcher_id')
            .where('dispatchers.id', '<>', $.dispatcher_id)
            .where('alive_until', '>', $.now),
        ),
      ),
    ),
)

export const beat = commandOfAll((db, $: { id: string; alive_until: string }) =>
  db
    .insertInto('dispatchers')
    .values(row($, 'id', 'alive_until'))
    .onConflict((on) => on.column('id').doUpdateSet({ alive_until: $.alive_until })),
)

export const leave = commandOfAll((db, $: { id: string }) =>
  db.deleteFrom('dispatchers').where('id', '=', $.id),
)

/**
 * Dispatchers that are known to be gone: alive until some time ago, or for longer than anybody can say,
 * by a clock that was set back since.
 */
export const forgetDispatchers = commandOfAll(
  (db, $: { alive_before: string; alive_after: string }) =>
    db
      .deleteFrom('dispatchers')
      .where((is) =>
        is.or([is('alive_until', '<', $.alive_before), is('alive_until', '>', $.alive_after)]),
      ),
)

/** A webhook as far as sending to it needs to know. */
export type Target = Pick<
  WebhookRow,
  | 'id'
  | 'url'
  | 'sealed_secret'
  | 'sealed_previous_secret'
  | 'previous_secret_expires_at'
  | 'is_active'
  | 'failure_count'
> & { activation: number; has_stale: number }

const TARGET = [
  'id',
  'url',
  'sealed_secret',
  'sealed_previous_secret',
  'previous_secret_expires_at',
  'is_active',
  'failure_count',
  'activation',
  'has_stale',
] as const

export const targetsDue = query((db, $: Scoped<{ now: string }>) =>
  db
    .selectFrom('webhooks')
    .select(TARGET)
    .where('workspace_id', '=', $.workspace_id)
    .where('next_due_at', '<=', $.now)
    .orderBy('id'),
)

/** A delivery as it is sent. */
export type Ready = Pick<
  DeliveryRow,
  'id' | 'event_id' | 'event_type' | 'attempt_count' | 'lane' | 'queue' | 'is_test' | 'created_at'
> & { body: string | null }

/** Whose and which: `busy` are ids that are on their way already. */
type Which = Scoped<{
  webhook_id: string
  activation: number
  now: string
  busy: string[]
  limit: number
}>

/** The next deliveries of a webhook, up to the limit of each of its queues. */
export const readyDeliveries = query((db, $: Which, { among }) => {
  const next = (queue: DeliveryRow['queue']) =>
    db
      .selectFrom('deliveries')
      .leftJoin('events', (join) =>
        join
          .onRef('events.workspace_id', '=', 'deliveries.workspace_id')
          .onRef('events.sequence', '=', 'deliveries.sequence'),
      )
      .select([
        'deliveries.id',
        'deliveries.event_id',
        'deliveries.event_type',
        'deliveries.attempt_count',
        'deliveries.lane',
        'deliveries.queue',
        'deliveries.is_test',
        'deliveries.created_at',
        sql<string | null>`coalesce(deliveries.payload, events.payload)`.as('body'),
      ])
      .where('deliveries.workspace_id', '=', $.workspace_id)
      .where('deliveries.webhook_id', '=', $.webhook_id)
      .where('deliveries.activation', '=', $.activation)
      .where('deliveries.queue', '=', sql.lit(queue))
      .where('deliveries.status', '=', sql.lit('pending'))
      .where('deliveries.blocked', '=', sql.lit(0))
      .where('deliveries.due_at', '<=', $.now)
      .where((is) => is.not(among('deliveries.id', $.busy)))
      .orderBy('deliveries.due_at')
      .orderBy('deliveries.id')
      .limit($.limit)
      .as('next')
  const { direct, live, replay } = QUEUES
  return db
    .selectFrom(next(direct))
    .selectAll()
    .unionAll(db.selectFrom(next(live)).selectAll())
    .unionAll(db.selectFrom(next(replay)).selectAll())
})
