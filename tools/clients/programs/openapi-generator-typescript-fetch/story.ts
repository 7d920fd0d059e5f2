import assert from 'node:assert/strict'
import * as docket from './client'

const { DOCKET_URL = '', DOCKET_KEY = '', DOCKET_PROJECT = '', DOCKET_RECEIVER = '' } = process.env
// As a header: where OAuth is allowed, too, the generated client sends a configured token without "Bearer".
const headers = { Authorization: `Bearer ${DOCKET_KEY}` }
const config = new docket.Configuration({ basePath: DOCKET_URL, headers })
const inProject = { id: DOCKET_PROJECT }
const day = (text: string) => new Date(`${text}T00:00:00Z`)

/** Asserts that nothing but the named fields has changed. */
function assertChanged<T extends object>(before: T, after: T, changes: Partial<T>) {
  const moving = { version: undefined, updated_at: undefined, secret: undefined }
  assert.deepEqual({ ...after, ...moving }, { ...before, ...moving, ...changes })
}

async function tryTags() {
  const projects = new docket.ProjectsApi(config)
  const active = await projects.listProjects({ status: 'active' })
  assert.ok(active.data.some(({ id }) => id === DOCKET_PROJECT))
  assert.equal((await projects.getProject(inProject)).prefix, 'ENG')
  const members = await new docket.MembersApi(config).listMembers({
    role: new Set(['owner', 'admin'] as const),
  })
  assert.equal(members.data.length, 2)

  const tags = new docket.TagsApi(config)
  const tag = await tags.createTag({ ...inProject, TagCreate: { name: 'bug', color: '#ef4444' } })
  const renamed = await tags.updateTag({ id: tag.id, TagUpdate: { name: 'defect' } })
  assertChanged(tag, renamed, { name: 'defect' })
  assert.equal((await tags.getTag({ id: tag.id })).color, '#ef4444')
  assert.equal((await tags.listProjectTags(inProject)).data.length, 1)
  await tags.deleteTag({ id: tag.id })
}

async function tryTasks() {
  const me = await new docket.AccountApi(config).getMe()
  const tasks = new docket.TasksApi(config)
  const task = await tasks.createTask({
    Idempotency_Key: 'story-1',
    TaskCreate: {
      project_id: DOCKET_PROJECT,
      title: 'Ship the importer',
      description: 'In **two** steps.',
      priority: 'high',
      due_date: day('2027-03-31'),
      estimate_seconds: 7200,
      assignee_ids: new Set([me.user.id]),
      custom_fields: { budget: 12345678.9, team: 'import', done: false, sites: ['a', 'b'] },
    },
  })
  assert.equal(task.custom_fields.budget, 12345678.9)
  const { id } = task
  const first = await tasks.getTaskRaw({ id })
  assert.deepEqual(await first.value(), task)
  const If_None_Match = first.raw.headers.get('ETag') ?? ''
  const unchanged = await tasks.getTaskRaw({ id, If_None_Match }).catch((error) => {
    assert.ok(error instanceof docket.ResponseError)
    return { raw: error.response }
  })
  assert.equal(unchanged.raw.status, 304)
  const renamed = await tasks.updateTask({ id, TaskUpdate: { title: 'Ship it' } })
  assertChanged(task, renamed, { title: 'Ship it' })
  const undated = await tasks.updateTask({ id, TaskUpdate: { due_date: null } })
  assertChanged(renamed, undated, { due_date: null })
  const tried = await tasks.updateTask({ id, dry_run: true, TaskUpdate: { title: 'Only tried' } })
  assert.equal(tried.title, 'Only tried')

  const open = await tasks.listProjectTasks({
    ...inProject,
    status_category: new Set(['backlog', 'unstarted'] as const),
    limit: 1,
  })
  assert.deepEqual(open.data, [undated])
  const urgent = await tasks.listTasks({ priority: new Set(['high', 'urgent'] as const) })
  assert.equal(urgent.data[0]?.id, id)
  assert.equal((await tasks.completeTask({ id })).status_category, 'completed')
  await tasks.deleteTask({ id })
  const restored = await tasks.restoreTask({ id })
  assert.equal(restored.deleted_at, null)
  const bulk = await tasks.bulkTasks({
    BulkTasksRequest: {
      operations: [
        { op: 'create', data: { project_id: DOCKET_PROJECT, title: 'One of two' } },
        { op: 'update', id, data: { priority: 'low' } },
      ],
    },
  })
  assert.equal(bulk.succeeded, 2)
  assertChanged(restored, bulk.results[1]?.data ?? task, { priority: 'low' })
  return id
}

async function tryComments(taskId: string) {
  const comments = new docket.CommentsApi(config)
  const comment = await comments.createComment({
    id: taskId,
    CommentCreate: { body: 'Looks good.' },
  })
  const { id } = comment
  assert.deepEqual(await comments.getComment({ id }), comment)
  const edited = await comments.updateComment({ id, CommentUpdate: { body: 'Looks *good*.' } })
  assert.equal(edited.body, 'Looks *good*.')
  assert.equal((await comments.listTaskComments({ id: taskId })).data.length, 1)
  await comments.deleteComment({ id })
}

async function tryTimeEntries(taskId: string) {
  const entries = new docket.TimeEntriesApi(config)
  const entry = await entries.createTimeEntry({
    id: taskId,
    TimeEntryCreate: {
      duration_seconds: 1800,
      note: 'Review',
      billable: true,
      spent_on: day('2026-11-02'),
    },
  })
  const { id } = entry
  assert.deepEqual(await entries.getTimeEntry({ id }), entry)
  const noted = await entries.updateTimeEntry({ id, TimeEntryUpdate: { note: 'Again' } })
  assertChanged(entry, noted, { note: 'Again' })
  assert.deepEqual((await entries.listTaskTimeEntries({ id: taskId })).data, [noted])
  await entries.deleteTimeEntry({ id })
}

async function tryAttachments(taskId: string) {
  const attachments = new docket.AttachmentsApi(config)
  const file = new File(['Runs on staging.'], 'notes.txt', { type: 'text/plain' })
  const attachment = await attachments.uploadAttachment({ id: taskId, file })
  const { id } = attachment
  assert.deepEqual(await attachments.getAttachment({ id }), attachment)
  assert.deepEqual((await attachments.listTaskAttachments({ id: taskId })).data, [attachment])
  const content = await attachments.downloadAttachment({ id })
  assert.equal(await content.text(), 'Runs on staging.')
  await attachments.deleteAttachment({ id })
}

async function tryWebhooks(taskId: string) {
  const webhooks = new docket.WebhooksApi(config)
  const deliveries = new docket.DeliveriesApi(config)
  const webhook = await webhooks.createWebhook({
    WebhookCreate: {
      url: DOCKET_RECEIVER,
      events: new Set(['task.created', 'task.completed'] as const),
      description: 'Staging',
      is_active: false,
    },
  })
  const { id, secret } = webhook
  const described = await webhooks.updateWebhook({
    id,
    WebhookUpdate: { description: 'Production' },
  })
  assertChanged(webhook, described, { description: 'Production' })
  assert.equal(described.is_active, false)
  await webhooks.updateWebhook({ id, WebhookUpdate: { is_active: true } })
  assert.ok((await webhooks.getWebhook({ id })).is_active)
  assert.equal((await webhooks.listWebhooks({ is_active: true })).data.length, 1)
  assert.notEqual((await webhooks.rotateWebhookSecret({ id })).secret, secret)
  const sent = await deliveries.testWebhook({ id })
  assert.equal((await deliveries.getDelivery({ id: sent.id })).event_type, 'webhook.test')
  const page = await deliveries.listWebhookDeliveries({
    id,
    event_type: new Set(['webhook.test', 'task.created'] as const),
  })
  assert.equal(page.data[0]?.id, sent.id)
  await deliveries.redeliver({ id: sent.id })
  const events = await new docket.EventsApi(config).listEvents({
    type: new Set(['task.created', 'task.updated'] as const),
    limit: 200,
  })
  const [event] = events.data
  assert.ok(event?.type === 'task.created')
  assert.equal(event.data.id, taskId)
  const position = await new docket.EventsApi(config).getEventPosition()
  assert.ok(position.newest_sequence >= event.sequence)
  const changes = await new docket.ChangesApi(config).listChanges({
    types: new Set(['task'] as const),
  })
  assert.ok(changes.data.some((change) => change.op === 'put' && change.id === taskId))
  await deliveries.replayEvents({ id, EventReplay: { from_sequence: event.sequence } })
  await webhooks.deleteWebhook({ id })
}

async function main() {
  await tryTags()
  const taskId = await tryTasks()
  await tryComments(taskId)
  await tryTimeEntries(taskId)
  await tryAttachments(taskId)
  await tryWebhooks(taskId)
}

main().catch((error: unknown) => {
  console.error(error)
  process.exitCode = 1
})
