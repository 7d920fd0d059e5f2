import type { NotificationEmailItem } from '#db/notifications/notification-emails.ts'
import { escapeHtml } from '#lib/escape-html.ts'

/** How many notifications one email lists. */
export const MAX_EMAIL_NOTIFICATIONS = 50

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
export function renderNotificationEmail(
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
