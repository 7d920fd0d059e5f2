import { allowManagers } from '#core/managers.ts'
import { readRoute, writeRoute } from '#core/route.ts'
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  rotateWebhookSecret,
  updateWebhook,
} from './contract.ts'
import { loadWebhook } from './load.ts'
import { create, get, list, remove, rotate, update } from './operations.ts'

export const webhooks = [
  readRoute(listWebhooks, allowManagers, list),
  writeRoute(createWebhook, allowManagers, create),
  readRoute(getWebhook, (tx, { params }) => loadWebhook(tx, params.id), get),
  writeRoute(updateWebhook, (tx, { params }) => loadWebhook(tx, params.id), update),
  writeRoute(deleteWebhook, (tx, { params }) => loadWebhook(tx, params.id), remove),
  writeRoute(rotateWebhookSecret, (tx, { params }) => loadWebhook(tx, params.id), rotate),
]
