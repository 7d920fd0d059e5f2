import assert from 'node:assert/strict'
import { parseConfig } from '#config/config.ts'
import { ANONYMOUS_ACTOR, createUserActor } from '#core/actor.ts'
import { openStore } from '#db/installation/open-store.ts'
import { createDemoWorkspace } from '#demo/create-demo-workspace.ts'
import { createDemoCredentials } from '#demo/first-start.ts'
import { newId } from '#lib/id.ts'
import { createTaskFromInput } from '#resources/tasks/operations/create.ts'
import { insertTestGrant } from '../oauth/test-grant.ts'
import { TEST_SECRET } from '../system/test-secret.ts'
import { createTestSession } from './test-session.ts'
import { createTestWorkspace, type TestWorkspace } from './test-workspace.ts'

/** More than one batch of the copy. */
export const FILLED_TASKS = 1_000
const BATCH_SIZE = 500
const COMMAND_LINE_APPLICATION = 'app_00000000000000000000000001'
/** Characters that a text format may fail to escape. */
const ODD_TEXT = 'tab\there, back\\slash \\N \\t, line\nfeed, \u2028, 日本語 Größe \u{1f680}'

/** Fills an installation before the first start of a server; returns its workspace and session. */
export async function fillInstallation(dataDir: string, baseUrl: string) {
  const env = { DOCKET_DATA_DIR: dataDir, DOCKET_SECRET: TEST_SECRET }
  const { storage } = await openStore(parseConfig(env))
  const team = await createTestWorkspace(storage)
  await createDemoWorkspace(storage, { plan: 'paid', timezone: 'UTC' })
  await createDemoCredentials(storage)
  const owner = { ...createUserActor(team.people.owner, team.workspace), role: 'owner' as const }
  for (let from = 0; from < FILLED_TASKS; from += BATCH_SIZE) {
    await storage.write(owner, async (tx) => {
      for (let at = from; at < from + BATCH_SIZE; at += 1) {
        await createTaskFromInput(tx, { project_id: team.project, title: `Of many ${at}` })
      }
    })
  }
  const session = await createTestSession(storage, team, 'owner', baseUrl)
  await storage.write(ANONYMOUS_ACTOR, (tx) =>
    insertTestGrant(tx, {
      in_workspace: team.workspace,
      user_id: team.people.owner,
      application_id: COMMAND_LINE_APPLICATION,
    }),
  )
  await storage.close()
  return { team, session }
}

/** A client that sends requests with the owner's key, and returns status and text. */
export const createOwnerClient =
  (port: number, { keys }: Pick<TestWorkspace, 'keys'>) =>
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

type OwnerClient = ReturnType<typeof createOwnerClient>

/** Creates at least one of each record through the API; `hook` is the URL of a webhook receiver. */
export async function createOneOfEach(ask: OwnerClient, team: TestWorkspace, hook: string) {
  const made = async (path: string, body: unknown, more: Record<string, string> = {}) => {
    const { status, text } = await ask('POST', `/api/v1${path}`, body, more)
    assert.equal(status, 201, `${path}: ${text}`)
    return JSON.parse(text) as Record<string, string> & { sequence: number }
  }
  const project = { project_id: team.project }
  const webhook = await made('/webhooks', { url: hook, events: ['*'] })
  const tag = await made(`/projects/${team.project}/tags`, { name: ODD_TEXT.slice(0, 3) })
  const first = await made('/tasks', {
    ...project,
    title: 'Größe and 日本語 of the export',
    description: ODD_TEXT,
    tag_ids: [tag.id],
    assignee_ids: [team.people.owner],
    due_date: '2027-02-28',
    custom_fields: { odd: ODD_TEXT },
    external_source: 'jira',
    external_id: 'X-1',
  })
  const task = first.id ?? ''
  await made('/tasks', { ...project, title: 'A child', parent_id: task, blocked_by_ids: [task] })
  await made('/tasks', { project_id: team.hidden, title: 'Nobody else sees it' })
  const deleted = await made('/tasks', { ...project, title: 'Deleted' })
  assert.equal((await ask('DELETE', `/api/v1/tasks/${deleted.id}`)).status, 204)
  const comment = await made(`/tasks/${task}/comments`, { body: `zeppelin ${ODD_TEXT}` })
  await made(`/tasks/${task}/comments`, { body: 'An answer', parent_id: comment.id })
  await made(`/tasks/${task}/time-entries`, { duration_seconds: 3_600, note: ODD_TEXT })
  const odd = { 'content-type': 'text/plain' }
  const attachment = await made(`/tasks/${task}/attachments?filename=a.txt`, 'bytes', odd)
  const keyed = { body: { ...project, title: 'Once' }, key: newId('opr') }
  const once = await ask('POST', '/api/v1/tasks', keyed.body, { 'idempotency-key': keyed.key })
  assert.equal(once.status, 201)
  return { webhook, tag, task, comment, attachment, keyed, once }
}

export type OneOfEach = Awaited<ReturnType<typeof createOneOfEach>>

/** The paths of all that an owner can read, except records that change when they are read. */
export function listReadPaths(
  team: TestWorkspace,
  { webhook, tag, task, comment, attachment }: OneOfEach,
) {
  const api = [
    '/me',
    '/workspace/members',
    '/projects',
    '/tasks?limit=100',
    '/tasks?q=gr%C3%B6sse%20%E6%97%A5',
    `/projects/${team.project}`,
    `/projects/${team.project}/tags`,
    `/tags/${tag.id}`,
    '/tasks?q=zeppelin',
    '/tasks?q=of%20man&sort=-updated_at',
    '/tasks?deleted=include',
    `/projects/${team.project}/tasks?limit=200`,
    `/projects/${team.hidden}/tasks`,
    `/tasks/${task}`,
    `/tasks/${task}/comments`,
    `/tasks/${task}/time-entries`,
    `/tasks/ENG-${FILLED_TASKS + 1}`,
    '/tasks?external_source=jira&external_id=X-1',
    '/tasks?due_before=2028-01-01',
    `/tasks/${task}/attachments`,
    `/attachments/${attachment.id}/content`,
    `/comments/${comment.id}`,
    '/webhooks',
    `/webhooks/${webhook.id}`,
    `/webhooks/${webhook.id}/deliveries`,
    '/events?limit=200',
    `/events?after_sequence=${FILLED_TASKS - BATCH_SIZE}`,
  ]
  const internal = [
    '/search?q=zepp&in=comments',
    '/search?q=gr%C3%B6&in=title',
    '/sessions',
    `/tasks/${task}/activity`,
    `/projects/${team.project}/tasks`,
  ]
  return {
    api: api.map((path) => `/api/v1${path}`),
    internal: internal.map((path) => `/internal${path}`),
  }
}
