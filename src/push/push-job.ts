import { createUserActor } from '#core/actor.ts'
import { type ClaimedJob, type JobContext, JobError, type JobKind } from '#core/job.ts'
import type { WriteTx } from '#core/transaction.ts'
import { enqueueJob } from '#db/jobs/jobs.ts'
import { parseNotificationPreferences } from '#db/notifications/notify.ts'
import { heldPush, pushTarget, removePushDevice } from '#db/notifications/push-devices.ts'
import { DAY_MS, HOUR_MS } from '#lib/durations.ts'
import { countUnreadNotifications } from '#resources/notifications/operations.ts'
import { type NotificationListRow, unreadNotification } from '#resources/notifications/store.ts'
import { retryAfterMs } from '#webhooks/results/record.ts'
import type { AttemptResult, WebhookSender } from '#webhooks/sending/sender.ts'
import { encryptPushMessage, type SubscriptionKeys } from './encrypt-message.ts'
import { createVapidHeader, type VapidKeys } from './vapid.ts'

/** What the job needs to send. */
interface PushJobDeps {
  keys: VapidKeys
  baseUrl: string
  /** Posts to allowed addresses only, as to webhooks. */
  send: WebhookSender['send']
  /** Whether this may be a copy of another installation, whose people must not hear from it. */
  isCopy(): Promise<boolean>
}

const MINUTE_MS = 60 * 1000
/** Of the first attempts; all later ones have the last delay. */
const RETRY_DELAYS_MS = [MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS]
/** For so long a push service keeps a message for a device that is off (RFC 8030 §5.2). */
const MESSAGE_TTL_SECONDS = DAY_MS / 1_000
/** Kinds that address the person alone reach a device that saves energy (RFC 8030 §5.3). */
const URGENT_KINDS: ReadonlySet<string> = new Set(['mentioned', 'assigned'])
const MAX_BODY_LENGTH = 300

/** A message for one device. */
interface DeviceMessage {
  subscription: { endpoint: string; keys: SubscriptionKeys }
  text: string
  isUrgent: boolean
}

/** Creates the kind of job that sends one notification to one device. */
export const createPushJob = ({ keys, baseUrl, send, isCopy }: PushJobDeps): JobKind => ({
  name: 'push',
  isBounded: true,
  maxRunning: 4,
  maxAgeMs: DAY_MS,
  retryDelayMs: (attempts) => RETRY_DELAYS_MS[attempts - 1] ?? HOUR_MS,
  async run({ job, write }) {
    if (await isCopy()) return 'done'
    const message = await composeMessage(job, write, baseUrl)
    if (!message) return 'done'
    const { endpoint } = message.subscription
    const nowMs = Date.now()
    // Some push services refuse a contact that is neither https nor mailto.
    const contact = baseUrl.startsWith('https:') ? baseUrl : undefined
    const body = encryptOrUndefined(message)
    const result =
      body &&
      (await send({
        url: endpoint,
        headers: {
          'Content-Encoding': 'aes128gcm',
          'Content-Type': 'application/octet-stream',
          TTL: `${MESSAGE_TTL_SECONDS}`,
          Urgency: message.isUrgent ? 'high' : 'normal',
          Authorization: createVapidHeader(keys, { endpoint, contact, nowMs }),
        },
        body,
      }))
    if (!result || isGone(result)) {
      const { device_id = '' } = job.payload
      await write((tx) => tx.run(removePushDevice, { device_id }))
      return 'done'
    }
    if (result.error !== null) throw toJobError(result, endpoint, nowMs)
    return 'done'
  },
})

/** Undefined for keys with which nothing can be encrypted: no browser has made them. */
function encryptOrUndefined({ text, subscription }: DeviceMessage): Buffer | undefined {
  try {
    return encryptPushMessage(text, subscription.keys)
  } catch {
    return undefined
  }
}

/** The subscription has ended (RFC 8030 §7.3). */
const isGone = ({ status }: AttemptResult): boolean => status === 404 || status === 410

function toJobError(result: AttemptResult, endpoint: string, nowMs: number): JobError {
  const { status, error, retry_after } = result
  // Only the origin: the rest of the address is a secret of the device.
  const { origin } = new URL(endpoint)
  const isRefused = status !== null && status >= 300 && status < 500 && status !== 429
  return new JobError(
    status === null
      ? `No message reached ${origin}: ${error}.`
      : `The push service ${origin} answered ${status}.`,
    {
      isPermanent: isRefused || error === 'blocked_address',
      details: { origin, status, error, reply: result.body },
      retryAfterMs: retryAfterMs(retry_after, nowMs) ?? 0,
    },
  )
}

/**
 * The message of a job. Undefined if the device has ended meanwhile, or the person has read the
 * notification or sees its subject no more, or if quiet hours have begun: then another job waits for
 * their end, unless this one has waited for that of the last ones and failed all day.
 */
async function composeMessage(
  { workspace_id, payload, attempts }: ClaimedJob,
  write: JobContext['write'],
  baseUrl: string,
): Promise<DeviceMessage | undefined> {
  const { device_id = '', notification_id = '', is_held } = payload
  const target = await write(async (tx) => {
    const row = await tx.one(pushTarget, { device_id })
    if (!row) return undefined
    const { quiet_hours } = parseNotificationPreferences(row.wishes)
    const held = heldPush({ device_id, notification_id }, { ...row, quiet_hours }, tx.now)
    if (!held) return { ...row, subscription: tx.decrypt(row.subscription) }
    if (is_held === undefined || attempts === 1) await enqueueJob(tx, held)
    return undefined
  })
  if (!target) return undefined
  const { user_id, role, locale, workspace } = target
  const viewer = { ...createUserActor(user_id, workspace_id), role }
  const compose = async (tx: WriteTx) => {
    const row = await tx.one(unreadNotification, { id: notification_id, now: tx.now })
    if (!row && is_held === undefined) return undefined
    const unread = await countUnreadNotifications(tx)
    if (unread === 0) return undefined
    const isSummary = is_held !== undefined && (unread > 1 || !row)
    const words = /^de\b/i.test(locale) ? GERMAN : ENGLISH
    const shown =
      isSummary || !row
        ? { title: words.unread(unread), body: workspace, path: 'inbox', tag: 'inbox' }
        : describeRow(row, words)
    const { title, body, tag, path } = shown
    const notification = {
      title,
      body: body.slice(0, MAX_BODY_LENGTH),
      navigate: `${baseUrl}/w/${workspace_id}/${path}`,
      tag,
      lang: words === GERMAN ? 'de' : 'en',
    }
    return {
      subscription: JSON.parse(target.subscription),
      // A declarative message of the Push API: browsers that know it show it without a script.
      text: JSON.stringify({ web_push: 8030, notification, app_badge: unread }),
      isUrgent: row !== undefined && URGENT_KINDS.has(row.kind),
    }
  }
  return write(compose, viewer)
}

/** What a notification says, by kind. */
interface PushWords {
  someone: string
  mentioned: (who: string) => string
  assigned: (who: string) => string
  commented: (who: string) => string
  today: string
  overdue: string
  failing: string
  disabled: string
  unread: (count: number) => string
}

const ENGLISH: PushWords = {
  someone: 'Someone',
  mentioned: (who) => `${who} mentioned you`,
  assigned: (who) => `${who} assigned you a task`,
  commented: (who) => `${who} commented`,
  today: 'Due today',
  overdue: 'Overdue',
  failing: 'A webhook is failing',
  disabled: 'A webhook was disabled',
  unread: (count) =>
    count === 1 ? 'You have 1 unread notification' : `You have ${count} unread notifications`,
}

const GERMAN: PushWords = {
  someone: 'Jemand',
  mentioned: (who) => `${who} hat Sie erwähnt`,
  assigned: (who) => `${who} hat Ihnen eine Aufgabe zugewiesen`,
  commented: (who) => `${who} hat kommentiert`,
  today: 'Heute fällig',
  overdue: 'Überfällig',
  failing: 'Ein Webhook schlägt fehl',
  disabled: 'Ein Webhook wurde deaktiviert',
  unread: (count) =>
    count === 1
      ? 'Sie haben 1 ungelesene Benachrichtigung'
      : `Sie haben ${count} ungelesene Benachrichtigungen`,
}

/** Notifications with one tag replace each other on a device: those of a task are one. */
function describeRow(row: NotificationListRow, words: PushWords) {
  const { kind, detail, prefix, number, title, actor_name } = row
  if (prefix === null || number === null) {
    return {
      title: detail === 'failing' ? words.failing : words.disabled,
      body: row.url ?? '',
      path: 'settings/webhooks',
      tag: row.webhook_id ?? 'webhooks',
    }
  }
  const who = actor_name ?? words.someone
  const shortId = `${prefix}-${number}`
  return {
    title:
      kind === 'due' || kind === 'webhook'
        ? words[detail === 'overdue' ? 'overdue' : 'today']
        : words[kind](who),
    body: `${shortId} ${title ?? ''}`,
    path: `t/${shortId}`,
    tag: row.task_id ?? shortId,
  }
}
