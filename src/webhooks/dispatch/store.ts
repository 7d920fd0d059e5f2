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
    .select(['dispatch_token', 'has_unsent_events', 'dispatchers.id as is_claimed'])
    .where('workspaces.id', '=', $.workspace_id),
)

/** The token of the current claim. */
export const currentClaim = query((db, $: Scoped) =>
  db.selectFrom('workspaces').select('dispatch_token').where('id', '=', $.workspace_id),
)

/** Claims a workspace that is not deleted and that no other live dispatcher has claimed. */
export const claimWorkspace = command((db, $: Scoped<{ dispatcher_id: string; now: string }>) =>
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
    .where('workspace_id', '=', $.workspace_id)
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

const PAGE_SIZE = 1_000
/** Webhooks beyond the last page are found in a later round, when others are done. */
const MAX_PAGES = 20

/** The workspaces with something to send, and the milliseconds until the next webhook is due. */
export interface PendingWorkspaces {
  workspaces: Set<string>
  nextInMs: number | undefined
}

/** Finds work in all workspaces except those claimed by another live dispatcher. */
export async function findPendingWorkspaces(
  storage: Storage,
  dispatcher_id: string,
): Promise<PendingWorkspaces> {
  const now = timestampOf(storage.clock.now())
  const workspaces = new Set<string>()
  let after = { due_at: '', id: '' }
  for (let page = 0; page < MAX_PAGES; page++) {
    const rows = await storage.read(ANONYMOUS_ACTOR, (tx) =>
      tx.all(webhooksDue, { ...after, now, dispatcher_id, limit: PAGE_SIZE }),
    )
    for (const { workspace_id } of rows) workspaces.add(workspace_id)
    const last = rows.at(-1)
    if (!last || rows.length < PAGE_SIZE) break
    after = { due_at: last.next_due_at ?? '', id: last.id }
  }
  const { unsent, replaying, next } = await storage.read(ANONYMOUS_ACTOR, async (tx) => ({
    unsent: await tx.all(workspacesWithUnsentEvents, { now, dispatcher_id, limit: PAGE_SIZE }),
    replaying: await tx.all(workspacesReplaying, { limit: PAGE_SIZE }),
    next: await tx.one(nextDue, { now }),
  }))
  for (const { workspace_id } of replaying) workspaces.add(workspace_id)
  for (const { id } of unsent) workspaces.add(id)
  const nextDueAt = next?.next_due_at
  return {
    workspaces,
    nextInMs: nextDueAt ? Date.parse(nextDueAt) - storage.clock.now() : undefined,
  }
}

interface DispatcherParams {
  dispatcher_id: string
  now: string
}

/** Whether no other live dispatcher has claimed the workspace in a column. */
const unclaimed = (column: string, $: DispatcherParams) => sql<boolean>`not exists (
  select 1 from workspaces as theirs
  join dispatchers on dispatchers.id = theirs.dispatcher_id
  where theirs.id = ${sql.ref(column)} and dispatchers.id <> ${$.dispatcher_id}
    and dispatchers.alive_until > ${$.now})`

/** Webhooks with due deliveries, the longest waiting first. */
const webhooksDue = unscopedQuery(
  (db, $: DispatcherParams & { due_at: string; id: string; limit: number }) =>
    db
      .selectFrom('webhooks')
      .select(['workspace_id', 'next_due_at', 'id'])
      .where('next_due_at', '<=', $.now)
      .where(sql<boolean>`not ${isDeletedWorkspace('webhooks.workspace_id')}`)
      .where(sql<boolean>`(next_due_at, id) > (${$.due_at}, ${$.id})`)
      .where(unclaimed('webhooks.workspace_id', $))
      .orderBy('next_due_at')
      .orderBy('id')
      .limit($.limit),
)

/** Workspaces with events that are not fanned out yet. */
const workspacesWithUnsentEvents = unscopedQuery((db, $: DispatcherParams & { limit: number }) =>
  db
    .selectFrom('workspaces')
    .select('id')
    .where('has_unsent_events', '=', sql.lit(1))
    .where('deleted_at', 'is', null)
    .where(unclaimed('workspaces.id', $))
    .orderBy('id')
    .limit($.limit),
)

/** Workspaces with a replay that is not completely queued. */
const workspacesReplaying = unscopedQuery((db, $: { limit: number }) =>
  db
    .selectFrom('replays')
    .select('workspace_id')
    .where(sql<boolean>`not ${isDeletedWorkspace('replays.workspace_id')}`)
    .distinct()
    .limit($.limit),
)

/** When the next webhook is due. */
const nextDue = unscopedQuery((db, $: { now: string }) =>
  db
    .selectFrom('webhooks')
    .select('next_due_at')
    .where('next_due_at', '>', $.now)
    .orderBy('next_due_at')
    .limit(1),
)
