import { readRoute, writeRoute } from '#core/route.ts'
import { loadWebhook } from '#resources/webhooks/load.ts'
import {
  getDelivery,
  listWebhookDeliveries,
  redeliver,
  replayEvents,
  testWebhook,
} from './contract.ts'
import { loadDelivery, loadDeliveryDetails } from './load.ts'
import { get, list, queueReplay, queueTestDelivery, requeueDelivery } from './operations.ts'

export const deliveries = [
  readRoute(listWebhookDeliveries, (tx, { params }) => loadWebhook(tx, params.id), list),
  readRoute(getDelivery, (tx, { params }) => loadDeliveryDetails(tx, params.id), get),
  writeRoute(redeliver, (tx, { params }) => loadDelivery(tx, params.id), requeueDelivery),
  writeRoute(testWebhook, (tx, { params }) => loadWebhook(tx, params.id), queueTestDelivery),
  writeRoute(replayEvents, (tx, { params }) => loadWebhook(tx, params.id), queueReplay),
]
