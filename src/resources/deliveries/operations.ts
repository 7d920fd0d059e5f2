import {
  beyondNewestEvent,
  conflict,
  conflictWith,
  eventsExpired,
  notFound,
  validationFailed,
} from '#core/api-error.ts'
import { assertManager } from '#core/managers.ts'
import { type Operation, readRoute, writeRoute } from '#core/route.ts'
import type { ReadTx, WriteTx } from '#core/transaction.ts'
import { toListOrder, toPageWindow } from '#db/core/pagination.ts'
import {
  DELIVERY_QUEUES,
  type NewDelivery,
  noteWebhookChange,
  queueDeliveries,
} from '#db/deliveries/delivery-queue.ts'
import { countOpenReplays, countWantedEvents, startReplay } from '#db/deliveries/replays.ts'
import { readEventLogBounds, toEventActor } from '#db/events/outbox.ts'
import { newId } from '#lib/id.ts'
import { loadWebhook } from '#resources/webhooks/load.ts'
import { fieldError } from '#wire/field-error.ts'
import {
  explainWebhook,
  getDelivery,
  listWebhookDeliveries,
  redeliver,
  replayEvents,
  testWebhook,
} from './contract.ts'
import { explain } from './explain.ts'
import {
  buildDeliveryListQuery,
  deliveryById,
  deliveryDetailsById,
  pendingDeliveryCount,
} from './store.ts'

/** Limits the backlog of a receiver that accepts nothing and asks for one replay after another. */
const MAX_PENDING = 100_000
const MAX_REPLAYED = 10_000
/** Replays with events left to queue, which are not counted as pending deliveries yet. */
const MAX_OPEN_REPLAYS = 10

/** The delivery, for owners and admins, unless its webhook has been deleted. */
export async function loadDelivery(tx: ReadTx, id: string) {
  assertManager(tx)
  const delivery = await tx.one(deliveryById, { id })
  if (!delivery) throw notFound()
  return delivery
}

/** The JSON of a delivery with its last request and all attempts. */
async function loadDeliveryDetails(tx: ReadTx, id: string) {
  assertManager(tx)
  const delivery = await tx.one(deliveryDetailsById, { id })
  if (!delivery) throw notFound()
  return delivery
}

/** Nothing is sent to a disabled webhook, not even on demand (docs/spec/api.md#extensions). */
function assertWebhookActive({ id, is_active }: { id: string; is_active: number }): void {
  if (is_active === 1) return
  const message = 'The webhook is disabled. Set `is_active` to true to enable it.'
  throw conflictWith('webhook_disabled', message, id)
}

type WebhookOfDelivery = Awaited<ReturnType<typeof loadWebhook>>
type LoadedDelivery = Awaited<ReturnType<typeof loadDelivery>>
type LoadedDeliveryDetails = Awaited<ReturnType<typeof loadDeliveryDetails>>

const list: Operation<typeof listWebhookDeliveries, WebhookOfDelivery> = async (
  tx,
  { id },
  { query, page },
) => {
  const { statement, values } = buildDeliveryListQuery(id, toListOrder(page, null), query)
  return page.toPage(await tx.all(statement, { ...toPageWindow(page), ...values }))
}

const get: Operation<typeof getDelivery, LoadedDeliveryDetails> = async (_, { json }) => json

export const requeueDelivery: Operation<typeof redeliver, LoadedDelivery> = async (
  tx,
  delivery,
) => {
  assertWebhookActive({ id: delivery.webhook_id, is_active: delivery.is_active })
  const { id, webhook_id, event_id, event_type, sequence, payload, is_test, activation } = delivery
  const same = { webhook_id, event_id, event_type, sequence, payload, is_test, activation }
  return queueOne(tx, { ...same, redelivery_of_id: id })
}

export const queueTestDelivery: Operation<typeof testWebhook, WebhookOfDelivery> = async (
  tx,
  webhook,
) => {
  assertWebhookActive(webhook)
  const event_id = newId('evt', tx.nowMs)
  const about = { webhook_id: webhook.id, activation: webhook.activation, event_id, sequence: null }
  const payload = testEnvelope(tx, event_id)
  return queueOne(tx, { ...about, event_type: 'webhook.test', payload, is_test: 1 })
}

export const queueReplay: Operation<typeof replayEvents, WebhookOfDelivery> = async (
  tx,
  webhook,
  { body },
) => {
  const { start, newest } = await readEventLogBounds(tx)
  const { from_sequence, to_sequence = newest } = body
  if (from_sequence < start) throw eventsExpired('from_sequence', start)
  if (from_sequence > newest) {
    throw validationFailed(fieldError('from_sequence', 'too_large', beyondNewestEvent(newest)))
  }
  assertWebhookActive(webhook)
  const last = Math.min(to_sequence, newest)
  const range = { from_sequence, to_sequence: last }
  const queued = await countWantedEvents(tx, webhook, range, MAX_REPLAYED)
  if (queued > MAX_REPLAYED) {
    throw conflict(
      'limit_reached',
      `A replay can have at most ${MAX_REPLAYED} events. Choose a smaller range.`,
    )
  }
  const { pending_count = 0 } = (await tx.one(pendingDeliveryCount, { id: webhook.id })) ?? {}
  if (pending_count >= MAX_PENDING) {
    throw conflict(
      'limit_reached',
      `This webhook already has ${pending_count} pending deliveries. Wait until they are sent.`,
    )
  }
  const { count: openReplays = 0 } =
    (await tx.one(countOpenReplays, { webhook_id: webhook.id, limit: MAX_OPEN_REPLAYS })) ?? {}
  if (openReplays >= MAX_OPEN_REPLAYS) {
    throw conflict(
      'limit_reached',
      `This webhook already has ${MAX_OPEN_REPLAYS} replays under way. Wait until their events are queued.`,
    )
  }
  if (queued > 0) {
    const { id: webhook_id, activation } = webhook
    const about = { id: tx.operation_id, webhook_id, activation }
    await startReplay(tx, { ...about, next_sequence: from_sequence, to_sequence: last })
    noteWebhookChange(tx, webhook_id)
  }
  return { queued, from_sequence, to_sequence }
}

/** Queues a delivery outside the order of its subject, and returns its JSON. */
async function queueOne(tx: WriteTx, delivery: Omit<NewDelivery, 'queue' | 'lane'>) {
  const [id = ''] = await queueDeliveries(tx, [
    { ...delivery, queue: DELIVERY_QUEUES.direct, lane: null },
  ])
  return (await loadDelivery(tx, id)).json
}

/** The envelope of a test event (docs/spec/api.md#extensions), which is not in the event log. */
const testEnvelope = ({ actor, now }: WriteTx, id: string): string =>
  JSON.stringify({
    id,
    type: 'webhook.test',
    timestamp: now,
    workspace_id: actor.workspace_id,
    project_id: null,
    sequence: null,
    operation_id: null,
    api_version: 'v1',
    actor: toEventActor(actor),
    data: {},
    changes: {},
  })

export const deliveries = [
  readRoute(explainWebhook, (tx, { params }) => loadWebhook(tx, params.id), explain),
  readRoute(listWebhookDeliveries, (tx, { params }) => loadWebhook(tx, params.id), list),
  readRoute(getDelivery, (tx, { params }) => loadDeliveryDetails(tx, params.id), get),
  writeRoute(redeliver, (tx, { params }) => loadDelivery(tx, params.id), requeueDelivery),
  writeRoute(testWebhook, (tx, { params }) => loadWebhook(tx, params.id), queueTestDelivery),
  writeRoute(replayEvents, (tx, { params }) => loadWebhook(tx, params.id), queueReplay),
]
