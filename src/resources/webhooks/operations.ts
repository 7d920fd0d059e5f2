import { viewerId } from '#core/actor.ts'
import { assertNoFieldErrors, conflict } from '#core/api-error.ts'
import { nextUpdatedAt } from '#core/next-updated-at.ts'
import { findReachableAddresses } from '#core/operator-settings.ts'
import type { Operation } from '#core/route.ts'
import type { ReadTx, WriteTx } from '#core/transaction.ts'
import { toListOrder, toPageWindow } from '#db/core/pagination.ts'
import { disableWebhook, noteWebhookChange } from '#db/deliveries/delivery-queue.ts'
import { timestampOf } from '#lib/clock.ts'
import { DAY_SECONDS } from '#lib/durations.ts'
import { newId } from '#lib/id.ts'
import { isAddressAllowed, type NetworkAllowlist, parseLiteralAddresses } from '#lib/ip-address.ts'
import { newWebhookSecret } from '#lib/token.ts'
import type { EndpointInput } from '#wire/endpoint.ts'
import { type FieldError, fieldError } from '#wire/field-error.ts'
import type {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  rotateWebhookSecret,
  updateWebhook,
} from './contract.ts'
import { loadWebhook } from './load.ts'
import {
  changeWebhook,
  countWebhooks,
  insertRemovedWebhook,
  insertWebhook,
  lastEventSequence,
  projectsByIds,
  removeWebhook,
  selectWebhooks,
  type WebhookConfiguration,
} from './store.ts'

/** 422 for a URL to which this installation must not send (docs/spec/api.md#where-webhooks-may-go). */
function assertWebhookTarget({ settings }: ReadTx, url: string): void {
  assertNoFieldErrors(validateWebhookTarget(url, settings.webhookTargets))
}

/**
 * Validates an absolute URL as a target. Host names are not resolved here, but at every delivery,
 * because they can point to another address by then.
 */
export function validateWebhookTarget(
  url: string,
  targets: NetworkAllowlist,
  field = 'url',
): FieldError[] {
  const { protocol, hostname, port } = new URL(url)
  const needsHttps = [fieldError(field, 'invalid_format', 'must start with https://')]
  const reachable = findReachableAddresses(protocol, targets)
  if (!reachable) return needsHttps
  const addresses = parseLiteralAddresses(hostname)
  const isIn = (allowed: NetworkAllowlist) =>
    !addresses || addresses.some((address) => isAddressAllowed(address, allowed))
  // Nothing can listen on port 0.
  if (port === '0' || !isIn(targets)) {
    return [
      fieldError(
        field,
        'url_not_allowed',
        'must be a public address; Docket sends nothing to private ones',
      ),
    ]
  }
  return isIn(reachable) ? [] : needsHttps
}

/** 422 for each id that is not a project of the workspace. */
async function assertProjectsInWorkspace(tx: ReadTx, ids: readonly string[]): Promise<void> {
  const projects = await tx.all(projectsByIds, { ids: [...ids] })
  const projectIds = new Set(projects.map(({ id }) => id))
  assertNoFieldErrors(
    ids.flatMap((id, index) =>
      projectIds.has(id)
        ? []
        : [
            fieldError(
              `project_ids[${index}]`,
              'invalid_reference',
              'must be a project of this workspace',
            ),
          ],
    ),
  )
}

const MAX_WEBHOOKS = 50

type LoadedWebhook = Awaited<ReturnType<typeof loadWebhook>>

export const list: Operation<typeof listWebhooks> = async (tx, _, { query, page }) => {
  const queryShape = { order: toListOrder(page, null), is_active: query.is_active !== undefined }
  const filters = { now: tx.now, is_active: query.is_active ? 1 : 0 }
  return page.toPage(
    await tx.all(selectWebhooks(queryShape), { ...toPageWindow(page), ...filters }),
  )
}

export const create: Operation<typeof createWebhook> = (tx, _, { body }) =>
  createWebhookAs(tx, body, viewerId(tx.actor))

/** Creates a webhook in the name of a user, and returns it with its secret. */
export async function createWebhookAs(
  tx: WriteTx,
  input: EndpointInput<typeof createWebhook>['body'],
  created_by_id: string,
) {
  const { url, events, description = null, project_ids = null, is_active = true } = input
  assertWebhookTarget(tx, url)
  await assertProjectsInWorkspace(tx, project_ids ?? [])
  const { count } = (await tx.one(countWebhooks, {})) ?? { count: 0 }
  if (count >= MAX_WEBHOOKS) {
    throw conflict(
      'limit_reached',
      `A workspace can have at most ${MAX_WEBHOOKS} webhooks. Delete one first.`,
    )
  }
  const id = newId('whk', tx.nowMs)
  const secret = input.secret ?? newWebhookSecret()
  await tx.run(insertWebhook, {
    id,
    url,
    description,
    events: JSON.stringify(events),
    project_ids: project_ids && JSON.stringify(project_ids),
    ...(await enabledColumns(tx)),
    ...(!is_active && { is_active: 0, disabled_reason: 'manual' }),
    ...secretColumns(tx, secret),
    created_by_id,
    created_at: tx.now,
    updated_at: tx.now,
  })
  noteWebhookChange(tx, id)
  tx.audit('webhook.created', id, { events, project_ids })
  return { ...(await loadWebhook(tx, id)), secret }
}

export const get: Operation<typeof getWebhook, LoadedWebhook> = async (_, webhook) => webhook

export const update: Operation<typeof updateWebhook, LoadedWebhook> = async (
  tx,
  webhook,
  { body },
) => {
  const { url = webhook.url, description = webhook.description, events, project_ids } = body
  const { is_active, secret } = body
  if (url !== webhook.url) assertWebhookTarget(tx, url)
  await assertProjectsInWorkspace(tx, project_ids ?? [])
  const isNewSecret = secret !== undefined && secret !== tx.decrypt(webhook.sealed_secret)
  if (is_active === false) await disableWebhook(tx, { id: webhook.id, reason: 'manual' })
  const present = is_active === false ? await loadWebhook(tx, webhook.id) : webhook
  return save(tx, present, {
    url,
    description,
    ...(events && { events: JSON.stringify(events) }),
    ...(project_ids !== undefined && { project_ids: project_ids && JSON.stringify(project_ids) }),
    ...(is_active && webhook.is_active === 0 && (await enabledColumns(tx))),
    ...(isNewSecret && secretColumns(tx, secret)),
  })
}

export const remove: Operation<typeof deleteWebhook, LoadedWebhook> = async (tx, { id }) => {
  await removeWebhookAndLog(tx, id)
}

/** Deletes an existing webhook. Its log is removed later, in batches. */
export async function removeWebhookAndLog(tx: WriteTx, id: string): Promise<void> {
  await tx.run(removeWebhook, { id })
  await tx.run(insertRemovedWebhook, { webhook_id: id })
  noteWebhookChange(tx, id)
  tx.audit('webhook.deleted', id, {})
}

export const rotate: Operation<typeof rotateWebhookSecret, LoadedWebhook> = async (
  tx,
  webhook,
  { body },
) => {
  const { secret = newWebhookSecret(), overlap_seconds = DAY_SECONDS } = body
  const rotated = await save(tx, webhook, {
    ...secretColumns(tx, secret),
    ...(overlap_seconds > 0 && {
      sealed_previous_secret: webhook.sealed_secret,
      previous_secret_expires_at: timestampOf(tx.nowMs + overlap_seconds * 1000),
    }),
  })
  return { ...rotated, secret }
}

/** Enabling resets the failure counts and the reason, and only later events are sent. */
async function enabledColumns(tx: ReadTx) {
  const { last_sequence = 0 } = (await tx.one(lastEventSequence, {})) ?? {}
  const reset = { is_active: 1, disabled_reason: null, failure_count: 0, failing_since: null }
  return { ...reset, enabled_after_sequence: last_sequence }
}

/** The columns of an encrypted secret, which replaces the present and the previous one. */
const secretColumns = (tx: WriteTx, secret: string) => ({
  sealed_secret: tx.encrypt(secret),
  secret_hint: [...secret].slice(-4).join(''),
  sealed_previous_secret: null,
  previous_secret_expires_at: null,
})

/** Writes the changes, unless nothing differs. */
async function save(tx: WriteTx, webhook: LoadedWebhook, changes: Partial<WebhookConfiguration>) {
  const { json: _, revision: __, activation: ___, ...present } = webhook
  const changed = { ...present, ...changes }
  if (JSON.stringify(changed) === JSON.stringify(present)) return webhook
  await tx.run(changeWebhook, { ...changed, updated_at: nextUpdatedAt(tx, webhook.updated_at) })
  noteWebhookChange(tx, webhook.id)
  auditChange(tx, present, changed)
  return loadWebhook(tx, webhook.id)
}

/** Records field names alone, because users write URLs and descriptions. */
function auditChange(
  tx: WriteTx,
  present: WebhookConfiguration & { id: string },
  next: WebhookConfiguration,
) {
  const { id } = present
  const differ = (name: keyof WebhookConfiguration) => present[name] !== next[name]
  if (differ('sealed_secret')) tx.audit('webhook.secret_rotated', id, {})
  if (differ('is_active')) tx.audit('webhook.enabled', id, {})
  const changed = (['url', 'description', 'events', 'project_ids'] as const).filter(differ)
  if (changed.length > 0) tx.audit('webhook.updated', id, { changed })
}
