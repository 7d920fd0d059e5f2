import { isSessionRefused } from '#auth/sessions/sessions.ts'
import { createUserActor } from '#core/actor.ts'
import { type JobContext, JobError, type JobKind } from '#core/job.ts'
import type { ReadTx } from '#core/transaction.ts'
import { parseNotificationPreferences } from '#db/notifications/notify.ts'
import {
  endOfQuietHours,
  pushableAt,
  pushTarget,
  recordPush,
  recordPushFailure,
  removePushDevice,
} from '#db/notifications/push-devices.ts'
import { timestampOf } from '#lib/clock.ts'
import { cutText } from '#lib/cut-text.ts'
import { DAY_MS, HOUR_MS } from '#lib/durations.ts'
import { firstIdAt } from '#lib/id.ts'
import { countUnreadNotifications } from '#resources/notifications/operations.ts'
import {
  type NotificationListRow,
  unreadNotificationsAfter,
} from '#resources/notifications/store.ts'
import { retryAfterMs } from '#webhooks/results.ts'
import type { AttemptResult, WebhookSender } from '#webhooks/sender.ts'
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
/** After the first failures in a row of a device; after any later one it rests for an hour. */
const RETRY_DELAYS_MS = [MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS]
/** For so long a push service keeps a message for a device that is off (RFC 8030 §5.2). */
const MESSAGE_TTL_SECONDS = DAY_MS / 1_000
/** Kinds that address the person alone reach a device that saves energy (RFC 8030 §5.3). */
const URGENT_KINDS: ReadonlySet<string> = new Set(['mentioned', 'assigned', 'approval'])
const MAX_BODY_LENGTH = 300
/** The notifications that are looked at to find out what a message says. */
const MAX_NEWS = 20
/** Failures that mean that nobody is there, each of which occupies a slot for seconds. */
const SILENT_FAILURES: ReadonlySet<AttemptResult['error']> = new Set(['timeout', 'dns_failed'])

/** A message for one device. */
interface DeviceMessage {
  subscription: { endpoint: string; keys: SubscriptionKeys }
  text: string
  isUrgent: boolean
  /** The newest notification that it is about. */
  pushed_to: string
  failures: number
  failing_since: string | null
}

/**
 * Creates the kind of job that sends to one device what is new for it. Each device has one such job at
 * most, however many notifications there are.
 */
export const createPushJob = ({ keys, baseUrl, send, isCopy }: PushJobDeps): JobKind => ({
  name: 'push',
  isBounded: true,
  maxRunning: 8,
  // Each failure says how long the device rests, and whether it was the last attempt.
  maxAgeMs: Number.POSITIVE_INFINITY,
  retryDelayMs: () => 0,
  async run({ job, write }) {
    if (await isCopy()) return 'done'
    const { device_id = '' } = job.payload
    const message = await composeMessage(job, write, baseUrl)
    if (!message || 'againAt' in message) return message ?? 'done'
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
      await write((tx) => tx.run(removePushDevice, { device_id }))
      return 'done'
    }
    if (result.error !== null) {
      throw toJobError(result, endpoint, await recordFailure(write, device_id, message, result))
    }
    const { pushed_to } = message
    await write((tx) => tx.run(recordPush, { device_id, pushed_to, now: tx.now }))
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

/**
 * Lets the device rest. After a day of failures the attempts end, and the device if nobody answers
 * there.
 */
const recordFailure = (
  write: JobContext['write'],
  device_id: string,
  { failures, failing_since }: DeviceMessage,
  { error, retry_after }: AttemptResult,
): Promise<{ restMs: number; isGivenUp: boolean }> =>
  write(async (tx) => {
    const restMs = Math.max(
      RETRY_DELAYS_MS[failures] ?? HOUR_MS,
      retryAfterMs(retry_after, tx.nowMs) ?? 0,
    )
    const since = failing_since ?? tx.now
    const until = timestampOf(tx.nowMs + restMs)
    const isGivenUp = tx.nowMs + restMs >= Date.parse(since) + DAY_MS
    if (isGivenUp && SILENT_FAILURES.has(error)) await tx.run(removePushDevice, { device_id })
    const failure = { failures: failures + 1, failing_since: since, until }
    await tx.run(recordPushFailure, { device_id, ...failure })
    return { restMs, isGivenUp }
  })

function toJobError(
  { status, error }: AttemptResult,
  endpoint: string,
  { restMs, isGivenUp }: { restMs: number; isGivenUp: boolean },
): JobError {
  // Only the origin: the rest of the address is a secret of the device. Nor the reply: the owner of the
  // address may have written anything into it.
  const { origin } = new URL(endpoint)
  const isRefused = status !== null && status >= 300 && status < 500 && status !== 429
  return new JobError(
    status === null
      ? `No message reached ${origin}: ${error}.`
      : `The push service ${origin} answered ${status}.`,
    {
      isPermanent: isRefused || isGivenUp || error === 'blocked_address',
      details: { origin, status, error },
      retryAfterMs: restMs,
    },
  )
}

/**
 * What a device is told now: one new notification, or how many are unread if there are several.
 * Undefined if the device has ended, if its session would be refused, or if nothing is new that the
 * person has not read and may still see. In quiet hours, and while the device rests, it waits.
 */
async function composeMessage(
  { workspace_id, payload }: JobContext['job'],
  write: JobContext['write'],
  baseUrl: string,
): Promise<DeviceMessage | { againAt: string } | undefined> {
  const { device_id = '' } = payload
  const target = await write(async (tx) => {
    const row = await tx.one(pushTarget, { device_id })
    if (!row || (await isSessionRefused(tx, row.session_id, row))) return undefined
    const { quiet_hours } = parseNotificationPreferences(row.wishes)
    const waitsUntil = endOfQuietHours({ ...row, quiet_hours }, tx.now) || (row.rests_until ?? '')
    const mustWait = waitsUntil > tx.now
    return { ...row, waitsUntil, mustWait, subscription: tx.decrypt(row.subscription) }
  })
  if (!target) return undefined
  if (target.mustWait) return { againAt: target.waitsUntil }
  const { user_id, role, locale, workspace, failures, failing_since } = target
  const viewer = { ...createUserActor(user_id, workspace_id), role }
  // A device of an earlier release has no position yet.
  const after = target.pushed_to ?? firstIdAt('ntf', Date.parse(target.created_at))
  const compose = async (tx: ReadTx) => {
    const news = await tx.all(unreadNotificationsAfter, { after, now: tx.now, limit: MAX_NEWS })
    const [newest, oldest] = [news[0], news.at(-1)]
    if (!newest || !oldest) return undefined
    const readyAt = pushableAt(oldest.created_at)
    if (readyAt > tx.now) return { againAt: readyAt }
    const words = /^de\b/i.test(locale) ? GERMAN : ENGLISH
    const unread = await countUnreadNotifications(tx)
    const subjects = new Set(news.map((row) => row.task_id ?? row.webhook_id ?? row.approval_id))
    const { title, body, tag, path } =
      subjects.size > 1
        ? { title: words.unread(unread), body: workspace, path: 'inbox', tag: 'inbox' }
        : describeRow(newest, words)
    const notification = {
      title,
      body: cutText(body, MAX_BODY_LENGTH),
      navigate: `${baseUrl}/w/${workspace_id}/${path}`,
      tag,
      lang: words === GERMAN ? 'de' : 'en',
    }
    return {
      subscription: JSON.parse(target.subscription),
      // A declarative message of the Push API: browsers that know it show it without a script.
      text: JSON.stringify({ web_push: 8030, notification, app_badge: unread }),
      isUrgent: news.some(({ kind }) => URGENT_KINDS.has(kind)),
      pushed_to: newest.id,
      failures,
      failing_since,
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
  approval: (who: string | null) => string
  affected: (count: number) => string
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
  approval: (who) => `${who ?? 'A program'} asks for your approval`,
  affected: (count) => (count === 1 ? '1 record affected' : `${count} records affected`),
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
  approval: (who) => `${who ?? 'Ein Programm'} bittet um Ihre Zustimmung`,
  affected: (count) => (count === 1 ? '1 Eintrag betroffen' : `${count} Einträge betroffen`),
  unread: (count) =>
    count === 1
      ? 'Sie haben 1 ungelesene Benachrichtigung'
      : `Sie haben ${count} ungelesene Benachrichtigungen`,
}

/** Notifications with one tag replace each other on a device: those of a task are one. */
function describeRow(row: NotificationListRow, words: PushWords) {
  const { kind, detail, prefix, number, title, actor_name, approval_id, credential_name } = row
  if (approval_id !== null) {
    const count = Number(row.record_count)
    return {
      title: words.approval(credential_name),
      // A request about a webhook changes no record.
      body: count > 0 ? words.affected(count) : (row.endpoint ?? ''),
      path: `approvals/${approval_id}`,
      tag: approval_id,
    }
  }
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
      kind === 'due' || kind === 'webhook' || kind === 'approval'
        ? words[detail === 'overdue' ? 'overdue' : 'today']
        : words[kind](who),
    body: `${shortId} ${title ?? ''}`,
    path: `t/${shortId}`,
    tag: row.task_id ?? shortId,
  }
}
