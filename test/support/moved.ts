import assert from 'node:assert/strict'
import { NOBODY } from '#core/actor.ts'
import { makeDemo } from '#demo/make.ts'
import { newId } from '#lib/id.ts'
import { createIn } from '#resources/tasks/operations/create.ts'
import { openStore } from '#storage/open.ts'
import { configFrom } from '../../src/config.ts'
import { allowed } from './grant.ts'
import { type Home, newHome } from './home.ts'
import { SECRET } from './process.ts'
import { sessionOf } from './session.ts'

/** More than are copied at a time. */
export const MANY = 2_500
const AT_ONCE = 500
const COMMAND_LINE = 'app_00000000000000000000000001'
/** All that a text format may get wrong. */
export const ODD = 'tab\there, back\\slash \\N \\t, line\nfeed, \u2028, 日本語 Größe \u{1f680}'

/** What lies in an installation before a server was ever started on it. */
export async function fillStore(dataDir: string, baseUrl: string, many = MANY) {
  const env = { DOCKET_DATA_DIR: dataDir, DOCKET_SECRET: SECRET }
  const { storage } = await openStore(configFrom(env))
  const home = await newHome(storage)
  await makeDemo(storage, { plan: 'paid', timezone: 'UTC' })
  const actor = { ...NOBODY, workspace_id: home.workspace, user_id: home.people.owner }
  const owner = { ...actor, role: 'owner' as const }
  for (let from = 0; from < many; from += AT_ONCE) {
    const made = Array.from({ length: AT_ONCE }, (_, at) => {
      const title = `Of many ${from + at}`
      return storage.write(owner, (tx) => createIn(tx, { project_id: home.project, title }))
    })
    await Promise.all(made)
  }
  const session = await sessionOf(storage, home, 'owner', baseUrl)
  await storage.write(NOBODY, (tx) =>
    allowed(tx, {
      in_workspace: home.workspace,
      user_id: home.people.owner,
      application_id: COMMAND_LINE,
    }),
  )
  await storage.close()
  return { home, session }
}

/** A request as the owner of a home; gives status and text. */
export const asker =
  (port: number, { keys }: Pick<Home, 'keys'>) =>
  async (method: string, path: string, body?: unknown, more: Record<string, string> = {}) => {
    const json = typeof body === 'object'
    const reply = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${keys.owner}`,
        ...(json && { 'content-type': 'application/json' }),
        ...more,
      },
      ...(body !== undefined && { body: json ? JSON.stringify(body) : String(body) }),
    })
    return { status: reply.status, text: await reply.text() }
  }

type Ask = ReturnType<typeof asker>

/** Makes one and more of everything by the API; `hook` is an address that takes what it is sent. */
export async function furnish(ask: Ask, home: Home, hook: string) {
  const made = async (path: string, body: unknown, more: Record<string, string> = {}) => {
    const { status, text } = await ask('POST', `/api/v1${path}`, body, more)
    assert.equal(status, 201, `${path}: ${text}`)
    return JSON.parse(text) as Record<string, string> & { sequence: number }
  }
  const project = { project_id: home.project }
  const webhook = await made('/webhooks', { url: hook, events: ['*'] })
  const tag = await made(`/projects/${home.project}/tags`, { name: ODD.slice(0, 3) })
  const first = await made('/tasks', {
    ...{ ...project, title: 'Größe and 日本語 of the export', description: ODD },
    ...{ tag_ids: [tag.id], assignee_ids: [home.people.owner], due_date: '2027-02-28' },
    ...{ custom_fields: { odd: ODD }, external_source: 'jira', external_id: 'X-1' },
  })
  const task = first.id ?? ''
  await made('/tasks', { ...project, title: 'A child', parent_id: task, blocked_by_ids: [task] })
  await made('/tasks', { project_id: home.hidden, title: 'Nobody else sees it' })
  const gone = await made('/tasks', { ...project, title: 'Deleted' })
  assert.equal((await ask('DELETE', `/api/v1/tasks/${gone.id}`)).status, 204)
  const comment = await made(`/tasks/${task}/comments`, { body: `zeppelin ${ODD}` })
  await made(`/tasks/${task}/comments`, { body: 'An answer', parent_id: comment.id })
  await made(`/tasks/${task}/time-entries`, { duration_seconds: 3_600, note: ODD })
  const odd = { 'content-type': 'text/plain' }
  const attachment = await made(`/tasks/${task}/attachments?filename=a.txt`, 'bytes', odd)
  const keyed = { body: { ...project, title: 'Once' }, key: newId('opr') }
  const once = await ask('POST', '/api/v1/tasks', keyed.body, { 'idempotency-key': keyed.key })
  assert.equal(once.status, 201)
  return { webhook, tag, task, comment, attachment, keyed, once }
}

export type Furnished = Awaited<ReturnType<typeof furnish>>

/** Everything that an owner may ask for, without what counts the asking itself. */
export function questions(home: Home, { webhook, tag, task, comment, attachment }: Furnished) {
  const api = [
    ...[
      '/me',
      '/workspace/members',
      '/projects',
      '/tasks?limit=100',
      '/tasks?q=gr%C3%B6sse%20%E6%97%A5',
    ],
    ...[`/projects/${home.project}`, `/projects/${home.project}/tags`, `/tags/${tag.id}`],
    ...['/tasks?q=zeppelin', '/tasks?q=of%20man&sort=-updated_at', '/tasks?deleted=include'],
    ...[`/projects/${home.project}/tasks?limit=200`, `/projects/${home.hidden}/tasks`],
    ...[`/tasks/${task}`, `/tasks/${task}/comments`, `/tasks/${task}/time-entries`],
    ...[
      '/tasks/ENG-2501',
      '/tasks?external_source=jira&external_id=X-1',
      '/tasks?due_before=2028-01-01',
    ],
    ...[`/tasks/${task}/attachments`, `/attachments/${attachment.id}/content`],
    ...[`/comments/${comment.id}`, '/webhooks', `/webhooks/${webhook.id}`],
    ...[`/webhooks/${webhook.id}/deliveries`, '/events?limit=200', '/events?after_sequence=2000'],
  ]
  const internal = [
    ...['/search?q=zepp&in=comments', '/search?q=gr%C3%B6&in=title', '/sessions'],
    ...[`/tasks/${task}/activity`, `/projects/${home.project}/index`],
  ]
  return {
    api: api.map((path) => `/api/v1${path}`),
    internal: internal.map((path) => `/internal${path}`),
  }
}
