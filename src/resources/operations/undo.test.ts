import assert from 'node:assert/strict'
import { removeMember } from '#resources/members/membership.ts'
import type { LeftRecord } from '#resources/operations/contract.ts'
import { pinsOfView } from '#resources/web-app/views/store.ts'
import { type ScenarioStep, scenario } from '#test/support/scenario/scenario.ts'
import {
  createTaskStep,
  deleteTaskStep,
  listStep,
  moveTaskStep,
  patchTaskStep,
  prepareProjectChange,
  prepareStatuses,
  rejectedStep,
  restoreTaskStep,
  tagStep,
  validationFailedStep,
  validationFailedSteps,
} from '#test/support/scenario/steps.ts'

/** Keeps the id of the newest operation of a person. */
const newest = (name: string, as: ScenarioStep['as'] = 'owner'): ScenarioStep => ({
  send: 'GET /api/v1/operations?limit=1',
  as,
  status: 200,
  keep: { [name]: 'data.0.id' },
})
const undo = (name: string, more: Partial<ScenarioStep> = {}): ScenarioStep => ({
  send: `POST /api/v1/operations/{${name}}/undo`,
  status: 200,
  ...more,
})
/** An undo that would lose what somebody has changed: each as the field and why it is left. */
const refused = (
  name: string,
  details: object[],
  more: Partial<ScenarioStep> = {},
): ScenarioStep => ({
  ...undo(name),
  status: 409,
  reply: { error: { code: 'changed_since', details } },
  ...more,
})
const undoRest = (name: string, left: object[], more: Partial<ScenarioStep> = {}) =>
  undo(name, {
    send: `POST /api/v1/operations/{${name}}/undo?only=unchanged`,
    reply: { left_count: left.length, left },
    ...more,
  })
const get = (path: string, reply: object): ScenarioStep => ({
  send: `GET /api/v1/${path}`,
  status: 200,
  reply,
})
const gone = (path: string) => rejectedStep(`GET /api/v1/${path}`, 404, 'not_found')
const tasks = (...names: string[]) => listStep('/api/v1/projects/{project}/tasks', names)

scenario('a creation, a change and a deletion of a task are undone, and redone', [
  createTaskStep('Task'),
  newest('created'),
  patchTaskStep('Task', { title: 'Renamed', priority: 'high' }),
  newest('changed'),
  undo('changed', {
    reply: {
      undone: [{ record_type: 'task', record_id: '{Task}', fields: ['title', 'priority'] }],
    },
    events: [{ type: 'task.updated', data: { id: '{Task}', title: 'Task', priority: 'none' } }],
  }),
  newest('undone'),
  get('operations/{changed}', { undone_by_id: '{undone}' }),
  get('operations/{undone}', { undoes_id: '{changed}', changes: [{ record_id: '{Task}' }] }),
  rejectedStep('POST /api/v1/operations/{changed}/undo', 409, 'already_undone'),
  undo('undone', { events: [{ type: 'task.updated', data: { title: 'Renamed' } }] }),
  newest('redone'),
  undo('redone', { events: ['task.updated'] }),
  undo('created', { events: ['task.deleted'] }),
  newest('deleted'),
  gone('tasks/{Task}'),
  undo('deleted', { events: ['task.updated'] }),
  newest('restored'),
  get('tasks/{Task}', { title: 'Task' }),
  undo('restored', { events: ['task.deleted'] }),
  gone('tasks/{Task}'),
])

scenario('a trial of an undo changes nothing', [
  createTaskStep('Task'),
  newest('created'),
  undo('created', {
    send: 'POST /api/v1/operations/{created}/undo?dry_run=true',
    reply: { undone_count: 1, left_count: 0 },
    replyHeaders: { 'x-dry-run': 'true', 'x-operation-id': null },
  }),
  get('tasks/{Task}', { version: 1 }),
  get('operations/{created}', { undone_by_id: null }),
])

scenario('an undo never loses what somebody else has changed since, and says who and when', [
  createTaskStep('Task', { tag_ids: [] }),
  patchTaskStep('Task', { title: 'Mine', priority: 'high', metadata: { a: '1', b: '1' } }),
  newest('changed'),
  patchTaskStep('Task', { title: 'Theirs', metadata: { b: '2' } }, { as: 'member' }),
  refused('changed', [
    { field: 'title', code: 'changed_since', resource_id: '{Task}' },
    { field: 'metadata.b', code: 'changed_since' },
  ]),
  get('tasks/{Task}', { version: 3, title: 'Theirs', priority: 'high' }),
  undoRest(
    'changed',
    [
      { field: 'title', changed_by_id: '{member}', operation_id: '{changed}' },
      { field: 'metadata.b', changed_by_id: '{member}' },
    ],
    {
      events: ['task.updated'],
      check: ({ body }) => {
        const { left } = body as { left: LeftRecord[] }
        assert.ok(left.every(({ changed_at }) => Date.parse(changed_at ?? '') > 0))
      },
    },
  ),
  get('tasks/{Task}', { title: 'Theirs', priority: 'none', metadata: { b: '2' } }),
])

const WORK: Record<string, ScenarioStep> = {
  'that somebody has changed': patchTaskStep('Task', { title: 'Changed' }, { as: 'member' }),
  'with a comment': {
    send: 'POST /api/v1/tasks/{Task}/comments',
    body: { body: 'Soon' },
    status: 201,
    events: ['comment.created'],
  },
  'on which a timer runs': {
    send: 'POST /api/v1/tasks/{Task}/time-entries',
    body: { running: true },
    status: 201,
    events: ['time_entry.created'],
  },
  'with a subtask': createTaskStep('Below', { parent_id: '{Task}' }),
  'for which another task waits': createTaskStep('Waiting', { blocked_by_ids: ['{Task}'] }),
}
for (const [name, step] of Object.entries(WORK)) {
  scenario(`undoing a creation leaves a task ${name}`, [
    createTaskStep('Task'),
    newest('created'),
    step,
    refused('created', [{ field: '', code: 'changed_since', resource_id: '{Task}' }]),
    undoRest('created', [{ record_id: '{Task}', field: null, code: 'changed_since' }]),
    get('tasks/{Task}', { id: '{Task}' }),
  ])
}

scenario('a deleted comment, time entry, tag and their changes are undone', [
  createTaskStep('Task'),
  {
    send: 'POST /api/v1/tasks/{Task}/comments',
    body: { body: 'First' },
    status: 201,
    events: ['comment.created'],
    keep: { comment: 'id' },
  },
  newest('commented'),
  {
    send: 'PATCH /api/v1/comments/{comment}',
    body: { body: 'Second' },
    status: 200,
    events: ['comment.updated'],
  },
  newest('edited'),
  refused('commented', [{ code: 'changed_since' }]),
  undo('edited', { events: ['comment.updated'] }),
  get('comments/{comment}', { body: 'First', edited_at: null }),
  { send: 'DELETE /api/v1/comments/{comment}', status: 204, events: ['comment.deleted'] },
  newest('removed'),
  undo('removed', { events: ['comment.created'] }),
  undo('commented', { events: ['comment.deleted'] }),
  {
    send: 'POST /api/v1/tasks/{Task}/time-entries',
    body: { duration_seconds: 60, note: 'a' },
    status: 201,
    events: ['time_entry.created'],
    keep: { entry: 'id' },
  },
  {
    send: 'PATCH /api/v1/time-entries/{entry}',
    body: { duration_seconds: 90, note: 'b' },
    status: 200,
    events: ['time_entry.updated'],
  },
  newest('logged'),
  undo('logged', { events: ['time_entry.updated'] }),
  get('time-entries/{entry}', { duration_seconds: 60, note: 'a' }),
  { send: 'DELETE /api/v1/time-entries/{entry}', status: 204, events: ['time_entry.deleted'] },
  newest('unlogged'),
  get('tasks/{Task}', { time_spent_seconds: 0 }),
  undo('unlogged', { events: [{ type: 'time_entry.created', data: { id: '{entry}' } }] }),
  get('tasks/{Task}', { time_spent_seconds: 60 }),
])

scenario('a deleted tag comes back on its tasks, also in the copies of the feed of changes', [
  tagStep('project', 'bug', 'tag'),
  createTaskStep('Task', { tag_ids: ['{tag}'] }),
  createTaskStep('Trashed', { tag_ids: ['{tag}'] }),
  deleteTaskStep('Trashed'),
  { send: 'DELETE /api/v1/tags/{tag}', status: 204, events: ['tag.deleted'] },
  newest('removed'),
  get('tasks/{Task}', { tag_ids: [] }),
  undo('removed', { events: [{ type: 'tag.created', data: { id: '{tag}', task_count: 1 } }] }),
  get('tasks/{Task}', { tag_ids: ['{tag}'] }),
  newest('restored'),
  undo('restored', { events: ['tag.deleted'] }),
  newest('again'),
  // Somebody has given the name to another tag.
  tagStep('project', 'Bug', 'other'),
  refused('again', [{ code: 'tag_exists' }]),
])

scenario('a merged tag is taken out of the other one, which stays on its own tasks', [
  tagStep('project', 'bug', 'bug'),
  tagStep('project', 'fault', 'fault'),
  createTaskStep('Task', { tag_ids: ['{bug}'] }),
  createTaskStep('Both', { tag_ids: ['{bug}', '{fault}'] }),
  {
    send: 'POST /internal/tags/{bug}/merge',
    as: 'session',
    body: { into_id: '{fault}' },
    status: 200,
    events: ['tag.deleted'],
  },
  newest('merged'),
  get('tasks/{Task}', { tag_ids: ['{fault}'] }),
  undo('merged', { events: ['tag.created'] }),
  get('tasks/{Task}', { tag_ids: ['{bug}'] }),
  get('tasks/{Both}', { tag_ids: ['{bug}', '{fault}'] }),
  get('tags/{fault}', { task_count: 1 }),
])

scenario('a deleted file is downloaded again after an undo', [
  createTaskStep('Task'),
  {
    send: 'POST /api/v1/tasks/{Task}/attachments?filename=a.txt',
    raw: Buffer.from('Hello'),
    headers: { 'content-type': 'text/plain' },
    status: 201,
    events: ['attachment.created'],
    keep: { file: 'id' },
  },
  newest('uploaded'),
  { send: 'DELETE /api/v1/attachments/{file}', status: 204, events: ['attachment.deleted'] },
  newest('removed'),
  gone('attachments/{file}/content'),
  undo('removed', { events: [{ type: 'attachment.created', data: { id: '{file}' } }] }),
  {
    send: 'GET /api/v1/attachments/{file}/content',
    status: 200,
    check: ({ bytes }) => assert.equal(bytes.toString(), 'Hello'),
  },
  undo('uploaded', { events: ['attachment.deleted'] }),
  gone('attachments/{file}'),
])

const RULE = { rrule: 'FREQ=WEEKLY;BYDAY=MO;COUNT=3', basis: 'due_date' }
const RECURRING = createTaskStep('Recurring', { due_date: '2026-01-05', recurrence: RULE })
const COMPLETED: ScenarioStep = {
  send: 'POST /api/v1/tasks/{Recurring}/complete',
  status: 200,
  events: ['task.completed', 'task.created'],
}
/** The newest task is the next occurrence. */
const NEXT: ScenarioStep = {
  send: 'GET /api/v1/tasks?limit=1',
  status: 200,
  reply: { data: [{ recurred_from_id: '{Recurring}' }] },
  keep: { Task: 'data.0.id' },
}

scenario('undoing a completion gives the rule back and deletes the next occurrence', [
  RECURRING,
  COMPLETED,
  newest('completed'),
  NEXT,
  undo('completed', {
    events: [
      { type: 'task.deleted', data: { id: '{Task}' } },
      { type: 'task.updated', data: { id: '{Recurring}', status: 'todo', recurrence: RULE } },
    ],
  }),
  tasks('Recurring'),
  // Completing it again continues the series.
  COMPLETED,
  NEXT,
  tasks('Recurring', 'Task'),
])

for (const [name, step] of Object.entries(WORK)) {
  scenario(`undoing a completion leaves an occurrence ${name}, which keeps the rule`, [
    RECURRING,
    COMPLETED,
    newest('completed'),
    NEXT,
    step,
    refused('completed', [{ resource_id: '{Task}' }]),
    undoRest('completed', [{ record_id: '{Task}', code: 'changed_since' }], {
      events: [{ type: 'task.updated', data: { status: 'todo', recurrence: null } }],
    }),
    get('tasks/{Task}', { recurrence: { basis: 'due_date' } }),
  ])
}

scenario('an undone move gives a task and its subtasks back what it took from them', [
  tagStep('project', 'Shared', 'shared'),
  tagStep('project', 'Only here', 'lost'),
  tagStep('hidden', 'SHARED', 'there'),
  {
    ...createTaskStep('Parent'),
    prepare: prepareStatuses('hidden', [
      ['open', 'unstarted'],
      ['closed', 'completed'],
    ]),
  },
  createTaskStep(
    'Task',
    {
      parent_id: '{Parent}',
      tag_ids: ['{shared}', '{lost}'],
      assignee_ids: ['{admin}', '{guest}'],
      status: 'in_review',
    },
    { events: ['task.created', 'task.assigned'] },
  ),
  createTaskStep('Below', { parent_id: '{Task}', tag_ids: ['{lost}'], status: 'in_progress' }),
  createTaskStep('Last'),
  moveTaskStep('Task', 'hidden', {
    reply: { parent_id: null, tag_ids: ['{there}'], assignee_ids: ['{admin}'], status: 'open' },
    events: ['task.updated', 'task.updated'],
  }),
  newest('moved'),
  undo('moved', {
    events: [
      {
        type: 'task.updated',
        data: {
          id: '{Task}',
          short_id: 'ENG-2',
          parent_id: '{Parent}',
          tag_ids: ['{shared}', '{lost}'],
          assignee_ids: ['{admin}', '{guest}'],
          status: 'in_review',
        },
      },
      { type: 'task.assigned', data: { id: '{Task}' } },
      {
        type: 'task.updated',
        data: { id: '{Below}', short_id: 'ENG-3', tag_ids: ['{lost}'], status: 'in_progress' },
      },
    ],
  }),
  tasks('Parent', 'Task', 'Below', 'Last'),
  get('tasks/{Parent}', { subtask_count: 1 }),
])

scenario('an undone move leaves what somebody has changed since, and what is gone', [
  tagStep('project', 'Kept', 'kept'),
  tagStep('project', 'Deleted', 'deleted'),
  tagStep('project', 'Removed', 'removed'),
  tagStep('hidden', 'Removed', 'there'),
  tagStep('hidden', 'New', 'new'),
  {
    ...createTaskStep('Parent'),
    prepare: prepareStatuses('hidden', [
      ['open', 'unstarted'],
      ['closed', 'completed'],
    ]),
  },
  createTaskStep('First'),
  createTaskStep(
    'Task',
    {
      parent_id: '{Parent}',
      tag_ids: ['{kept}', '{deleted}', '{removed}'],
      assignee_ids: ['{admin}', '{guest}'],
      status: 'in_progress',
      before_id: '{First}',
    },
    { events: ['task.created', 'task.assigned'] },
  ),
  moveTaskStep('Task', 'hidden', { reply: { status: 'open', tag_ids: ['{there}'] } }),
  newest('moved'),
  patchTaskStep(
    'Task',
    { status: 'closed', tag_ids: ['{new}'], assignee_ids: ['{owner}'] },
    { events: ['task.completed', 'task.assigned'] },
  ),
  createTaskStep('Squatter', { before_id: '{First}' }),
  { send: 'DELETE /api/v1/tags/{deleted}', status: 204, events: ['tag.deleted'] },
  { send: 'DELETE /api/v1/tasks/{Parent}', status: 204, events: ['task.deleted'] },
  undo('moved', {
    events: [
      {
        type: 'task.updated',
        data: {
          parent_id: null,
          tag_ids: ['{kept}'],
          assignee_ids: ['{owner}', '{guest}'],
          status: 'done',
        },
      },
      'task.assigned',
    ],
  }),
  tasks('Squatter', 'First', 'Task'),
])

scenario('a move that is not the last one is not undone', [
  createTaskStep('Task'),
  moveTaskStep('Task', 'hidden'),
  newest('moved'),
  moveTaskStep('Task', 'project'),
  refused('moved', [{ field: 'project_id', code: 'changed_since' }]),
])

scenario('a subtask that was not moved along keeps what it has', [
  tagStep('project', 'Only here', 'lost'),
  createTaskStep('Early', { tag_ids: ['{lost}'] }),
  createTaskStep('Task', { tag_ids: ['{lost}'] }),
  moveTaskStep('Early', 'hidden'),
  moveTaskStep('Task', 'hidden'),
  newest('moved'),
  patchTaskStep('Early', { parent_id: '{Task}' }),
  undo('moved', {
    events: [
      { type: 'task.updated', data: { id: '{Task}', tag_ids: ['{lost}'] } },
      { type: 'task.updated', data: { id: '{Early}', tag_ids: [] } },
    ],
  }),
])

scenario('an undone move gives a place back that has the same rank in both projects', [
  createTaskStep('First'),
  createTaskStep('Below', { parent_id: '{First}' }),
  createTaskStep('Last'),
  moveTaskStep('First', 'hidden', { events: ['task.updated', 'task.updated'] }),
  newest('moved'),
  undo('moved', { events: ['task.updated', 'task.updated'] }),
  tasks('First', 'Below', 'Last'),
])

scenario('the rights of today decide what is undone', [
  createTaskStep('Task', {}, { as: 'member' }),
  newest('created', 'member'),
  rejectedStep('POST /api/v1/operations/{created}/undo', 404, 'not_found', { as: 'guest' }),
  rejectedStep('POST /api/v1/operations/{created}/undo', 403, 'insufficient_scope', {
    as: ['tasks:read', 'tasks:write'],
  }),
  tagStep('project', 'bug', 'tag'),
  patchTaskStep('Task', { add_tag_ids: ['{tag}'] }),
  newest('tagged'),
  {
    ...refused('tagged', [{ code: 'project_archived', resource_id: '{Task}' }]),
    prepare: prepareProjectChange('project', { archived: true }),
  },
  {
    ...undo('tagged', { events: ['task.updated'] }),
    prepare: prepareProjectChange('project', { archived: false }),
  },
  {
    send: 'PATCH /internal/members/{member}',
    as: 'session',
    body: { role: 'guest' },
    status: 200,
    events: ['member.updated'],
  },
  // A guest sees only the projects of which they are a member.
  { ...refused('created', [{ code: 'gone' }]), as: 'member' },
])

scenario('the operations of a person since a time are undone together, the newest first', [
  createTaskStep('Before', {}, { as: 'member' }),
  createTaskStep('Task'),
  {
    send: 'GET /api/v1/tasks/{Task}',
    status: 200,
    keep: { since: 'created_at' },
  },
  patchTaskStep('Task', { title: 'Renamed' }),
  patchTaskStep('Before', { title: 'Renamed' }),
  patchTaskStep('Before', { title: 'Theirs' }, { as: 'member' }),
  rejectedStep('POST /api/v1/operations/undo', 403, 'insufficient_role', {
    as: 'member',
    body: { since: '{since}', user_id: '{owner}' },
  }),
  {
    send: 'POST /api/v1/operations/undo',
    as: 'admin',
    body: { since: '{since}', user_id: '{owner}' },
    status: 200,
    reply: { operation_count: 3, undone_count: 2, left_count: 1, next_before_id: null },
    events: ['task.updated', { type: 'task.deleted', data: { id: '{Task}' } }],
  },
  get('tasks/{Before}', { title: 'Theirs' }),
  gone('tasks/{Task}'),
])

const LONG = 'x'.repeat(3_000)

scenario('the long descriptions of a task and of a project come back in full', [
  createTaskStep('Task', { description: LONG }),
  patchTaskStep('Task', { description: null }),
  newest('emptied'),
  undo('emptied', { events: ['task.updated'] }),
  get('tasks/{Task}', { description: LONG }),
  {
    send: 'PATCH /internal/projects/{project}',
    as: 'session',
    body: { description: LONG },
    status: 200,
    events: ['project.updated'],
  },
  {
    send: 'PATCH /internal/projects/{project}',
    as: 'session',
    body: { description: 'short', name: 'New' },
    status: 200,
    events: ['project.updated'],
  },
  newest('described'),
  refused('described', [{ code: 'not_undoable' }]),
  undo('described', { as: 'session', events: ['project.updated'] }),
  get('projects/{project}', { description: LONG }),
])

const deletion = (path: string): ScenarioStep => ({
  send: `DELETE ${path}`,
  as: 'session',
  status: 204,
  events: [],
})
const pin = (as: 'admin session' | 'member session'): ScenarioStep => ({
  send: 'PUT /internal/views/pins',
  as,
  body: { view_ids: ['{view}'] },
  status: 200,
})

scenario('a deleted view comes back with the pins of those who are still members', [
  {
    send: 'POST /internal/views',
    as: 'session',
    body: { project_id: '{project}', name: 'Ours', is_shared: true },
    status: 201,
    keep: { view: 'id' },
  },
  pin('admin session'),
  pin('member session'),
  deletion('/internal/views/{view}'),
  newest('deleted'),
  {
    ...refused('deleted', [{ field: '', code: 'not_undoable', resource_id: '{view}' }]),
    prepare: (tx, { member = '' }) => removeMember(tx, member),
  },
  undo('deleted', {
    as: 'session',
    reply: { undone: [{ record_type: 'view', record_id: '{view}', fields: [] }] },
  }),
  {
    send: 'GET /internal/projects/{project}/views',
    as: 'session',
    status: 200,
    reply: { data: [{ id: '{view}', name: 'Ours' }] },
    prepare: async (tx, { view = '', admin }) =>
      assert.deepEqual(await tx.all(pinsOfView, { id: view }), [{ user_id: admin, position: 0 }]),
  },
])

scenario('a deleted template comes back with its tasks', [
  createTaskStep('Top'),
  {
    send: 'POST /internal/templates',
    as: 'session',
    body: { task_id: '{Top}', name: 'Release' },
    status: 201,
    keep: { template: 'id' },
  },
  deletion('/internal/templates/{template}'),
  newest('deleted'),
  refused('deleted', [{ code: 'not_undoable', resource_id: '{template}' }]),
  undo('deleted', {
    as: 'session',
    reply: { undone: [{ record_type: 'template', record_id: '{template}', fields: [] }] },
  }),
  {
    send: 'GET /internal/templates/{template}',
    as: 'session',
    status: 200,
    reply: { name: 'Release', tasks: [{ title: 'Top' }] },
  },
  newest('restored'),
  undo('restored', { as: 'session', reply: { undone_count: 0, left_count: 0 } }),
])

const UNDO_MANY = 'POST /api/v1/operations/undo'

scenario('operations are undone together by their ids, and redone by those of the undos', [
  createTaskStep('One'),
  createTaskStep('Two'),
  patchTaskStep('One', { priority: 'high' }),
  newest('first'),
  patchTaskStep('Two', { priority: 'high' }),
  newest('second'),
  {
    send: UNDO_MANY,
    body: { ids: ['{first}', '{second}'] },
    status: 200,
    reply: { operation_count: 2, undone_count: 2, left_count: 0, next_before_id: null },
    events: [
      { type: 'task.updated', data: { id: '{Two}', priority: 'none' } },
      { type: 'task.updated', data: { id: '{One}' } },
    ],
    keep: { redoSecond: 'operation_ids.0', redoFirst: 'operation_ids.1' },
  },
  {
    send: UNDO_MANY,
    body: { ids: ['{first}', '{second}'] },
    status: 200,
    reply: { operation_count: 0, undone_count: 0, operation_ids: [] },
  },
  {
    send: UNDO_MANY,
    body: { ids: ['{redoSecond}', '{redoFirst}'] },
    status: 200,
    reply: { operation_count: 2, undone_count: 2 },
    events: [
      { type: 'task.updated', data: { id: '{One}', priority: 'high' } },
      { type: 'task.updated', data: { id: '{Two}' } },
    ],
  },
  {
    ...validationFailedStep(
      UNDO_MANY,
      { ids: ['{first}', 'opr_7zzzzzzzzzzzzzzzzzzzzzzzzz'] },
      { 'ids[1]': 'invalid_reference' },
    ),
  },
  {
    ...validationFailedStep(UNDO_MANY, { ids: ['{first}'] }, { 'ids[0]': 'invalid_reference' }),
    as: 'member',
  },
  ...validationFailedSteps(UNDO_MANY, [
    [{ ids: ['{first}'], since: '2027-01-01T00:00:00Z' }, { ids: 'conflicting_fields' }],
    [{ ids: ['tsk_1'] }, { 'ids[0]': 'invalid_reference' }],
    [{ user_id: '{owner}' }, { since: 'required' }],
    [{}, { since: 'required' }],
  ]),
])

scenario('what an API key has done is undone, and nothing else of its person', [
  createTaskStep('Task'),
  {
    send: 'GET /api/v1/me',
    as: 'member',
    status: 200,
    keep: { key: 'credential.id' },
  },
  {
    send: 'GET /api/v1/tasks/{Task}',
    status: 200,
    keep: { since: 'created_at' },
  },
  patchTaskStep('Task', { title: 'Of the key', priority: 'high' }, { as: 'member' }),
  createTaskStep('Made', {}, { as: 'member' }),
  patchTaskStep('Task', { due_date: '2099-01-01' }, { as: 'member session' }),
  patchTaskStep('Task', { title: 'Of the owner' }),
  {
    send: `${UNDO_MANY}?dry_run=true`,
    body: { since: '{since}', credential_id: '{key}' },
    status: 200,
    reply: { operation_count: 2, undone_count: 2, left_count: 1 },
  },
  {
    send: UNDO_MANY,
    body: { since: '{since}', credential_id: '{key}' },
    status: 200,
    reply: {
      operation_count: 2,
      undone_count: 2,
      left: [{ record_id: '{Task}', field: 'title', code: 'changed_since' }],
    },
    events: ['task.deleted', 'task.updated'],
  },
  gone('tasks/{Made}'),
  get('tasks/{Task}', { title: 'Of the owner', priority: 'none', due_date: '2099-01-01' }),
])

scenario('a deletion that somebody has repeated since is theirs', [
  createTaskStep('Task'),
  deleteTaskStep('Task'),
  newest('deleted'),
  restoreTaskStep('Task', { as: 'admin', events: ['task.updated'] }),
  { send: 'DELETE /api/v1/tasks/{Task}', as: 'admin', status: 204, events: ['task.deleted'] },
  refused('deleted', [{ field: '', code: 'changed_since', resource_id: '{Task}' }]),
  gone('tasks/{Task}'),
])

scenario('an undo of a day keeps the time that somebody has set since', [
  createTaskStep('Task', { due_date: '2027-01-10' }),
  patchTaskStep('Task', { due_date: '2027-01-12' }),
  newest('dated'),
  patchTaskStep('Task', { due_at: '2027-01-12T15:00:00Z' }, { as: 'member' }),
  refused('dated', [{ field: 'due_date', code: 'changed_since' }]),
  undoRest('dated', [{ field: 'due_date' }]),
  get('tasks/{Task}', { due_date: '2027-01-12', due_at: '2027-01-12T15:00:00.000Z' }),
  patchTaskStep('Task', { due_at: '2027-01-13T10:00:00Z' }),
  newest('timed'),
  patchTaskStep('Task', { due_at: '2027-01-13T15:00:00Z' }, { as: 'member' }),
  undoRest('timed', [{ field: 'due_at' }, { field: 'due_date' }]),
  get('tasks/{Task}', { due_date: '2027-01-13', due_at: '2027-01-13T15:00:00.000Z' }),
])

const DAILY = { rrule: 'FREQ=DAILY', basis: 'due_date' }

scenario('an undone reopening does not end the recurrence that somebody has set since', [
  createTaskStep('Task', { due_date: '2027-01-10', status: 'done' }),
  patchTaskStep('Task', { status: 'todo', priority: 'high' }),
  newest('reopened'),
  patchTaskStep('Task', { recurrence: DAILY }, { as: 'member' }),
  undoRest('reopened', [{ field: 'status' }], { events: ['task.updated'] }),
  get('tasks/{Task}', { status: 'todo', priority: 'none', recurrence: DAILY }),
])

scenario('a value that is none any more is left, and the rest undone', [
  tagStep('project', 'lost', 'lost'),
  tagStep('project', 'kept', 'kept'),
  createTaskStep('Task', { tag_ids: ['{lost}', '{kept}'] }),
  patchTaskStep('Task', { title: 'Renamed', tag_ids: [] }),
  newest('changed'),
  { send: 'DELETE /api/v1/tags/{lost}', status: 204, events: ['tag.deleted'] },
  undoRest('changed', [{ field: 'tag_ids' }], { events: ['task.updated'] }),
  get('tasks/{Task}', { title: 'Task', tag_ids: ['{kept}'] }),
])

scenario('a new prefix of the project is no change of a task', [
  createTaskStep('Task'),
  newest('created'),
  {
    ...undo('created', { events: ['task.deleted'] }),
    prepare: prepareProjectChange('project', { prefix: 'NEW' }),
  },
])

scenario('a redone deletion of a tag leaves it where somebody has put it since', [
  tagStep('project', 'bug', 'tag'),
  createTaskStep('One', { tag_ids: ['{tag}'] }),
  createTaskStep('Two'),
  { send: 'DELETE /api/v1/tags/{tag}', status: 204, events: ['tag.deleted'] },
  newest('deleted'),
  undo('deleted', { events: ['tag.created'] }),
  newest('restored'),
  patchTaskStep('One', { tag_ids: [] }, { as: 'member' }),
  patchTaskStep('Two', { tag_ids: ['{tag}'] }, { as: 'member' }),
  refused('restored', [{ field: '', code: 'changed_since', resource_id: '{tag}' }]),
])

const startTimer = (name: string, task: string): ScenarioStep => ({
  send: `POST /api/v1/tasks/{${task}}/time-entries`,
  body: { running: true },
  status: 201,
  keep: { [name]: 'id' },
})

scenario('a start of a timer that stopped another one is undone and redone', [
  createTaskStep('One'),
  createTaskStep('Two'),
  { ...startTimer('first', 'One'), events: ['time_entry.created'] },
  { ...startTimer('second', 'Two'), events: ['time_entry.updated', 'time_entry.created'] },
  newest('started'),
  undo('started', { events: ['time_entry.deleted', 'time_entry.updated'] }),
  get('time-entries/{first}', { is_running: true }),
  newest('undone'),
  undo('undone', { events: ['time_entry.updated', 'time_entry.created'] }),
  get('time-entries/{first}', { is_running: false }),
  get('time-entries/{second}', { is_running: true }),
])

scenario('a place that somebody has changed since is said to be left', [
  createTaskStep('One'),
  createTaskStep('Two'),
  createTaskStep('Three'),
  patchTaskStep('Three', { before_id: '{One}' }),
  newest('placed'),
  patchTaskStep('Three', { after_id: '{One}' }, { as: 'member' }),
  refused('placed', [{ field: 'position', code: 'changed_since' }]),
  tasks('One', 'Three', 'Two'),
])
