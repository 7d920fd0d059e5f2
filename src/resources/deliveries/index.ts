import { route } from '#core/route.ts'
import { loadWebhook } from '#resources/webhooks/load.ts'
import { getDelivery, listDeliveries, redeliver, replayEvents, testWebhook } from './contract.ts'
import { loadDelivery, loadWholeDelivery } from './load.ts'
import { again, get, list, replay, test } from './operations.ts'

export const deliveries = [
  route(listDeliveries, (tx, { params }) => loadWebhook(tx, params.id), list),
  route(getDelivery, (tx, { params }) => loadWholeDelivery(tx, params.id), get),
  route(redeliver, (tx, { params }) => loadDelivery(tx, params.id), again),
  route(testWebhook, (tx, { params }) => loadWebhook(tx, params.id), test),
  route(replayEvents, (tx, { params }) => loadWebhook(tx, params.id), replay),
]
