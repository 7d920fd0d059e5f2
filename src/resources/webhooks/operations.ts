import { later } from '#core/later.ts'
import { conflict } from '#core/refusal.ts'
import type { Operation } from '#core/route.ts'
import type { ReadTx, WriteTx } from '#core/tx.ts'
import { timestampOf } from '#lib/clock.ts'
import { newId } from '#lib/id.ts'
import { newWebhookSecret } from '#lib/token.ts'
import { disableWebhook, noteWebhook } from '#storage/deliveries.ts'
import { orderOf, windowOf } from '#storage/paged.ts'
import type { Input } from '#wire/endpoint.ts'
import type {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  rotateSecret,
  updateWebhook,
} from './contract.ts'
import { loadWebhook } from './load.ts'
import {
  type Configuration,
  changeWebhook,
  countWebhooks,
  insertWebhook,
  lastSequence,
  noteRemoved,
  removeWebhook,
  webhooksWhere,
} from './store.ts'
import { refuseForeignProjects, refuseTarget } from './target.ts'

const MOST_WEBHOOKS = 50
const DAY_SECONDS = 86_400

type Subject = Awaited<ReturnType<typeof loadWebhook>>

export const list: Operation<typeof listWebhooks> = async (tx, _, { query, page }) => {
  const shape = { order: orderOf(page, null), is_active: query.is_active !== undefined }
  const filters = { now: tx.now, is_active: query.is_active ? 1 : 0 }
  return page.cut(await tx.all(webhooksWhere(shape), { ...windowOf(page), ...filters }))
}

export const create: Operation<typeof createWebhook> = (tx, _, { body }) =>
  addWebhook(tx, body, tx.actor.user_id ?? '')

/** Makes a webhook in the name of a person, and shows its secret. */
export async function addWebhook(
  tx: WriteTx,
  wanted: Input<typeof createWebhook>['body'],
  created_by_id: string,
) {
  const { url, events, description = null, project_ids = null, is_active = true } = wanted
  refuseTarget(tx, url)
  await refuseForeignProjects(tx, project_ids ?? [])
  const { count } = (await tx.one(countWebhooks, {})) ?? { count: 0 }
  if (count >= MOST_WEBHOOKS) {
    throw conflict('limit_reached', `A workspace has at most ${MOST_WEBHOOKS} webhooks.`)
  }
  const id = newId('whk', tx.instant)
  const secret = wanted.secret ?? newWebhookSecret()
  await tx.run(insertWebhook, {
    id,
    url,
    description,
    events: JSON.stringify(events),
    project_ids: project_ids && JSON.stringify(project_ids),
    ...(await enabled(tx)),
    ...(!is_active && { is_active: 0, disabled_reason: 'manual' }),
    ...keeping(tx, secret),
    created_by_id,
    created_at: tx.now,
    updated_at: tx.now,
  })
  noteWebhook(tx, id, 'create')
  tx.audit('webhook.created', id, { events, project_ids })
  return { ...(await loadWebhook(tx, id)), secret }
}

export const get: Operation<typeof getWebhook, Subject> = async (_, webhook) => webhook

export const update: Operation<typeof updateWebhook, Subject> = async (tx, webhook, { body }) => {
  const { url = webhook.url, description = webhook.description, events, project_ids } = body
  const { is_active, secret } = body
  if (url !== webhook.url) refuseTarget(tx, url)
  await refuseForeignProjects(tx, project_ids ?? [])
  const replaced = secret !== undefined && secret !== tx.unseal(webhook.sealed_secret)
  if (is_active === false) await disableWebhook(tx, { id: webhook.id, reason: 'manual' })
  const present = is_active === false ? await loadWebhook(tx, webhook.id) : webhook
  return save(tx, present, {
    url,
    description,
    ...(events && { events: JSON.stringify(events) }),
    ...(project_ids !== undefined && { project_ids: project_ids && JSON.stringify(project_ids) }),
    ...(is_active && webhook.is_active === 0 && (await enabled(tx))),
    ...(replaced && keeping(tx, secret)),
  })
}

export const remove: Operation<typeof deleteWebhook, Subject> = async (tx, { id }) => {
  await dropWebhook(tx, id)
}

/** Deletes a webhook that is there. */
export async function dropWebhook(tx: WriteTx, id: string): Promise<void> {
  await tx.run(removeWebhook, { id })
  await tx.run(noteRemoved, { webhook_id: id })
  noteWebhook(tx, id, 'delete')
  tx.audit('webhook.deleted', id, {})
}

export const rotate: Operation<typeof rotateSecret, Subject> = async (tx, webhook, { body }) => {
  const { secret = newWebhookSecret(), overlap_seconds = DAY_SECONDS } = body
  const rotated = await save(tx, webhook, {
    ...keeping(tx, secret),
    ...(overlap_seconds > 0 && {
      sealed_previous_secret: webhook.sealed_secret,
      previous_secret_expires_at: timestampOf(tx.instant + overlap_seconds * 1000),
    }),
  })
  return { ...rotated, secret }
}

/** Counts and reason begin anew, and only events from now on are its own. */
async function enabled(tx: ReadTx) {
  const { last_sequence = 0 } = (await tx.one(lastSequence, {})) ?? {}
  const fresh = { is_active: 1, disabled_reason: null, failure_count: 0, failing_since: null }
  return { ...fresh, enabled_after_sequence: last_sequence }
}

/** How a secret is kept: sealed, in place of the present one and of one that overlaps with it. */
const keeping = (tx: WriteTx, secret: string) => ({
  sealed_secret: tx.seal(secret),
  secret_hint: [...secret].slice(-4).join(''),
  sealed_previous_secret: null,
  previous_secret_expires_at: null,
})

/** Changes what differs; nothing does: nothing is written. */
async function save(tx: WriteTx, webhook: Subject, changes: Partial<Configuration>) {
  const { json: _, revision: __, activation: ___, ...present } = webhook
  const changed = { ...present, ...changes }
  if (JSON.stringify(changed) === JSON.stringify(present)) return webhook
  await tx.run(changeWebhook, { ...changed, updated_at: later(tx, webhook.updated_at) })
  noteWebhook(tx, webhook.id)
  auditChange(tx, present, changed)
  return loadWebhook(tx, webhook.id)
}

/** Names of fields alone: addresses and descriptions are what people write. */
function auditChange(tx: WriteTx, present: Configuration & { id: string }, next: Configuration) {
  const { id } = present
  const differ = (name: keyof Configuration) => present[name] !== next[name]
  if (differ('sealed_secret')) tx.audit('webhook.secret_rotated', id, {})
  if (differ('is_active')) tx.audit('webhook.enabled', id, {})
  const changed = (['url', 'description', 'events', 'project_ids'] as const).filter(differ)
  if (changed.length > 0) tx.audit('webhook.updated', id, { changed })
}
