import assert from 'node:assert/strict'
import createClient from 'openapi-fetch'
import type { components, paths } from './schema.js'

const { DOCKET_URL = '', DOCKET_KEY = '', DOCKET_PROJECT = '', DOCKET_RECEIVER = '' } = process.env
const docket = createClient<paths>({
  baseUrl: DOCKET_URL,
  headers: { authorization: `Bearer ${DOCKET_KEY}` },
})

/** The body of a successful reply. */
async function dataOf<T>(reply: Promise<{ data?: T; error?: unknown; response: Response }>) {
  const { data, error, response } = await reply
  assert.ok(response.ok, `${response.url}: ${response.status} ${JSON.stringify(error)}`)
  assert.ok(data !== undefined, `${response.url} has no body`)
  return data
}

/** Asserts a reply without a body. */
async function assertDone(reply: Promise<{ error?: unknown; response: Response }>) {
  const { error, response } = await reply
  assert.equal(response.status, 204, JSON.stringify(error))
}

/** Asserts that nothing but the named fields has changed. */
function assertChanged<T extends object>(before: T, after: T, changes: Partial<T>) {
  const moving = { version: undefined, updated_at: undefined }
  assert.deepEqual({ ...after, ...moving }, { ...before, ...moving, ...changes })
}

const me = await dataOf(docket.GET('/api/v1/me'))
const projects = await dataOf(
  docket.GET('/api/v1/projects', { params: { query: { status: 'active' } } }),
)
assert.ok(projects.data.some(({ id }) => id === DOCKET_PROJECT))
const inProject = { params: { path: { id: DOCKET_PROJECT } } }
const project = await dataOf(docket.GET('/api/v1/projects/{id}', inProject))
assert.equal(project.prefix, 'ENG')
const members = await dataOf(
  docket.GET('/api/v1/workspace/members', { params: { query: { role: ['owner', 'admin'] } } }),
)
assert.equal(members.data.length, 2)

const tag = await dataOf(
  docket.POST('/api/v1/projects/{id}/tags', {
    ...inProject,
    body: { name: 'bug', color: '#ef4444' },
  }),
)
const ofTag = { params: { path: { id: tag.id } } }
const renamedTag = await dataOf(
  docket.PATCH('/api/v1/tags/{id}', { ...ofTag, body: { name: 'defect' } }),
)
assertChanged(tag, renamedTag, { name: 'defect' })
assert.equal((await dataOf(docket.GET('/api/v1/tags/{id}', ofTag))).color, '#ef4444')
assert.equal((await dataOf(docket.GET('/api/v1/projects/{id}/tags', inProject))).data.length, 1)

const created = await dataOf(
  docket.POST('/api/v1/tasks', {
    params: { header: { 'Idempotency-Key': 'story-1' } },
    body: {
      project_id: DOCKET_PROJECT,
      title: 'Ship the importer',
      description: 'In **two** steps.',
      priority: 'high',
      due_date: '2027-03-31',
      estimate_seconds: 7200,
      assignee_ids: [me.user.id],
      tag_ids: [tag.id],
      custom_fields: { budget: 12345678.9, team: 'import', done: false, sites: ['a', 'b'] },
    },
  }),
)
assert.equal(created.custom_fields.budget, 12345678.9)
const ofTask = { params: { path: { id: created.id } } }
const first = await docket.GET('/api/v1/tasks/{id}', ofTask)
assert.deepEqual(first.data, created)
const ETag = first.response.headers.get('ETag') ?? ''
const unchanged = await docket.GET('/api/v1/tasks/{id}', {
  params: { ...ofTask.params, header: { 'If-None-Match': ETag } },
})
assert.equal(unchanged.response.status, 304)
const patch = (body: components['schemas']['TaskUpdate']) =>
  dataOf(docket.PATCH('/api/v1/tasks/{id}', { ...ofTask, body }))
const renamed = await patch({ title: 'Ship it' })
assertChanged(created, renamed, { title: 'Ship it' })
const undated = await patch({ due_date: null })
assertChanged(renamed, undated, { due_date: null })
const stale = await docket.PATCH('/api/v1/tasks/{id}', {
  params: { ...ofTask.params, query: { dry_run: true } },
  body: { title: 'Only tried' },
})
assert.equal(stale.data?.title, 'Only tried')

const ofProject = await dataOf(
  docket.GET('/api/v1/projects/{id}/tasks', {
    params: { ...inProject.params, query: { status_category: ['backlog', 'unstarted'], limit: 1 } },
  }),
)
assert.deepEqual(ofProject.data, [undated])
const urgent = await dataOf(
  docket.GET('/api/v1/tasks', { params: { query: { priority: ['high', 'urgent'] } } }),
)
assert.equal(urgent.data[0]?.id, created.id)
const completed = await dataOf(docket.POST('/api/v1/tasks/{id}/complete', ofTask))
assert.equal(completed.status_category, 'completed')
await assertDone(docket.DELETE('/api/v1/tasks/{id}', ofTask))
const restored = await dataOf(docket.POST('/api/v1/tasks/{id}/restore', ofTask))
assert.equal(restored.deleted_at, null)
const bulk = await dataOf(
  docket.POST('/api/v1/tasks/bulk', {
    body: {
      atomic: true,
      operations: [
        { op: 'create', data: { project_id: DOCKET_PROJECT, title: 'One of two' } },
        { op: 'update', id: created.id, data: { priority: 'urgent' } },
      ],
    },
  }),
)
assert.equal(bulk.succeeded, 2)
assertChanged(restored, bulk.results[1]?.data ?? restored, { priority: 'urgent' })

const comment = await dataOf(
  docket.POST('/api/v1/tasks/{id}/comments', { ...ofTask, body: { body: 'Looks good.' } }),
)
const ofComment = { params: { path: { id: comment.id } } }
assert.deepEqual(await dataOf(docket.GET('/api/v1/comments/{id}', ofComment)), comment)
const edited = await dataOf(
  docket.PATCH('/api/v1/comments/{id}', { ...ofComment, body: { body: 'Looks *good*.' } }),
)
assert.equal(edited.body, 'Looks *good*.')
assert.equal((await dataOf(docket.GET('/api/v1/tasks/{id}/comments', ofTask))).data.length, 1)
await assertDone(docket.DELETE('/api/v1/comments/{id}', ofComment))

const entry = await dataOf(
  docket.POST('/api/v1/tasks/{id}/time-entries', {
    ...ofTask,
    body: { duration_seconds: 1800, note: 'Review', billable: true, spent_on: '2026-11-02' },
  }),
)
const ofEntry = { params: { path: { id: entry.id } } }
assert.deepEqual(await dataOf(docket.GET('/api/v1/time-entries/{id}', ofEntry)), entry)
const noted = await dataOf(
  docket.PATCH('/api/v1/time-entries/{id}', { ...ofEntry, body: { note: 'Second review' } }),
)
assertChanged(entry, noted, { note: 'Second review' })
const entries = await dataOf(docket.GET('/api/v1/tasks/{id}/time-entries', ofTask))
assert.equal(entries.data[0]?.duration_seconds, 1800)
await assertDone(docket.DELETE('/api/v1/time-entries/{id}', ofEntry))

const form = new FormData()
form.append('file', new File(['Runs on staging.'], 'notes.txt', { type: 'text/plain' }))
const attachment = await dataOf(
  docket.POST('/api/v1/tasks/{id}/attachments', {
    ...ofTask,
    body: { file: 'notes.txt' },
    bodySerializer: () => form,
  }),
)
const ofFile = { params: { path: { id: attachment.id } } }
assert.deepEqual(await dataOf(docket.GET('/api/v1/attachments/{id}', ofFile)), attachment)
assert.equal((await dataOf(docket.GET('/api/v1/tasks/{id}/attachments', ofTask))).data.length, 1)
const file = await dataOf(
  docket.GET('/api/v1/attachments/{id}/content', { ...ofFile, parseAs: 'text' }),
)
assert.equal(file, 'Runs on staging.')
await assertDone(docket.DELETE('/api/v1/attachments/{id}', ofFile))

const webhook = await dataOf(
  docket.POST('/api/v1/webhooks', {
    body: {
      url: DOCKET_RECEIVER,
      events: ['task.created', 'task.completed'],
      description: 'Staging',
      is_active: false,
    },
  }),
)
const ofWebhook = { params: { path: { id: webhook.id } } }
const described = await dataOf(
  docket.PATCH('/api/v1/webhooks/{id}', { ...ofWebhook, body: { description: 'Production' } }),
)
const { secret, ...visible } = webhook
assert.match(secret ?? '', /^whsec_/)
assertChanged(visible, described, { description: 'Production' })
assert.equal(described.is_active, false)
await dataOf(docket.PATCH('/api/v1/webhooks/{id}', { ...ofWebhook, body: { is_active: true } }))
assert.ok((await dataOf(docket.GET('/api/v1/webhooks/{id}', ofWebhook))).is_active)
const webhooks = await dataOf(
  docket.GET('/api/v1/webhooks', { params: { query: { is_active: true } } }),
)
assert.equal(webhooks.data.length, 1)
const rotated = await dataOf(docket.POST('/api/v1/webhooks/{id}/rotate-secret', ofWebhook))
assert.notEqual(rotated.secret, secret)
const sent = await dataOf(docket.POST('/api/v1/webhooks/{id}/test', ofWebhook))
const ofDelivery = { params: { path: { id: sent.id } } }
const delivery = await dataOf(docket.GET('/api/v1/deliveries/{id}', ofDelivery))
assert.equal(delivery.event_type, 'webhook.test')
const deliveries = await dataOf(
  docket.GET('/api/v1/webhooks/{id}/deliveries', {
    params: { ...ofWebhook.params, query: { event_type: ['webhook.test', 'task.created'] } },
  }),
)
assert.equal(deliveries.data[0]?.id, sent.id)
await dataOf(docket.POST('/api/v1/deliveries/{id}/redeliver', ofDelivery))
const events = await dataOf(
  docket.GET('/api/v1/events', {
    params: { query: { type: ['task.created', 'task.updated'], limit: 200 } },
  }),
)
const [event] = events.data
assert.equal(event?.type, 'task.created')
assert.equal(event.data.id, created.id)
const position = await dataOf(docket.GET('/api/v1/events/position'))
assert.ok(position.newest_sequence >= event.sequence)
const changes = await dataOf(
  docket.GET('/api/v1/changes', { params: { query: { types: ['task'] } } }),
)
assert.ok(changes.data.some((change) => change.op === 'put' && change.id === created.id))
await dataOf(
  docket.POST('/api/v1/webhooks/{id}/replay', {
    ...ofWebhook,
    body: { from_sequence: event.sequence },
  }),
)
await assertDone(docket.DELETE('/api/v1/webhooks/{id}', ofWebhook))
await assertDone(docket.DELETE('/api/v1/tags/{id}', ofTag))
