import assert from 'node:assert/strict'
import * as docket from './docket'
import * as schemas from './docket.zod'

const { DOCKET_PROJECT = '', DOCKET_RECEIVER = '' } = process.env

interface Reply {
  readonly status: number
  readonly data: unknown
  readonly headers: Headers
}
type Success<R extends Reply> = Extract<R, { status: 200 | 201 | 202 }>
const isSuccess = <R extends Reply>(reply: R): reply is Success<R> =>
  [200, 201, 202].includes(reply.status)

/** The body of a successful reply, which has to fit the schema that Zod knows of it. */
async function dataOf<R extends Reply>(
  sent: Promise<R>,
  schema: { parse(value: unknown): unknown },
): Promise<Success<R>['data']> {
  const reply = await sent
  assert.ok(isSuccess(reply), `${reply.status} ${JSON.stringify(reply.data)}`)
  schema.parse(reply.data)
  return reply.data
}

async function assertDone(sent: Promise<Reply>) {
  assert.equal((await sent).status, 204)
}

/** Asserts that nothing but the named fields has changed. */
function assertChanged<T extends object>(before: T, after: T, changes: Partial<T>) {
  const moving = { version: undefined, updated_at: undefined, secret: undefined }
  assert.deepEqual({ ...after, ...moving }, { ...before, ...moving, ...changes })
}

async function tryTags() {
  const projects = await dataOf(
    docket.listProjects({ status: 'active' }),
    schemas.ListProjectsResponse,
  )
  assert.ok(projects.data.some(({ id }) => id === DOCKET_PROJECT))
  const project = await dataOf(docket.getProject(DOCKET_PROJECT), schemas.GetProjectResponse)
  assert.equal(project.prefix, 'ENG')
  const members = await dataOf(
    docket.listMembers({ role: ['owner', 'admin'] }),
    schemas.ListMembersResponse,
  )
  assert.equal(members.data.length, 2)
  const tag = await dataOf(
    docket.createTag(DOCKET_PROJECT, { name: 'bug', color: '#ef4444' }),
    schemas.CreateTagResponse,
  )
  const renamed = await dataOf(
    docket.updateTag(tag.id, { name: 'defect' }),
    schemas.UpdateTagResponse,
  )
  assertChanged(tag, renamed, { name: 'defect' })
  assert.equal((await dataOf(docket.getTag(tag.id), schemas.GetTagResponse)).color, '#ef4444')
  const tags = await dataOf(docket.listProjectTags(DOCKET_PROJECT), schemas.ListProjectTagsResponse)
  assert.equal(tags.data.length, 1)
  await assertDone(docket.deleteTag(tag.id))
}

async function tryTasks() {
  const me = await dataOf(docket.getMe(), schemas.GetMeResponse)
  const task = await dataOf(
    docket.createTask({
      project_id: DOCKET_PROJECT,
      title: 'Ship the importer',
      description: 'In **two** steps.',
      priority: 'high',
      due_date: '2027-03-31',
      estimate_seconds: 7200,
      assignee_ids: [me.user.id],
      custom_fields: { budget: 12345678.9, team: 'import', done: false, sites: ['a', 'b'] },
    }),
    schemas.CreateTaskResponse,
  )
  assert.equal(task.custom_fields.budget, 12345678.9)
  const first = await docket.getTask(task.id)
  assert.deepEqual(first.data, task)
  const headers = { 'if-none-match': first.headers.get('ETag') ?? '' }
  assert.equal((await docket.getTask(task.id, { headers })).status, 304)
  const renamed = await dataOf(
    docket.updateTask(task.id, { title: 'Ship it' }),
    schemas.UpdateTaskResponse,
  )
  assertChanged(task, renamed, { title: 'Ship it' })
  const undated = await dataOf(
    docket.updateTask(task.id, { due_date: null }),
    schemas.UpdateTaskResponse,
  )
  assertChanged(renamed, undated, { due_date: null })
  const tried = await dataOf(
    docket.updateTask(task.id, { title: 'Only tried' }, { dry_run: true }),
    schemas.UpdateTaskResponse,
  )
  assert.equal(tried.title, 'Only tried')

  const open = await dataOf(
    docket.listProjectTasks(DOCKET_PROJECT, {
      status_category: ['backlog', 'unstarted'],
      limit: 1,
    }),
    schemas.ListProjectTasksResponse,
  )
  assert.deepEqual(open.data, [undated])
  const urgent = await dataOf(
    docket.listTasks({ priority: ['high', 'urgent'] }),
    schemas.ListTasksResponse,
  )
  assert.equal(urgent.data[0]?.id, task.id)
  const completed = await dataOf(docket.completeTask(task.id), schemas.CompleteTaskResponse)
  assert.equal(completed.status_category, 'completed')
  await assertDone(docket.deleteTask(task.id))
  const restored = await dataOf(docket.restoreTask(task.id), schemas.RestoreTaskResponse)
  assert.equal(restored.deleted_at, null)
  const bulk = await dataOf(
    docket.bulkTasks({
      operations: [
        { op: 'create', data: { project_id: DOCKET_PROJECT, title: 'One of two' } },
        { op: 'update', id: task.id, data: { priority: 'low' } },
      ],
    }),
    schemas.BulkTasksResponse,
  )
  assert.equal(bulk.succeeded, 2)
  assertChanged(restored, bulk.results[1]?.data ?? task, { priority: 'low' })
  return task
}

async function tryComments(taskId: string) {
  const comment = await dataOf(
    docket.createComment(taskId, { body: 'Looks good.' }),
    schemas.CreateCommentResponse,
  )
  const read = await dataOf(docket.getComment(comment.id), schemas.GetCommentResponse)
  assert.deepEqual(read, comment)
  const edited = await dataOf(
    docket.updateComment(comment.id, { body: 'Looks *good*.' }),
    schemas.UpdateCommentResponse,
  )
  assert.equal(edited.body, 'Looks *good*.')
  const comments = await dataOf(docket.listTaskComments(taskId), schemas.ListTaskCommentsResponse)
  assert.equal(comments.data.length, 1)
  await assertDone(docket.deleteComment(comment.id))
}

async function tryTimeEntries(taskId: string) {
  const entry = await dataOf(
    docket.createTimeEntry(taskId, { duration_seconds: 1800, note: 'Review', billable: true }),
    schemas.CreateTimeEntryResponse,
  )
  const read = await dataOf(docket.getTimeEntry(entry.id), schemas.GetTimeEntryResponse)
  assert.deepEqual(read, entry)
  const noted = await dataOf(
    docket.updateTimeEntry(entry.id, { note: 'Again' }),
    schemas.UpdateTimeEntryResponse,
  )
  assertChanged(entry, noted, { note: 'Again' })
  const entries = await dataOf(
    docket.listTaskTimeEntries(taskId),
    schemas.ListTaskTimeEntriesResponse,
  )
  assert.deepEqual(entries.data, [noted])
  await assertDone(docket.deleteTimeEntry(entry.id))
}

async function tryAttachments(taskId: string) {
  const attachment = await dataOf(
    docket.uploadAttachment(taskId, {
      file: new File(['Runs on staging.'], 'notes.txt', { type: 'text/plain' }),
    }),
    schemas.UploadAttachmentResponse,
  )
  const read = await dataOf(docket.getAttachment(attachment.id), schemas.GetAttachmentResponse)
  assert.deepEqual(read, attachment)
  const all = await dataOf(docket.listTaskAttachments(taskId), schemas.ListTaskAttachmentsResponse)
  assert.deepEqual(all.data, [attachment])
  const { status, data } = await docket.downloadAttachment(attachment.id)
  assert.ok(status === 200)
  assert.equal(await data.text(), 'Runs on staging.')
  await assertDone(docket.deleteAttachment(attachment.id))
}

async function tryWebhooks(taskId: string) {
  const webhook = await dataOf(
    docket.createWebhook({
      url: DOCKET_RECEIVER,
      events: ['task.created', 'task.completed'],
      description: 'Staging',
      is_active: false,
    }),
    schemas.CreateWebhookResponse,
  )
  const described = await dataOf(
    docket.updateWebhook(webhook.id, { description: 'Production' }),
    schemas.UpdateWebhookResponse,
  )
  assertChanged(webhook, described, { description: 'Production' })
  assert.equal(described.is_active, false)
  await docket.updateWebhook(webhook.id, { is_active: true })
  assert.ok((await dataOf(docket.getWebhook(webhook.id), schemas.GetWebhookResponse)).is_active)
  const active = await dataOf(
    docket.listWebhooks({ is_active: true }),
    schemas.ListWebhooksResponse,
  )
  assert.equal(active.data.length, 1)
  const rotated = await dataOf(
    docket.rotateWebhookSecret(webhook.id),
    schemas.RotateWebhookSecretResponse,
  )
  assert.notEqual(rotated.secret, webhook.secret)
  const sent = await dataOf(docket.testWebhook(webhook.id), schemas.TestWebhookResponse)
  const delivery = await dataOf(docket.getDelivery(sent.id), schemas.GetDeliveryResponse)
  assert.equal(delivery.event_type, 'webhook.test')
  const deliveries = await dataOf(
    docket.listWebhookDeliveries(webhook.id, { event_type: ['webhook.test', 'task.created'] }),
    schemas.ListWebhookDeliveriesResponse,
  )
  assert.equal(deliveries.data[0]?.id, sent.id)
  await dataOf(docket.redeliver(sent.id), schemas.RedeliverResponse)
  const events = await dataOf(
    docket.listEvents({ type: ['task.created', 'task.updated'], limit: 200 }),
    schemas.ListEventsResponse,
  )
  const [event] = events.data
  assert.ok(event?.type === 'task.created')
  assert.equal(event.data.id, taskId)
  const position = await dataOf(docket.getEventPosition(), schemas.GetEventPositionResponse)
  assert.ok(position.newest_sequence >= event.sequence)
  const changes = await dataOf(docket.listChanges({ types: ['task'] }), schemas.ListChangesResponse)
  assert.ok(changes.data.some((change) => change.op === 'put' && change.id === taskId))
  await dataOf(
    docket.replayEvents(webhook.id, { from_sequence: event.sequence }),
    schemas.ReplayEventsResponse,
  )
  await assertDone(docket.deleteWebhook(webhook.id))
}

async function main() {
  await tryTags()
  const task = await tryTasks()
  await tryComments(task.id)
  await tryTimeEntries(task.id)
  await tryAttachments(task.id)
  await tryWebhooks(task.id)
}

main().catch((error: unknown) => {
  console.error(error)
  process.exitCode = 1
})
