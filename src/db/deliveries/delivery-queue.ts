import { sql } from 'kysely'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { nextUpdatedAt } from '#core/next-updated-at.ts'
import type { Storage, WriteTx } from '#core/transaction.ts'
import { timestampOf } from '#lib/clock.ts'
import { newId } from '#lib/id.ts'
import { command, pickSlots, query, type Scoped, unscopedQuery } from '../core/statement.ts'
import { notifyWebhookManagers } from '../notifications/notify.ts'
import type { DeliveryRow } from '../schema/tables.ts'
import { isDeletedWorkspace } from '../workspaces/deleted-workspaces.ts'

/**
 * Ends the leases that came with copied rows. They are of processes that serve the original; here
 * they would keep its workspaces claimed for up to half a minute, during which nothing is sent.
 */
export const END_COPIED_LEASES_SQL = 'delete from dispatchers'

/** The queues of a webhook: deliveries keep their order within a queue. */
export const DELIVERY_QUEUES = { direct: 0, live: 1, replay: 2 } as const

/** After this many failed attempts a delivery no longer blocks its lane (docs/spec/api.md#guarantees-of-events). */
export const LANE_BLOCKING_ATTEMPTS = 4

type DeliveryColumns = Pick<
  DeliveryRow,
  | 'webhook_id'
  | 'event_id'
  | 'event_type'
  | 'sequence'
  | 'payload'
  | 'queue'
  | 'lane'
  | 'activation'
  | 'is_test'
  | 'redelivery_of_id'
>

/** A delivery to insert; the defaults are those of a live event. */
export type NewDelivery = Omit<DeliveryColumns, 'payload' | 'is_test' | 'redelivery_of_id'> &
  Partial<Pick<DeliveryColumns, 'payload' | 'is_test' | 'redelivery_of_id'>>

/**
 * Queues deliveries in the given order and returns their ids. A delivery is blocked while an earlier
 * one in its lane is unfinished.
 */
export async function queueDeliveries(
  tx: WriteTx,
  deliveries: readonly NewDelivery[],
): Promise<string[]> {
  if (deliveries.length === 0) return []
  const lanes = new Set<string>()
  const rows = deliveries.map((delivery) => {
    const lane = delivery.lane === null ? null : `${delivery.webhook_id} ${delivery.lane}`
    const follows = lane !== null && lanes.has(lane) ? 1 : 0
    if (lane !== null) lanes.add(lane)
    const id = newId('dlv', tx.nowMs)
    return { ...DELIVERY_DEFAULTS, ...delivery, id, follows, created_at: tx.now }
  })
  await tx.runEach(insertDelivery, rows)
  const counts = Map.groupBy(rows, ({ webhook_id }) => webhook_id)
  const queued = [...counts].map(([id, queuedRows]) => ({
    id,
    count: queuedRows.length,
    now: tx.now,
  }))
  await tx.runEach(addQueuedCounts, queued)
  for (const { id } of queued) noteWebhookChange(tx, id)
  return rows.map(({ id }) => id)
}

/** Why a webhook was disabled (docs/spec/api.md#webhook). */
type WebhookDisabledReason = 'manual' | 'gone' | 'failures'

/**
 * Disables a webhook and cancels one batch of its pending deliveries; the dispatcher cancels the rest.
 * A webhook that is already disabled keeps its reason.
 */
export async function disableWebhook(
  tx: WriteTx,
  { id, reason }: { id: string; reason: WebhookDisabledReason },
): Promise<void> {
  const webhook = await tx.one(activeWebhook, { id })
  if (!webhook) return
  const updated_at = nextUpdatedAt(tx, webhook.updated_at)
  await tx.run(disable, { id, disabled_reason: reason, updated_at })
  await cancelStaleDeliveries(tx, id)
  noteWebhookChange(tx, id)
  tx.audit('webhook.disabled', id, { reason })
  if (reason !== 'manual') {
    await notifyWebhookManagers(tx, { id, detail: 'disabled', since: updated_at })
  }
}

/** Announces a change of a webhook or its log to the members who may manage it. */
export const noteWebhookChange = (tx: WriteTx, id: string) =>
  tx.noteChange({ noun: 'webhook', id, only_for: '' })

/** Deliveries canceled per transaction, so that other writers do not wait long. */
const CANCEL_BATCH_SIZE = 500

/**
 * Cancels one batch of the pending deliveries that belong to earlier activations of a webhook. Returns
 * whether there may be more; the webhook then keeps its mark `has_stale`.
 */
export async function cancelStaleDeliveries(tx: WriteTx, webhook_id: string): Promise<boolean> {
  const limit = CANCEL_BATCH_SIZE
  const canceled = await tx.run(cancelSome, { webhook_id, now: tx.now, limit })
  const has_stale = canceled === limit ? 1 : 0
  await tx.run(addCanceledCounts, { webhook_id, canceled, has_stale, now: tx.now })
  return has_stale === 1
}

const DELIVERY_DEFAULTS = { payload: null, is_test: 0, redelivery_of_id: null }

type DeliveryInsert = DeliveryColumns & { id: string; follows: number; created_at: string }

const insertDelivery = command((db, $: Scoped<DeliveryInsert>) =>
  db.insertInto('deliveries').values({
    ...pickSlots(
      $,
      'workspace_id',
      'id',
      'webhook_id',
      'event_id',
      'event_type',
      'sequence',
      'payload',
      'queue',
      'lane',
      'activation',
      'is_test',
      'redelivery_of_id',
      'created_at',
    ),
    blocked: sql`case when ${$.follows} = 1 or exists (
      select 1 from deliveries as earlier
      where earlier.workspace_id = ${$.workspace_id} and earlier.webhook_id = ${$.webhook_id}
        and earlier.lane = ${$.lane} and earlier.status = 'pending'
        and earlier.attempt_count < ${sql.lit(LANE_BLOCKING_ATTEMPTS)}
    ) then 1 else 0 end`,
    status: sql.lit('pending'),
    attempt_count: sql.lit(0),
    due_at: $.created_at,
  }),
)

const addQueuedCounts = command((db, $: Scoped<{ id: string; count: number; now: string }>) =>
  db
    .updateTable('webhooks')
    .set((is) => ({
      pending_count: is('pending_count', '+', $.count),
      next_due_at: sql`case when next_due_at < ${$.now} then next_due_at else ${$.now} end`,
    }))
    .where('id', '=', $.id),
)

const activeWebhook = query((db, $: Scoped<{ id: string }>) =>
  db.selectFrom('webhooks').select('updated_at').where('id', '=', $.id).where('is_active', '=', 1),
)

/** The next activation makes all deliveries queued before it stale. */
const disable = command(
  (db, $: Scoped<{ id: string; disabled_reason: WebhookDisabledReason; updated_at: string }>) =>
    db
      .updateTable('webhooks')
      .set((is) => ({
        is_active: 0,
        disabled_reason: $.disabled_reason,
        activation: is('activation', '+', 1),
        updated_at: $.updated_at,
      }))
      .where('id', '=', $.id),
)

type CancelStaleParams = Scoped<{ webhook_id: string; now: string; limit: number }>

/**
 * Earliest activation first: that is the order of the index. Any other order would read past all
 * deliveries canceled before.
 */
const cancelSome = command((db, $: CancelStaleParams) =>
  db
    .updateTable('deliveries')
    .set({ status: 'canceled', completed_at: $.now, blocked: 0 })
    .where('id', 'in', (is) =>
      is
        .selectFrom('deliveries as some')
        .select('some.id')
        .where('some.webhook_id', '=', $.webhook_id)
        .where('some.status', '=', sql.lit('pending'))
        .where('some.activation', '<', (webhook) =>
          webhook
            .selectFrom('webhooks')
            .select('webhooks.activation')
            .where('webhooks.id', '=', $.webhook_id),
        )
        .orderBy('some.activation')
        .limit($.limit),
    ),
)

/** When the first pending delivery in one queue is due; reads only one end of an index. */
const earliestDueAtInQueue = (queue: number) => sql`select min(due_at) as due_at from deliveries
  where deliveries.workspace_id = webhooks.workspace_id and deliveries.webhook_id = webhooks.id
    and deliveries.activation = webhooks.activation and deliveries.status = 'pending'
    and deliveries.blocked = 0 and deliveries.queue = ${sql.lit(queue)}`

/** When the first pending delivery of a webhook is due; for use in an update of `webhooks`. */
export const earliestDueAt = sql`select min(due_at) from (${sql.join(
  Object.values(DELIVERY_QUEUES).map(earliestDueAtInQueue),
  sql` union all `,
)}) as queues`

type NoteCanceledParams = Scoped<{
  webhook_id: string
  canceled: number
  has_stale: number
  now: string
}>

const addCanceledCounts = command((db, $: NoteCanceledParams) =>
  db
    .updateTable('webhooks')
    .set((is) => ({
      pending_count: is('pending_count', '-', $.canceled),
      has_stale: $.has_stale,
      next_due_at: sql`case when ${$.has_stale} = 1 then ${$.now} when is_active = 1 then (${earliestDueAt}) end`,
    }))
    .where('id', '=', $.webhook_id),
)

/** The deliveries and events of all workspaces that wait to be sent. */
export interface DeliveryBacklog {
  /** Deliveries that wait for an attempt, the first or a further one. */
  deliveries: number
  /** Events committed for active webhooks that are not among the deliveries yet. */
  events: number
  /** Seconds since the most overdue delivery became due. */
  overdueSeconds: number
}

/** Reads the counters kept in the tables: there may be millions of deliveries to count. */
export async function loadBacklog(storage: Storage): Promise<DeliveryBacklog> {
  const now = storage.clock.now()
  const counts = await storage.read(ANONYMOUS_ACTOR, (tx) =>
    tx.one(backlogCounts, { now: timestampOf(now) }),
  )
  return {
    deliveries: Number(counts?.deliveries ?? 0),
    events: Number(counts?.events ?? 0),
    overdueSeconds: counts?.due_at ? Math.max(0, now - Date.parse(counts.due_at)) / 1000 : 0,
  }
}

/** Deleted workspaces send nothing, so their deliveries are no backlog. */
const isNotDeleted = sql<boolean>`not ${isDeletedWorkspace('webhooks.workspace_id')}`

const backlogCounts = unscopedQuery((db, $: { now: string }) =>
  db.selectNoFrom((is) => [
    is
      .selectFrom('webhooks')
      .select(sql<number>`coalesce(sum(pending_count), 0)`.as('n'))
      .where('next_due_at', 'is not', null)
      .where(isNotDeleted)
      .as('deliveries'),
    is
      .selectFrom('webhooks')
      .select((webhook) => webhook.fn.min('next_due_at').as('due_at'))
      .where('next_due_at', '<=', $.now)
      .where(isNotDeleted)
      .as('due_at'),
    is
      .selectFrom('workspaces')
      .select(sql<number>`coalesce(sum(last_sequence - fanned_out_sequence), 0)`.as('n'))
      .where('has_unsent_events', '=', sql.lit(1))
      .where('deleted_at', 'is', null)
      .as('events'),
  ]),
)
