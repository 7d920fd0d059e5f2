import { conflict, eventsExpired } from '#core/refusal.ts'
import type { Operation } from '#core/route.ts'
import type { WriteTx } from '#core/tx.ts'
import { newId } from '#lib/id.ts'
import type { loadWebhook } from '#resources/webhooks/load.ts'
import { type NewDelivery, noteWebhook, QUEUES, queueDeliveries } from '#storage/deliveries.ts'
import { toldOf } from '#storage/outbox.ts'
import { orderOf, windowOf } from '#storage/paged.ts'
import { countWanted, startReplay } from '#storage/replays.ts'
import type {
  getDelivery,
  listDeliveries,
  redeliver,
  replayEvents,
  testWebhook,
} from './contract.ts'
import { deliveriesOf } from './listed.ts'
import { loadDelivery, type loadWholeDelivery, refuseDisabled } from './load.ts'
import { logEnds, waitingFor } from './store.ts'

/** A receiver that takes nothing must not be given the past again and again. */
const MOST_WAITING = 100_000
const MOST_REPLAYED = 10_000

type FoundWebhook = Awaited<ReturnType<typeof loadWebhook>>
type FoundDelivery = Awaited<ReturnType<typeof loadDelivery>>
type WholeDelivery = Awaited<ReturnType<typeof loadWholeDelivery>>

export const list: Operation<typeof listDeliveries, FoundWebhook> = async (
  tx,
  { id },
  { query, page },
) => {
  const { statement, values } = deliveriesOf(id, orderOf(page, null), query)
  return page.cut(await tx.all(statement, { ...windowOf(page), ...values }))
}

export const get: Operation<typeof getDelivery, WholeDelivery> = async (_, { json }) => json

export const again: Operation<typeof redeliver, FoundDelivery> = async (tx, delivery) => {
  refuseDisabled(delivery)
  const { id, webhook_id, event_id, event_type, sequence, payload, is_test, activation } = delivery
  const same = { webhook_id, event_id, event_type, sequence, payload, is_test, activation }
  return queueOne(tx, { ...same, redelivery_of_id: id })
}

export const test: Operation<typeof testWebhook, FoundWebhook> = async (tx, webhook) => {
  refuseDisabled(webhook)
  const event_id = newId('evt', tx.instant)
  const about = { webhook_id: webhook.id, activation: webhook.activation, event_id, sequence: null }
  const payload = testEnvelope(tx, event_id)
  return queueOne(tx, { ...about, event_type: 'webhook.test', payload, is_test: 1 })
}

export const replay: Operation<typeof replayEvents, FoundWebhook> = async (
  tx,
  webhook,
  { body },
) => {
  const { log_from_sequence = 1, last_sequence = 0 } = (await tx.one(logEnds, {})) ?? {}
  const { from_sequence, to_sequence = last_sequence } = body
  if (from_sequence < log_from_sequence) throw eventsExpired('from_sequence', log_from_sequence)
  refuseDisabled(webhook)
  const last = Math.min(to_sequence, last_sequence)
  const range = { from_sequence, to_sequence: last }
  const queued = await countWanted(tx, webhook, range, MOST_REPLAYED)
  if (queued > MOST_REPLAYED) {
    throw conflict('limit_reached', `A replay has at most ${MOST_REPLAYED} events: take a part.`)
  }
  const { pending_count = 0 } = (await tx.one(waitingFor, { id: webhook.id })) ?? {}
  if (pending_count >= MOST_WAITING) {
    throw conflict('limit_reached', `${pending_count} deliveries wait for this webhook already.`)
  }
  if (queued > 0) {
    const { id: webhook_id, activation } = webhook
    const about = { id: tx.operation_id, webhook_id, activation }
    await startReplay(tx, { ...about, next_sequence: from_sequence, to_sequence: last })
    noteWebhook(tx, webhook_id)
  }
  return { queued, from_sequence, to_sequence }
}

/** Queues a delivery that neither waits for others nor holds them up, and gives it as it is shown. */
async function queueOne(tx: WriteTx, delivery: Omit<NewDelivery, 'queue' | 'lane'>) {
  const [id = ''] = await queueDeliveries(tx, [{ ...delivery, queue: QUEUES.direct, lane: null }])
  return (await loadDelivery(tx, id)).json
}

/** The envelope of a test (contract 7.3): of an event that never happened, and is in no log. */
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
    actor: toldOf(actor),
    data: {},
    changes: {},
  })
