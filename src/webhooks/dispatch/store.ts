import { sql } from 'kysely'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import {
  command,
  pickSlots,
  query,
  type Scoped,
  unscopedCommand,
  unscopedQuery,
} from '#db/core/statement.ts'
import { DELIVERY_QUEUES } from '#db/deliveries/delivery-queue.ts'
import type { DeliveryRow, WebhookRow } from '#db/schema/tables.ts'
import { isDeletedWorkspace } from '#db/workspaces/deleted-workspaces.ts'
import { timestampOf } from '#lib/clock.ts'

/** Whether there are events to fan out, and whether another live dispatcher holds the claim. */
export const dispatchState = query((db, $: Scoped<{ dispatcher_id: string; now: string }>) =>
  db
    .selectFrom('workspaces')
    .leftJoin('dispatchers', (join) =>
      join
        .onRef('dispatchers.id', '=', 'workspaces.dispatcher_id')
        .on('dispatchers.id', '<>', $.dispatcher_id)
        .on('alive_until', '>', $.now),
    )
    .select(['dispatch_token', 'has_unsent_events', 'dispatchers.id as is_claimed']),
)

/** The token of the current claim. */
export const currentClaim = query((db) => db.selectFrom('workspaces').select('dispatch_token'))

/** Claims a workspace that is not deleted and that no other live dispatcher has claimed. */
export const claimWorkspace = command((db, $: Scoped<{ dispatcher_id: string; now: string }>) =>
  db
    .updateTable('workspaces')
    .set((is) => ({
      dispatcher_id: $.dispatcher_id,
      dispatch_token: is('dispatch_token', '+', 1),
    }))
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

export const renewLease = unscopedCommand((db, $: { id: string; alive_until: string }) =>
  db
    .insertInto('dispatchers')
    .values(pickSlots($, 'id', 'alive_until'))
    .onConflict((on) => on.column('id').doUpdateSet({ alive_until: $.alive_until })),
)

export const deleteLease = unscopedCommand((db, $: { id: string }) =>
  db.deleteFrom('dispatchers').where('id', '=', $.id),
)

/**
 * Deletes dispatchers that must be dead: their lease ended some time ago, or ends further in the
 * future than possible, because the clock was set back since.
 */
export const deleteDeadDispatchers = unscopedCommand(
  (db, $: { alive_before: string; alive_after: string }) =>
    db
      .deleteFrom('dispatchers')
      .where((is) =>
        is.or([is('alive_until', '<', $.alive_before), is('alive_until', '>', $.alive_after)]),
      ),
)

/** The columns of a webhook that sending needs. */
const TARGET_COLUMNS = [
  'id',
  'url',
  'sealed_secret',
  'sealed_previous_secret',
  'previous_secret_expires_at',
  'is_active',
  'failure_count',
] as const

export type DueWebhook = Pick<WebhookRow, (typeof TARGET_COLUMNS)[number]> & {
  activation: number
  has_stale: number
}

export const dueWebhooks = query((db, $: Scoped<{ now: string }>) =>
  db
    .selectFrom('webhooks')
    .select([...TARGET_COLUMNS, 'activation', 'has_stale'])
    .where('next_due_at', '<=', $.now)
    .orderBy('id'),
)

/** A delivery that is ready to be sent. */
export type ReadyDelivery = Pick<
  DeliveryRow,
  'id' | 'event_id' | 'event_type' | 'attempt_count' | 'lane' | 'queue' | 'is_test' | 'created_at'
> & { body: string | null }

/** `busy` are the ids of deliveries in flight. */
type ReadyDeliveryParams = Scoped<{
  webhook_id: string
  activation: number
  now: string
  busy: string[]
  limit: number
}>

/** The next deliveries of a webhook, up to the limit of each of its queues. */
export const readyDeliveries = query((db, $: ReadyDeliveryParams, { inList }) => {
  const next = (queue: DeliveryRow['queue']) =>
    db
      .selectFrom('deliveries')
      .leftJoin('events', 'events.sequence', 'deliveries.sequence')
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
      .where('deliveries.webhook_id', '=', $.webhook_id)
      .where('deliveries.activation', '=', $.activation)
      .where('deliveries.queue', '=', sql.lit(queue))
      .where('deliveries.status', '=', sql.lit('pending'))
      .where('deliveries.blocked', '=', sql.lit(0))
      .where('deliveries.due_at', '<=', $.now)
      .where((is) => is.not(inList('deliveries.id', $.busy)))
      .orderBy('deliveries.due_at')
      .orderBy('deliveries.id')
      .limit($.limit)
      .as('next')
  const { direct, live, replay } = DELIVERY_QUEUES
  return db
    .selectFrom(next(direct))
    .selectAll()
    .unionAll(db.selectFrom(next(live)).selectAll())
    .unionAll(db.selectFrom(next(replay)).selectAll())
})

/** Webhooks, or workspaces, of which one poll tells; others are found when these are done. */
const MAX_PENDING = 5_000

/** The workspaces with something to send, and the milliseconds until the next webhook is due. */
export interface PendingWorkspaces {
  workspaces: Set<string>
  nextInMs: number | undefined
}

/** Finds work in all workspaces except those claimed by another live dispatcher, by one statement. */
export async function findPendingWorkspaces(
  storage: Storage,
  dispatcher_id: string,
): Promise<PendingWorkspaces> {
  const now = timestampOf(storage.clock.now())
  const rows = await storage.read(ANONYMOUS_ACTOR, (tx) =>
    tx.all(pendingWorkspaces, { now, dispatcher_id }),
  )
  const workspaces = new Set<string>()
  let nextInMs: number | undefined
  for (const { workspace_id, next_due_at } of rows) {
    if (workspace_id !== null) workspaces.add(workspace_id)
    if (next_due_at !== null) nextInMs = Date.parse(next_due_at) - storage.clock.now()
  }
  return { workspaces, nextInMs }
}

type DispatcherParams = { dispatcher_id: string; now: string }

/**
 * Workspaces with due deliveries, the longest waiting first, with events that are not fanned out yet,
 * or with a replay that is not completely queued; and one row with when the next webhook is due.
 */
const pendingWorkspaces = unscopedQuery((db, $: DispatcherParams) => {
  const unclaimed = (column: string) => sql<boolean>`not exists (
    select 1 from workspaces as theirs
    join dispatchers on dispatchers.id = theirs.dispatcher_id
    where theirs.id = ${sql.ref(column)} and dispatchers.id <> ${$.dispatcher_id}
      and dispatchers.alive_until > ${$.now})`
  const isNotDeleted = (column: `${string}.workspace_id`) =>
    sql<boolean>`not ${isDeletedWorkspace(column)}`
  const due = db
    .selectFrom('webhooks')
    .select('workspace_id')
    .where('next_due_at', '<=', $.now)
    .where(isNotDeleted('webhooks.workspace_id'))
    .where(unclaimed('webhooks.workspace_id'))
    .orderBy('next_due_at')
    .limit(sql.lit(MAX_PENDING))
  const unsent = db
    .selectFrom('workspaces')
    .select('id as workspace_id')
    .where('has_unsent_events', '=', sql.lit(1))
    .where('deleted_at', 'is', null)
    .where(unclaimed('workspaces.id'))
    .limit(sql.lit(MAX_PENDING))
  const replaying = db
    .selectFrom('replays')
    .select('workspace_id')
    .distinct()
    .where(isNotDeleted('replays.workspace_id'))
    .limit(sql.lit(MAX_PENDING))
  const next = db
    .selectFrom('webhooks')
    .select('next_due_at')
    .where('next_due_at', '>', $.now)
    .orderBy('next_due_at')
    .limit(sql.lit(1))
  const never = sql<string | null>`null`.as('next_due_at')
  const nobody = sql<string | null>`null`.as('workspace_id')
  return db
    .selectFrom(next.as('next'))
    .select([nobody, 'next_due_at'])
    .unionAll(db.selectFrom(due.as('due')).select(['workspace_id', never]).distinct())
    .unionAll(db.selectFrom(unsent.as('unsent')).select(['workspace_id', never]))
    .unionAll(db.selectFrom(replaying.as('replaying')).select(['workspace_id', never]))
})
