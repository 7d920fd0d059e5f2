// Calls every operation with openapi-fetch and the types of openapi-typescript, and checks the replies.
import assert from 'node:assert/strict'
import createClient from 'openapi-fetch'
import type { paths } from './docket.ts'

const {
  DOCKET_URL,
  DOCKET_KEY,
  DOCKET_PROJECT: project_id = '',
  DOCKET_RECEIVER = '',
} = process.env
const docket = createClient<paths>({
  baseUrl: DOCKET_URL ?? '',
  headers: { Authorization: `Bearer ${DOCKET_KEY}` },
  querySerializer: { array: { style: 'form', explode: false } },
})

/** The record of a successful reply. */
async function ok<T>(
  sent: Promise<{ data?: T; error?: unknown; response: Response }>,
): Promise<NonNullable<T>> {
  const { data, error, response } = await sent
  assert.ok(data && response.ok, `${response.url}: ${JSON.stringify(error)}`)
  return data
}

async function done(sent: Promise<{ response: Response }>): Promise<void> {
  assert.equal((await sent).response.status, 204)
}

/** Nothing but the named fields has changed. */
function assertChanged(before: object, after: object, changes: object): void {
  const moving = { version: null, updated_at: null, secret: null }
  assert.deepEqual({ ...after, ...moving }, { ...before, ...moving, ...changes })
}

const byId = (id: string) => ({ params: { path: { id } } })

const me = await ok(docket.GET('/api/v1/me'))
const projects = await ok(
  docket.GET('/api/v1/projects', { params: { query: { status: 'active' } } }),
)
assert.ok(projects.data.some(({ id }) => id === project_id))
assert.equal((await ok(docket.GET('/api/v1/projects/{id}', byId(project_id)))).prefix, 'ENG')
const managers = { params: { query: { role: ['owner' as const, 'admin' as const] } } }
assert.equal((await ok(docket.GET('/api/v1/workspace/members', managers))).data.length, 2)

const newTag = { ...byId(project_id), body: { name: 'bug', color: '#ef4444' } }
const tag = await ok(docket.POST('/api/v1/projects/{id}/tags', newTag))
const renamedTag = await ok(
  docket.PATCH('/api/v1/tags/{id}', { ...byId(tag.id), body: { name: 'defect' } }),
)
assertChanged(tag, renamedTag, { name: 'defect' })
assert.equal((await ok(docket.GET('/api/v1/tags/{id}', byId(tag.id)))).color, '#ef4444')
assert.equal((await ok(docket.GET('/api/v1/projects/{id}/tags', byId(project_id)))).data.length, 1)
const bulkOfTags = await ok(
  docket.POST('/api/v1/tags/bulk', {
    body: {
      operations: [
        { op: 'create', project_id, data: { name: 'feature' } },
        {
          op: 'update',
          id: tag.id,
          data: { color: '#f59e0b' },
          updated_at: renamedTag.updated_at,
        },
      ],
    },
  }),
)
assertChanged(renamedTag, bulkOfTags.results[1]?.data ?? {}, { color: '#f59e0b' })

const newTask = {
  project_id,
  title: 'Ship the importer',
  description: 'In **two** steps.',
  priority: 'high' as const,
  due_date: '2027-03-31',
  estimate_seconds: 7200,
  assignee_ids: [me.user.id],
  tag_ids: [tag.id],
  custom_fields: { budget: 12345678.9, team: 'import', done: false, sites: ['a'] },
}
const header = { 'Idempotency-Key': 'story-1' }
const task = await ok(docket.POST('/api/v1/tasks', { params: { header }, body: newTask }))
assert.equal(task.custom_fields.budget, 12345678.9)
const first = await docket.GET('/api/v1/tasks/{id}', byId(task.id))
assert.deepEqual(first.data, task)
const known = { 'If-None-Match': first.response.headers.get('etag') ?? '' }
const unchanged = await docket.GET('/api/v1/tasks/{id}', {
  params: { path: { id: task.id }, header: known },
})
assert.equal(unchanged.response.status, 304)
const renamed = await ok(
  docket.PATCH('/api/v1/tasks/{id}', { ...byId(task.id), body: { title: 'Ship it' } }),
)
assertChanged(task, renamed, { title: 'Ship it' })
const undated = await ok(
  docket.PATCH('/api/v1/tasks/{id}', { ...byId(task.id), body: { due_date: null } }),
)
assertChanged(renamed, undated, { due_date: null })
const tried = await ok(
  docket.PATCH('/api/v1/tasks/{id}', {
    params: { path: { id: task.id }, query: { dry_run: true } },
    body: { title: 'Only tried' },
  }),
)
assert.equal(tried.title, 'Only tried')

const inProject = await ok(
  docket.GET('/api/v1/projects/{id}/tasks', {
    params: {
      path: { id: project_id },
      query: { status_category: ['backlog', 'unstarted'], limit: 1 },
    },
  }),
)
assert.deepEqual(inProject.data, [undated])
const urgent = { params: { query: { priority: ['high' as const, 'urgent' as const] } } }
assert.equal((await ok(docket.GET('/api/v1/tasks', urgent))).data[0]?.id, task.id)
const completed = await ok(docket.POST('/api/v1/tasks/{id}/complete', byId(task.id)))
assert.equal(completed.status_category, 'completed')
await done(docket.DELETE('/api/v1/tasks/{id}', byId(task.id)))
const restored = await ok(docket.POST('/api/v1/tasks/{id}/restore', byId(task.id)))
assert.equal(restored.deleted_at, null)
const bulk = await ok(
  docket.POST('/api/v1/tasks/bulk', {
    body: {
      operations: [
        { op: 'create', data: { project_id, title: 'One of two' } },
        { op: 'update', id: task.id, data: { priority: 'urgent' } },
      ],
    },
  }),
)
assert.equal(bulk.succeeded, 2)
assertChanged(restored, bulk.results[1]?.data ?? {}, { priority: 'urgent' })

const comment = await ok(
  docket.POST('/api/v1/tasks/{id}/comments', { ...byId(task.id), body: { body: 'Looks good.' } }),
)
assert.deepEqual(await ok(docket.GET('/api/v1/comments/{id}', byId(comment.id))), comment)
const edited = await ok(
  docket.PATCH('/api/v1/comments/{id}', { ...byId(comment.id), body: { body: 'Looks *good*.' } }),
)
assert.equal(edited.body, 'Looks *good*.')
assert.equal((await ok(docket.GET('/api/v1/tasks/{id}/comments', byId(task.id)))).data.length, 1)
const bulkOfComments = await ok(
  docket.POST('/api/v1/comments/bulk', {
    body: {
      operations: [
        { op: 'create', task_id: task.id, data: { body: 'Merged.' } },
        { op: 'delete', id: comment.id, updated_at: edited.updated_at },
      ],
    },
  }),
)
assert.equal(bulkOfComments.results[1]?.data, null)
const mine = { params: { query: { author_id: 'me', project_id: [project_id] } } }
const comments = (await ok(docket.GET('/api/v1/comments', mine))).data
assert.deepEqual(
  comments.map(({ body }) => body),
  ['Merged.'],
)
await done(docket.DELETE('/api/v1/comments/{id}', byId(comments[0]?.id ?? '')))

const entry = await ok(
  docket.POST('/api/v1/tasks/{id}/time-entries', {
    ...byId(task.id),
    body: { duration_seconds: 1800, note: 'Review', billable: true, spent_on: '2026-11-02' },
  }),
)
assert.deepEqual(await ok(docket.GET('/api/v1/time-entries/{id}', byId(entry.id))), entry)
const noted = await ok(
  docket.PATCH('/api/v1/time-entries/{id}', { ...byId(entry.id), body: { note: 'Again' } }),
)
assertChanged(entry, noted, { note: 'Again' })
const ofTask = await ok(docket.GET('/api/v1/tasks/{id}/time-entries', byId(task.id)))
assert.deepEqual(ofTask.data, [noted])
const bulkOfEntries = await ok(
  docket.POST('/api/v1/time-entries/bulk', {
    body: {
      operations: [
        { op: 'create', task_id: task.id, data: { duration_seconds: 900, spent_on: '2026-11-03' } },
        { op: 'update', id: entry.id, data: { billable: false }, updated_at: noted.updated_at },
      ],
    },
  }),
)
const unbilled = bulkOfEntries.results[1]?.data ?? assert.fail('no entry')
assertChanged(noted, unbilled, { billable: false })
const ended = { params: { query: { user_id: 'me', running: false } } }
const entries = (await ok(docket.GET('/api/v1/time-entries', ended))).data
assert.deepEqual(
  entries.find(({ id }) => id === entry.id),
  unbilled,
)
const report = await ok(
  docket.GET('/api/v1/reports/time', {
    params: {
      query: { group_by: ['tag', 'day'], spent_after: '2026-11-01', spent_before: '2026-12-01' },
    },
  }),
)
assert.ok(typeof report !== 'string')
assert.deepEqual([report.total.seconds, report.total.billable_seconds], [2700, 0])
assert.deepEqual(
  report.rows.map(({ tag_id, day }) => [tag_id, day]),
  [
    [tag.id, '2026-11-02'],
    [tag.id, '2026-11-03'],
  ],
)
await done(docket.DELETE('/api/v1/time-entries/{id}', byId(entry.id)))

const form = new FormData()
form.append('file', new File(['Runs on staging.'], 'notes.txt', { type: 'text/plain' }))
const attachment = await ok(
  docket.POST('/api/v1/tasks/{id}/attachments', {
    ...byId(task.id),
    body: { file: '' },
    bodySerializer: () => form,
  }),
)
assert.deepEqual(await ok(docket.GET('/api/v1/attachments/{id}', byId(attachment.id))), attachment)
const files = await ok(docket.GET('/api/v1/tasks/{id}/attachments', byId(task.id)))
assert.deepEqual(files.data, [attachment])
const content = docket.GET('/api/v1/attachments/{id}/content', {
  ...byId(attachment.id),
  parseAs: 'text',
})
assert.equal(await ok(content), 'Runs on staging.')
await done(docket.DELETE('/api/v1/attachments/{id}', byId(attachment.id)))

const webhook = await ok(
  docket.POST('/api/v1/webhooks', {
    body: {
      url: DOCKET_RECEIVER,
      events: ['task.created', 'task.completed'],
      description: 'Staging',
      is_active: false,
    },
  }),
)
const describe = { ...byId(webhook.id), body: { description: 'Production' } }
const described = await ok(docket.PATCH('/api/v1/webhooks/{id}', describe))
assertChanged(webhook, described, { description: 'Production' })
assert.equal(described.is_active, false)
await ok(docket.PATCH('/api/v1/webhooks/{id}', { ...byId(webhook.id), body: { is_active: true } }))
assert.equal((await ok(docket.GET('/api/v1/webhooks/{id}', byId(webhook.id)))).is_active, true)
const active = { params: { query: { is_active: true } } }
assert.equal((await ok(docket.GET('/api/v1/webhooks', active))).data.length, 1)
const rotated = await ok(docket.POST('/api/v1/webhooks/{id}/rotate-secret', byId(webhook.id)))
const secrets: [string, string] = [webhook.secret, rotated.secret]
assert.notEqual(...secrets)
const sent = await ok(docket.POST('/api/v1/webhooks/{id}/test', byId(webhook.id)))
const delivery = await ok(docket.GET('/api/v1/deliveries/{id}', byId(sent.id)))
assert.equal(delivery.event_type, 'webhook.test')
const deliveries = await ok(
  docket.GET('/api/v1/webhooks/{id}/deliveries', {
    params: {
      path: { id: webhook.id },
      query: { event_type: ['webhook.test', 'task.created'] },
    },
  }),
)
assert.equal(deliveries.data[0]?.id, sent.id)
await ok(docket.POST('/api/v1/deliveries/{id}/redeliver', byId(sent.id)))
const types = ['task.created' as const, 'task.updated' as const]
const events = await ok(
  docket.GET('/api/v1/events', { params: { query: { type: types, limit: 200 } } }),
)
const [event = assert.fail('no event')] = events.data
assert.equal(event.type, 'task.created')
assert.ok('id' in event.data && event.data.id === task.id)
const position = await ok(docket.GET('/api/v1/events/position'))
assert.ok((position.newest_sequence ?? 0) >= event.sequence)
const changes = await ok(docket.GET('/api/v1/changes', { params: { query: { types: ['task'] } } }))
assert.ok(changes.data.some(({ id }) => id === task.id))
const replay = { ...byId(webhook.id), body: { from_sequence: event.sequence } }
await ok(docket.POST('/api/v1/webhooks/{id}/replay', replay))
await done(docket.DELETE('/api/v1/webhooks/{id}', byId(webhook.id)))
await done(docket.DELETE('/api/v1/tags/{id}', byId(tag.id)))
