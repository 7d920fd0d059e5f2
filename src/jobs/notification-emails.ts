import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { EmailTemplate } from '#core/mailer.ts'
import type { ReadTx, Storage, WriteTx } from '#core/transaction.ts'
import { enqueueJob, openJobByKey } from '#db/jobs/jobs.ts'
import {
  type DueTaskRecipient,
  dueNotificationKey,
  dueTasksToNotify,
  failingWebhooks,
  hideTrimmedNotifications,
  memberTimezones,
  oversizedInboxes,
  timezonesInWorkspaces,
  trimInbox,
  workspacesWithDueTasks,
  workspacesWithFailingWebhooks,
} from '#db/notifications/due-notifications.ts'
import {
  assignNotificationsToEmail,
  createUnsubscribeToken,
  detachNotificationsFromEmail,
  type NotificationEmailItem,
  notificationEmailItems,
  notificationEmailRecipient,
  usersWithDueEmails,
} from '#db/notifications/notification-emails.ts'
import { notify, notifyWebhookManagers } from '#db/notifications/notify.ts'
import { timestampOf } from '#lib/clock.ts'
import { addDays, dayIn } from '#lib/days.ts'
import { DAY_MS, HOUR_MS } from '#lib/durations.ts'
import { escapeHtml } from '#lib/escape-html.ts'
import { newId } from '#lib/id.ts'
import { forEachWorkspace } from './scheduler.ts'

/** How many notifications one email lists. */
const MAX_EMAIL_NOTIFICATIONS = 50

interface EmailRecipient {
  name: string
  workspace: string
  workspace_id: string
  baseUrl: string
  unsubscribe: string
}

/** What happened, what it is about, and a link to it. */
interface EmailLine {
  what: string
  about: string
  url: string
}

/**
 * Renders an email about notifications: subject, text and HTML. It contains only short ids and
 * titles.
 */
function renderNotificationEmail(
  notifications: readonly NotificationEmailItem[],
  recipient: EmailRecipient,
) {
  const lines = notifications.slice(0, MAX_EMAIL_NOTIFICATIONS).map((one) => toLine(one, recipient))
  const more =
    notifications.length > MAX_EMAIL_NOTIFICATIONS
      ? 'You have more notifications in your inbox.'
      : ''
  const inbox = `${recipient.baseUrl}/w/${recipient.workspace_id}/inbox`
  const settings = `${recipient.baseUrl}/w/${recipient.workspace_id}/settings/profile`
  return {
    subject: createSubject(lines, recipient),
    text: [
      `Hello ${recipient.name},`,
      ...lines.map(({ what, about, url }) => `${what}\n${about}\n${url}`),
      ...(more ? [more] : []),
      `Your inbox: ${inbox}`,
      `Notification settings: ${settings}\nUnsubscribe from emails of ${recipient.workspace}: ${recipient.unsubscribe}`,
    ].join('\n\n'),
    html: [
      `<p>Hello ${escapeHtml(recipient.name)},</p>`,
      ...lines.map(
        ({ what, about, url }) =>
          `<p>${escapeHtml(what)}<br><a href="${escapeHtml(url)}">${escapeHtml(about)}</a></p>`,
      ),
      more && `<p>${more}</p>`,
      `<p><a href="${escapeHtml(inbox)}">Your inbox</a></p>`,
      `<p><small><a href="${escapeHtml(settings)}">Notification settings</a> · `,
      `<a href="${escapeHtml(recipient.unsubscribe)}">Unsubscribe from emails of ${escapeHtml(recipient.workspace)}</a></small></p>`,
    ].join('\n'),
  }
}

function createSubject(lines: readonly EmailLine[], { workspace }: EmailRecipient): string {
  const [first] = lines
  if (lines.length === 1 && first) return `${first.what}: ${first.about}`
  return `${lines.length} notifications in ${workspace}`
}

function toLine(one: NotificationEmailItem, { baseUrl, workspace_id }: EmailRecipient): EmailLine {
  const workspaceUrl = `${baseUrl}/w/${workspace_id}`
  if (one.approval_id !== null) {
    return {
      what: 'A program asks for your approval',
      about: one.endpoint ?? '',
      url: `${workspaceUrl}/approvals/${one.approval_id}`,
    }
  }
  if (one.prefix === null || one.number === null) {
    const what = one.detail === 'failing' ? 'A webhook is failing' : 'A webhook was disabled'
    return { what, about: 'Webhooks', url: `${workspaceUrl}/settings/webhooks` }
  }
  const short_id = `${one.prefix}-${one.number}`
  return {
    what: describeEvent(one),
    about: `${short_id} ${one.title}`,
    url: `${workspaceUrl}/t/${short_id}`,
  }
}

function describeEvent({ kind, detail, actor }: NotificationEmailItem): string {
  const who = actor ?? 'Someone'
  if (kind === 'mentioned') return `${who} mentioned you`
  if (kind === 'assigned') return `${who} assigned you a task`
  if (kind === 'commented') return `${who} commented`
  return detail === 'overdue' ? 'Overdue' : 'Due today'
}

/** Older notifications are not sent: they waited for an unavailable mail server too long. */
const MAX_AGE_MS = 4 * DAY_MS

/**
 * The email about the notifications of one person in one workspace that name its job. To an address
 * that nobody has confirmed nothing goes but what `confirmAddress` sends.
 */
export const notificationEmailTemplate = (
  baseUrl: string,
  confirmAddress: (tx: WriteTx, user_id: string, email: string) => Promise<void>,
): EmailTemplate => ({
  kind: 'notification_email',
  maxRunning: 1,
  async compose(tx, { workspace_id, id, payload }) {
    const { user_id = '' } = payload
    const to = await tx.one(notificationEmailRecipient, { user_id })
    const notifications = await tx.all(notificationEmailItems, {
      email_job_id: id,
      since: timestampOf(tx.nowMs - MAX_AGE_MS),
      limit: MAX_EMAIL_NOTIFICATIONS + 1,
    })
    if (!to || notifications.length === 0) return undefined
    // Titles and names are written by people, and the address may be that of a stranger.
    if (to.verified_email !== to.email) {
      await confirmAddress(tx, user_id, to.email)
      return undefined
    }
    const unsubscribe = `${baseUrl}/unsubscribe/${workspace_id}.${createUnsubscribeToken(tx, user_id)}`
    const recipient = { ...to, baseUrl, workspace_id, unsubscribe }
    return { to: to.email, ...renderNotificationEmail(notifications, recipient), unsubscribe }
  },
  async onEnd(tx, { id }, status) {
    // After a failure an operator may run the job again.
    if (status === 'done') await tx.run(detachNotificationsFromEmail, { email_job_id: id })
  },
})

/** Notifications that follow within this time go with the same email. */
const GATHER_MS = 3 * 60 * 1000
const MAX_EMAILS = 20

const KIND = 'notification_email'

interface DuePerson {
  workspace_id: string
  user_id: string
}

/**
 * Enqueues the emails about notifications that are due. A person has one waiting email for each
 * workspace: while the mail server is down, further notifications join it.
 */
export const gatherNotificationEmails = (storage: Storage) => async (): Promise<boolean> => {
  const batch = { now: timestampOf(storage.clock.now()), limit: MAX_EMAILS }
  const people = await storage.read(ANONYMOUS_ACTOR, (tx) => tx.all(usersWithDueEmails, batch))
  for (const person of people) await gatherEmail(storage, person)
  return people.length === MAX_EMAILS
}

/** Creates the email of a person, unless another process has created it. */
async function gatherEmail(storage: Storage, { workspace_id, user_id }: DuePerson): Promise<void> {
  await storage.write({ ...ANONYMOUS_ACTOR, workspace_id }, async (tx) => {
    const open = await tx.one(openJobByKey, { kind: KIND, key: user_id })
    // It may have read its notifications already.
    if (open?.status === 'running') return
    const id = open?.id ?? newId('job', tx.nowMs)
    const until = timestampOf(tx.nowMs + GATHER_MS)
    if ((await tx.run(assignNotificationsToEmail, { user_id, email_job_id: id, until })) === 0)
      return
    if (!open) await enqueueJob(tx, { id, kind: KIND, key: user_id, payload: { user_id } })
  })
}

const MAX_ROWS = 100
/**
 * Tasks overdue for longer cause no notification: after a long downtime there would be too many.
 */
const MAX_OVERDUE_DAYS = 2
/** How many are kept per person and workspace; the oldest are deleted. */
const MAX_NOTIFICATIONS = 1_000
/** How long the job looks for a notification of a due task: in any time zone, and a day to spare. */
const DUE_KEY_DAYS = MAX_OVERDUE_DAYS + 2

/**
 * Creates the notifications that only the clock causes: tasks that are due or overdue in the time
 * zone of their assignee, and webhooks that have failed for an hour. Each is created once, by any
 * process.
 */
export const createDueNotifications = (storage: Storage) =>
  forEachWorkspace(
    storage,
    async (actor) => {
      const pending = await storage.read(actor, async (tx) => {
        const before = timestampOf(tx.nowMs - HOUR_MS)
        const failing = await tx.all(failingWebhooks, { before })
        const due: { one: DueTaskRecipient; today: string }[] = []
        for (const { timezone } of await tx.all(memberTimezones, {})) {
          const today = dayIn(timezone, tx.now)
          const days = { timezone, ...dueDaysUntil(today), limit: MAX_ROWS }
          for (const one of await tx.all(dueTasksToNotify, days))
            due.push({ one: withDueDate(one), today })
        }
        return { failing, due }
      })
      if (pending.due.length + pending.failing.length === 0) return false
      const hasMore = pending.due.length >= MAX_ROWS
      await storage.write(actor, async (tx) => {
        for (const { one, today } of pending.due) {
          const { task_id, due_date } = one
          const detail = due_date === today ? 'today' : 'overdue'
          const key = dueNotificationKey(detail, task_id, due_date)
          await notify(tx, { kind: 'due', key, detail, subject_id: task_id, task_id }, [one])
        }
        for (const { id, failing_since } of pending.failing) {
          await notifyWebhookManagers(tx, { id, detail: 'failing', since: failing_since ?? '' })
        }
      })
      return hasMore
    },
    { pendingIn: workspacesToNotify },
  )

const dueDaysUntil = (today: string) => ({ from: addDays(today, -MAX_OVERDUE_DAYS), today })

/** The workspaces of a range in which the clock may have caused notifications. */
async function workspacesToNotify(
  tx: ReadTx,
  range: { after: string; through: string },
): Promise<ReadonlySet<string>> {
  const before = timestampOf(tx.nowMs - HOUR_MS)
  const rows = await tx.all(workspacesWithFailingWebhooks, { ...range, before })
  const members = await tx.all(timezonesInWorkspaces, range)
  const zones = Object.groupBy(members, ({ timezone }) => dayIn(timezone, tx.now))
  for (const [today, users = []] of Object.entries(zones)) {
    const timezones = users.map(({ timezone }) => timezone)
    const days = { ...range, ...dueDaysUntil(today), timezones }
    rows.push(...(await tx.all(workspacesWithDueTasks, days)))
  }
  return new Set(rows.map(({ id }) => id))
}

const withDueDate = ({
  due_date,
  ...one
}: Omit<DueTaskRecipient, 'due_date'> & { due_date: string | null }) => ({
  ...one,
  due_date: due_date ?? '',
})

/**
 * Deletes the oldest notifications of people who have more than the maximum. Those that a job would
 * create again only leave the inbox.
 */
export const trimInboxes = (storage: Storage) =>
  forEachWorkspace(storage, async (actor) => {
    const crowded = await storage.read(actor, (tx) =>
      tx.all(oversizedInboxes, { kept: MAX_NOTIFICATIONS }),
    )
    for (const { user_id } of crowded) {
      await storage.write(actor, async (tx) => {
        const since = timestampOf(tx.nowMs - DUE_KEY_DAYS * DAY_MS)
        const oldest = { user_id, since, kept: MAX_NOTIFICATIONS }
        await tx.run(hideTrimmedNotifications, oldest)
        await tx.run(trimInbox, oldest)
      })
    }
    return false
  })
