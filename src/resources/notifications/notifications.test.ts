import assert from 'node:assert/strict'
import { CREATE_TASK_STEP } from '#test/support/scenario/create-task-step.ts'
import { type ScenarioReply, type ScenarioStep, scenario } from '#test/support/scenario/scenario.ts'
import { createTaskStep, patchTaskStep } from '#test/support/scenario/steps.ts'

const LIST = 'GET /internal/notifications'
type InboxOwner = NonNullable<ScenarioStep['as']>

const BOOT = 'GET /internal/boot'

const say = (body: string, as: InboxOwner = 'owner'): ScenarioStep => ({
  send: 'POST /api/v1/tasks/{task}/comments',
  as,
  body: { body },
  status: 201,
  events: ['comment.created'],
})

/** A step that expects these notifications in an inbox, newest first. */
const inbox = (as: InboxOwner, found: object[], query = ''): ScenarioStep => ({
  send: `${LIST}${query}`,
  as,
  status: 200,
  check: ({ body }: ScenarioReply, known) => {
    const { data } = body as { data: object[] }
    const wanted = JSON.parse(
      JSON.stringify(found).replace(/\{(\w+)\}/g, (_, name) => known[name] ?? name),
    ) as object[]
    assert.equal(data.length, wanted.length, JSON.stringify(body))
    for (const [at, one] of wanted.entries()) assert.partialDeepStrictEqual(data[at], one)
  },
})

const mark = (as: InboxOwner, body: object, unread: number): ScenarioStep => ({
  send: 'PATCH /internal/notifications',
  as,
  body,
  status: 200,
  reply: { unread },
})

const watch = (as: InboxOwner, watching: boolean, reason: string | null = null): ScenarioStep => ({
  send: 'GET /internal/tasks/{task}/watch',
  as,
  status: 200,
  reply: { watching, reason },
})

const FOR_MEMBER = 'member session'

scenario('notifies mentioned users, assignees and watchers, but not the actor', [
  CREATE_TASK_STEP,
  say('Look, <@{member}> and <@{owner}>'),
  inbox(FOR_MEMBER, [
    {
      kind: 'mentioned',
      actor: { id: '{owner}' },
      read_at: null,
      webhook: null,
      task: { id: '{task}', short_id: 'ENG-1', project_id: '{project}' },
      comment: { excerpt: 'Look, <@{member}> and <@{owner}>' },
    },
  ]),
  inbox('owner session', []),
  watch(FOR_MEMBER, true, 'chosen'),
  watch('admin session', false),
  say('I look', 'member'),
  inbox('owner session', [{ kind: 'commented', actor: { id: '{member}' } }]),
  patchTaskStep('task', { assignee_ids: ['{owner}', '{admin}'] }, { events: ['task.assigned'] }),
  inbox('admin session', [{ kind: 'assigned', actor: { id: '{owner}' }, comment: null }]),
  inbox('owner session', [{ kind: 'commented' }]),
  watch('admin session', true, 'assigned'),
  { send: BOOT, as: 'admin session', status: 200, reply: { inbox: { unread: 1 } } },
  say('All of you'),
  inbox(FOR_MEMBER, [{ kind: 'commented' }, { kind: 'mentioned' }]),
  inbox(FOR_MEMBER, [{ kind: 'mentioned' }], '?kind=mentioned'),
  inbox('guest session', []),
])

const tree = (send: string): ScenarioStep => ({
  send,
  as: 'session',
  body: {},
  status: 201,
  events: ['task.created', 'task.created', 'task.assigned'],
})
/** The notification of a member who is assigned the subtask of a tree, and not its topmost task. */
const assignedSubtask = (short_id: string) => ({
  kind: 'assigned',
  actor: { id: '{owner}' },
  task: { short_id, title: 'Sub' },
})

scenario('notifies the assignees of copies and of tasks from a template', [
  createTaskStep('Top'),
  createTaskStep(
    'Sub',
    { parent_id: '{Top}', assignee_ids: ['{member}', '{owner}'] },
    { events: ['task.created', 'task.assigned'] },
  ),
  {
    send: 'POST /internal/templates',
    as: 'session',
    body: { task_id: '{Top}', name: 'Both' },
    status: 201,
    keep: { template: 'id' },
  },
  tree('POST /internal/tasks/{Top}/copy'),
  inbox(FOR_MEMBER, [assignedSubtask('ENG-4'), assignedSubtask('ENG-2')]),
  tree('POST /internal/templates/{template}/use'),
  inbox(
    FOR_MEMBER,
    ['ENG-6', 'ENG-4', 'ENG-2'].map((short_id) => assignedSubtask(short_id)),
  ),
  inbox('owner session', []),
])

scenario('a muted task notifies only mentioned users', [
  CREATE_TASK_STEP,
  say('Mine', 'member'),
  {
    send: 'PATCH /internal/tasks/{task}/watch',
    as: FOR_MEMBER,
    body: { watching: false },
    status: 200,
    reply: { watching: false, reason: null },
  },
  say('Not told'),
  say('Still muted', 'member'),
  watch(FOR_MEMBER, false),
  say('Nor this'),
  inbox(FOR_MEMBER, []),
  say('But <@{member}>'),
  inbox(FOR_MEMBER, [{ kind: 'mentioned' }]),
  watch(FOR_MEMBER, false),
  {
    send: 'PATCH /internal/tasks/{task}/watch',
    as: FOR_MEMBER,
    body: { watching: true },
    status: 200,
    reply: { watching: true, reason: 'chosen' },
  },
  say('Now again'),
  inbox(FOR_MEMBER, [{ kind: 'commented' }, { kind: 'mentioned' }]),
])

scenario('users mark their own notifications as read, done or snoozed, and undo it', [
  CREATE_TASK_STEP,
  say('One <@{member}>'),
  {
    ...inbox(FOR_MEMBER, [{ kind: 'mentioned' }]),
    keep: { first: 'data.0.id' },
  },
  { send: BOOT, as: FOR_MEMBER, status: 200, reply: { inbox: { unread: 1 } } },
  mark('owner session', { ids: ['{first}'], done: true }, 0),
  inbox(FOR_MEMBER, [{ id: '{first}', done_at: null, read_at: null }]),
  mark(FOR_MEMBER, { ids: ['{first}'], read: true }, 0),
  mark(FOR_MEMBER, { ids: ['{first}'], read: false }, 1),
  mark(FOR_MEMBER, { ids: ['{first}'], done: true }, 0),
  inbox(FOR_MEMBER, []),
  inbox(FOR_MEMBER, [{ id: '{first}' }], '?state=done'),
  mark(FOR_MEMBER, { ids: ['{first}'], done: false, read: false }, 1),
  mark(FOR_MEMBER, { ids: ['{first}'], snoozed_until: '2099-01-01T08:00:00Z' }, 0),
  inbox(FOR_MEMBER, []),
  inbox(FOR_MEMBER, [{ snoozed_until: '2099-01-01T08:00:00.000Z' }], '?state=snoozed'),
  mark(FOR_MEMBER, { ids: ['{first}'], snoozed_until: null }, 1),
  inbox(FOR_MEMBER, [{ id: '{first}', snoozed_until: null }]),
  say('Two <@{member}>'),
  { ...inbox(FOR_MEMBER, [{}, { id: '{first}' }]), keep: { second: 'data.0.id' } },
  // Both are about one task, which is one row of the inbox.
  { send: BOOT, as: FOR_MEMBER, status: 200, reply: { inbox: { unread: 1 } } },
  mark(FOR_MEMBER, { ids: ['{second}'], read: true }, 1),
  {
    ...mark(FOR_MEMBER, { done: true }, 0),
    reply: { unread: 0, ids: ['{second}', '{first}'] },
  },
  inbox(FOR_MEMBER, []),
  {
    send: 'PATCH /internal/notifications',
    as: FOR_MEMBER,
    body: { snoozed_until: '2020-01-01T08:00:00Z' },
    status: 422,
  },
  { send: 'PATCH /internal/notifications', as: FOR_MEMBER, body: {}, status: 422 },
])

scenario('hides notifications of tasks without access', [
  { ...CREATE_TASK_STEP, body: { project_id: '{hidden}', title: 'Secret' }, keep: { task: 'id' } },
  say('Not for them: <@{member}> <@{guest}>'),
  inbox(FOR_MEMBER, []),
  { send: 'PUT /internal/projects/{hidden}/people/{member}', as: 'session', status: 204 },
  say('For you: <@{member}>'),
  inbox(FOR_MEMBER, [{ kind: 'mentioned' }]),
  { send: 'DELETE /internal/projects/{hidden}/people/{member}', as: 'session', status: 204 },
  inbox(FOR_MEMBER, []),
  { send: BOOT, as: FOR_MEMBER, status: 200, reply: { inbox: { unread: 0 } } },
  say('Not any more: <@{member}>'),
  { send: 'PUT /internal/projects/{hidden}/people/{member}', as: 'session', status: 204 },
  inbox(FOR_MEMBER, [{ comment: { excerpt: 'For you: <@{member}>' } }]),
  { send: 'DELETE /api/v1/tasks/{task}', status: 204, events: ['task.deleted'] },
  inbox(FOR_MEMBER, []),
])

scenario('an idempotent replay creates no second notification', [
  CREATE_TASK_STEP,
  { ...say('Hello <@{member}>'), headers: { 'idempotency-key': 'once' }, keep: { comment: 'id' } },
  { ...say('Hello <@{member}>'), headers: { 'idempotency-key': 'once' }, events: [] },
  inbox(FOR_MEMBER, [{ kind: 'mentioned' }]),
  {
    send: 'PATCH /api/v1/comments/{comment}',
    body: { body: 'Hello again <@{member}> and <@{admin}>' },
    status: 200,
    events: ['comment.updated'],
  },
  inbox(FOR_MEMBER, [{ kind: 'mentioned' }]),
  inbox('admin session', [{ kind: 'mentioned' }]),
])

scenario('delivers each kind of notification to the channels of the user', [
  CREATE_TASK_STEP,
  {
    send: 'GET /internal/notification-settings',
    as: FOR_MEMBER,
    status: 200,
    reply: { digest_hour: 8, kinds: { mentioned: { inbox: true, mail: 'soon' } } },
  },
  {
    send: 'PATCH /internal/notification-settings',
    as: FOR_MEMBER,
    body: { kinds: { mentioned: { inbox: false } }, digest_hour: 17 },
    status: 200,
    reply: {
      digest_hour: 17,
      kinds: { mentioned: { inbox: false, mail: 'soon' }, assigned: { inbox: true } },
    },
  },
  say('Hello <@{member}>'),
  inbox(FOR_MEMBER, []),
  {
    send: 'PATCH /internal/notification-settings',
    as: FOR_MEMBER,
    body: { digest_hour: 24 },
    status: 422,
  },
])
