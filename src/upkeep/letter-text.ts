import { escapeHtml } from '#lib/escape-html.ts'
import type { Content } from '#storage/notification-letters.ts'

/** So many notifications one mail tells one by one. */
export const MOST_TOLD = 50

interface Reader {
  name: string
  workspace: string
  workspace_id: string
  baseUrl: string
  unsubscribe: string
}

/** What happened, what it is about and where that is. */
interface Line {
  what: string
  about: string
  url: string
}

/** A mail about some notifications: its subject, as text and as HTML. It says no more than short ids and titles. */
export function letterText(told: readonly Content[], reader: Reader) {
  const lines = told.slice(0, MOST_TOLD).map((one) => lineOf(one, reader))
  const more = told.length > MOST_TOLD ? 'There is more in your inbox.' : ''
  const inbox = `${reader.baseUrl}/w/${reader.workspace_id}/inbox`
  const settings = `${reader.baseUrl}/w/${reader.workspace_id}/settings/profile`
  return {
    subject: subjectOf(lines, reader),
    text: [
      `Hello ${reader.name},`,
      ...lines.map(({ what, about, url }) => `${what}\n${about}\n${url}`),
      ...(more ? [more] : []),
      `Your inbox: ${inbox}`,
      `What you are told: ${settings}\nNo more mails of ${reader.workspace}: ${reader.unsubscribe}`,
    ].join('\n\n'),
    html: [
      `<p>Hello ${escapeHtml(reader.name)},</p>`,
      ...lines.map(
        ({ what, about, url }) =>
          `<p>${escapeHtml(what)}<br><a href="${escapeHtml(url)}">${escapeHtml(about)}</a></p>`,
      ),
      more && `<p>${more}</p>`,
      `<p><a href="${escapeHtml(inbox)}">Your inbox</a></p>`,
      `<p><small><a href="${escapeHtml(settings)}">What you are told</a> · `,
      `<a href="${escapeHtml(reader.unsubscribe)}">No more mails of ${escapeHtml(reader.workspace)}</a></small></p>`,
    ].join('\n'),
  }
}

function subjectOf(lines: readonly Line[], { workspace }: Reader): string {
  const [first] = lines
  if (lines.length === 1 && first) return `${first.what}: ${first.about}`
  return `${lines.length} notifications in ${workspace}`
}

function lineOf(one: Content, { baseUrl, workspace_id }: Reader): Line {
  const place = `${baseUrl}/w/${workspace_id}`
  if (one.prefix === null || one.number === null) {
    const what = one.detail === 'failing' ? 'A webhook fails' : 'A webhook was disabled'
    return { what, about: 'Webhooks', url: `${place}/settings/webhooks` }
  }
  const short_id = `${one.prefix}-${one.number}`
  return {
    what: whatOf(one),
    about: `${short_id} ${one.title}`,
    url: `${place}/t/${short_id}`,
  }
}

function whatOf({ kind, detail, actor }: Content): string {
  const who = actor ?? 'Somebody'
  if (kind === 'mentioned') return `${who} named you`
  if (kind === 'assigned') return `${who} gave you a task`
  if (kind === 'commented') return `${who} commented`
  return detail === 'overdue' ? 'Overdue' : 'Due today'
}
