import { managersOnly } from '#core/managers.ts'
import { route } from '#core/route.ts'
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  rotateSecret,
  updateWebhook,
} from './contract.ts'
import { loadWebhook } from './load.ts'
import { create, get, list, remove, rotate, update } from './operations.ts'

export const webhooks = [
  route(listWebhooks, managersOnly, list),
  route(createWebhook, managersOnly, create),
  route(getWebhook, (tx, { params }) => loadWebhook(tx, params.id), get),
  route(updateWebhook, (tx, { params }) => loadWebhook(tx, params.id), update),
  route(deleteWebhook, (tx, { params }) => loadWebhook(tx, params.id), remove),
  route(rotateSecret, (tx, { params }) => loadWebhook(tx, params.id), rotate),
]
