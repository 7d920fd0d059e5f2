import { computeIdleCutoff } from '#auth/sessions/sessions.ts'
import { notifyOfSecurityChange } from '#auth/users/email-confirmation.ts'
import { viewerId } from '#core/actor.ts'
import { assertNoFieldErrors, notFound } from '#core/api-error.ts'
import type { Operation } from '#core/route.ts'
import { installationValue } from '#db/installation/open-store.ts'
import { parseNotificationPreferences } from '#db/notifications/notify.ts'
import * as stored from '#db/notifications/push-devices.ts'
import { newId } from '#lib/id.ts'
import { hashLinkToken } from '#lib/token.ts'
import { validateWebhookTarget } from '#resources/webhooks/operations.ts'
import {
  type deletePushDevice,
  type dropWaitingPushes,
  type listPushDevices,
  MAX_PUSH_DEVICES,
  type putPushDevice,
} from './internal.ts'
import {
  devicesOfViewer,
  quietPersonOfViewer,
  removeDeviceAtEndpoint,
  removeDeviceOfViewer,
  removeOldestDevices,
} from './store.ts'

export const list: Operation<typeof listPushDevices> = async (tx) => {
  const key = await tx.one(installationValue, { name: stored.PUSH_PUBLIC_KEY })
  const used_since = computeIdleCutoff(tx.nowMs)
  const devices = await tx.all(devicesOfViewer, { now: tx.now, used_since })
  return {
    public_key: key?.value ?? '',
    devices: devices.map(({ session_id, ...device }) => ({
      ...device,
      current: session_id === tx.actor.credential_id,
    })),
  }
}

export const register: Operation<typeof putPushDevice> = async (tx, _, { body }) => {
  const { endpoint, keys, replaces } = body
  assertNoFieldErrors(validateWebhookTarget(endpoint, tx.settings.webhookTargets, 'endpoint'))
  if (replaces !== undefined) {
    // It was turned off meanwhile, and stays so.
    const former = { endpoint_hash: hashLinkToken(replaces) }
    if ((await tx.run(removeDeviceAtEndpoint, former)) === 0) throw notFound()
  }
  const session_id = tx.actor.credential_id ?? ''
  const endpoint_hash = hashLinkToken(endpoint)
  // Another session of the same browser takes its device over.
  const isKnown = (await tx.run(removeDeviceAtEndpoint, { endpoint_hash })) > 0
  await tx.run(stored.removeFormerDevices, { session_id, endpoint_hash })
  await tx.run(stored.insertPushDevice, {
    id: newId('psh', tx.nowMs),
    user_id: viewerId(tx.actor),
    session_id,
    endpoint_hash,
    subscription: tx.encrypt(JSON.stringify({ endpoint, keys })),
    created_at: tx.now,
    // What was before is not pushed.
    pushed_to: newId('ntf', tx.nowMs),
  })
  await tx.run(removeOldestDevices, { kept: MAX_PUSH_DEVICES })
  if (!isKnown) await notifyOfSecurityChange(tx, viewerId(tx.actor), 'push_device_added')
}

export const remove: Operation<typeof deletePushDevice> = async (tx, _, { params: { id } }) => {
  // 404 for devices of others, as for devices that do not exist.
  if ((await tx.run(removeDeviceOfViewer, { id })) === 0) throw notFound()
}

export const dropWaiting: Operation<typeof dropWaitingPushes> = async (tx) => {
  const person = await tx.one(quietPersonOfViewer, {})
  const { quiet_hours } = parseNotificationPreferences(person?.wishes ?? null)
  // What is unread at their end is still pushed then.
  const isQuiet = stored.endOfQuietHours(
    { timezone: person?.timezone ?? 'UTC', quiet_hours },
    tx.now,
  )
  if (isQuiet === '') await stored.endWaitingPushes(tx)
}
