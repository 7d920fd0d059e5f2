import { scenario } from '#test/support/scenario/scenario.ts'

scenario('creates a task with defaults', [
  {
    send: 'POST /api/v1/tasks',
    body: { project_id: '{project}', title: '  Ship the importer ' },
    status: 201,
    reply: {
      project_id: '{project}',
      number: 1,
      short_id: 'ENG-1',
      title: 'Ship the importer',
      description: null,
      status: 'todo',
      status_category: 'unstarted',
      completed_at: null,
      priority: 'none',
      assignee_ids: [],
      version: 1,
      created_by_id: '{owner}',
      deleted_at: null,
    },
    replyHeaders: { location: /\/api\/v1\/tasks\/tsk_/, etag: /^"1-[0-9a-f]{8}"$/ },
    events: ['task.created'],
    keep: { task: 'id' },
  },
  { send: 'GET /api/v1/tasks/{task}', status: 200, reply: { id: '{task}', short_id: 'ENG-1' } },
  { send: 'GET /api/v1/tasks/eng-1', status: 200, reply: { id: '{task}' } },
  { send: 'GET /api/v1/tasks/ENG-2', status: 404, reply: { error: { code: 'not_found' } } },
  { send: 'GET /api/v1/tasks/{task}', as: 'stranger', status: 404 },
  {
    send: 'GET /api/v1/projects/{project}',
    status: 200,
    reply: { task_counts: { total: 1, unstarted: 1 } },
  },
])

scenario('emits the changed fields, and no event if nothing differs', [
  {
    send: 'POST /api/v1/tasks',
    body: { project_id: '{project}', title: 'Plan' },
    status: 201,
    events: ['task.created'],
    keep: { task: 'id' },
  },
  {
    send: 'PATCH /api/v1/tasks/{task}',
    body: { priority: 'high', custom_fields: { budget: 1200 } },
    status: 200,
    reply: { priority: 'high', version: 2, custom_fields: { budget: 1200 } },
    events: ['task.updated'],
  },
  {
    send: 'PATCH /api/v1/tasks/{task}',
    body: { priority: 'high', custom_fields: {} },
    status: 200,
    reply: { version: 2 },
    replyHeaders: { 'x-operation-id': null },
  },
  {
    send: 'PATCH /api/v1/tasks/{task}',
    body: { assignee_ids: ['{member}'] },
    status: 200,
    events: ['task.assigned'],
  },
  {
    send: 'PATCH /api/v1/tasks/{task}',
    body: { add_assignee_ids: ['{admin}'], title: 'Plan it' },
    status: 200,
    reply: { version: 4 },
    events: ['task.updated', 'task.assigned'],
  },
  {
    send: 'POST /api/v1/tasks/{task}/complete',
    status: 200,
    reply: { status: 'done', status_category: 'completed', completed_by_id: '{owner}' },
    events: ['task.completed'],
  },
  { send: 'POST /api/v1/tasks/{task}/complete', status: 200, reply: { version: 5 } },
  {
    send: 'PATCH /api/v1/tasks/{task}',
    body: { status: 'todo' },
    status: 200,
    reply: { completed_at: null, completed_by_id: null },
    events: ['task.updated'],
  },
])

scenario('deletes and restores a task with its subtasks', [
  {
    send: 'POST /api/v1/tasks',
    body: { project_id: '{project}', title: 'Parent' },
    status: 201,
    events: ['task.created'],
    keep: { parent: 'id' },
  },
  {
    send: 'POST /api/v1/tasks',
    body: { project_id: '{project}', title: 'Child', parent_id: '{parent}' },
    status: 201,
    events: ['task.created'],
    keep: { child: 'id' },
  },
  { send: 'GET /api/v1/tasks/{parent}', status: 200, reply: { subtask_count: 1, version: 1 } },
  {
    send: 'DELETE /api/v1/tasks/{parent}',
    status: 204,
    events: ['task.deleted', 'task.deleted'],
  },
  { send: 'GET /api/v1/tasks/{child}', status: 404 },
  { send: 'GET /api/v1/tasks', status: 200, reply: { data: [] } },
  {
    send: 'GET /api/v1/tasks?deleted=only',
    status: 200,
    reply: { data: [{ id: '{child}' }, { id: '{parent}' }] },
  },
  {
    send: 'POST /api/v1/tasks/{parent}/restore',
    status: 200,
    reply: { deleted_at: null, subtask_count: 1, version: 3 },
    events: ['task.updated', 'task.updated'],
  },
  { send: 'POST /api/v1/tasks/{parent}/restore', status: 200 },
  { send: 'GET /api/v1/tasks/{child}', status: 200, reply: { parent_id: '{parent}' } },
])

scenario('resolves the former short id after a move to another project', [
  {
    send: 'POST /api/v1/tasks',
    body: { project_id: '{project}', title: 'Mover' },
    status: 201,
    events: ['task.created'],
    keep: { task: 'id' },
  },
  {
    send: 'PATCH /api/v1/tasks/{task}',
    body: { project_id: '{hidden}' },
    status: 200,
    reply: { short_id: 'HID-1', project_id: '{hidden}' },
    events: ['task.updated'],
  },
  { send: 'GET /api/v1/tasks/ENG-1', status: 200, reply: { short_id: 'HID-1' } },
  {
    send: 'PATCH /api/v1/tasks/{task}',
    body: { project_id: '{project}' },
    status: 200,
    reply: { short_id: 'ENG-1' },
    events: ['task.updated'],
  },
  { send: 'GET /api/v1/tasks/HID-1', status: 200, reply: { short_id: 'ENG-1' } },
  { send: 'GET /api/v1/tasks?q=hid-1', status: 200, reply: { data: [{ id: '{task}' }] } },
  // The capital of a dotless i is I, but it is another letter.
  { send: 'GET /api/v1/tasks?q=h%C4%B1d-1', status: 200, reply: { data: [] } },
])

scenario('finds tasks by words and by short id', [
  {
    send: 'POST /api/v1/tasks',
    body: { project_id: '{project}', title: 'Überprüfung der 日本 Zahlen', description: 'x-ray' },
    status: 201,
    events: ['task.created'],
    keep: { task: 'id' },
  },
  { send: 'GET /api/v1/tasks?q=zah%20ÜBERP', status: 200, reply: { data: [{ id: '{task}' }] } },
  { send: 'GET /api/v1/tasks?q=本', status: 200, reply: { data: [{ id: '{task}' }] } },
  { send: 'GET /api/v1/tasks?q=ray', status: 200, reply: { data: [{ id: '{task}' }] } },
  { send: 'GET /api/v1/tasks?q=eng-1', status: 200, reply: { data: [{ id: '{task}' }] } },
  { send: 'GET /api/v1/tasks?q=prüfung', status: 200, reply: { data: [], has_more: false } },
  { send: 'GET /api/v1/tasks?q=--', status: 200, reply: { data: [] } },
])

scenario('bulk operations succeed atomically or one by one', [
  {
    send: 'POST /api/v1/tasks/bulk',
    body: {
      operations: [
        { op: 'create', data: { project_id: '{project}', title: 'One' } },
        { op: 'create', data: { project_id: '{project}', title: '' } },
      ],
    },
    status: 422,
    reply: { error: { details: [{ field: 'operations[1].data.title', code: 'too_short' }] } },
  },
  {
    send: 'POST /api/v1/tasks/bulk',
    body: {
      atomic: false,
      operations: [
        { op: 'create', data: { project_id: '{project}', title: 'One' } },
        { op: 'create', data: { project_id: '{project}', title: '' } },
        { op: 'complete', id: 'tsk_01k2m3n4p5q6r7s8t9v0w1x2y3' },
      ],
    },
    status: 200,
    reply: {
      results: [
        { index: 0, status: 201, data: { number: 1 }, error: null },
        { index: 1, status: 422, data: null },
        { index: 2, status: 404, error: { code: 'not_found' } },
      ],
      succeeded: 1,
      failed: 2,
    },
    replyHeaders: { 'x-operation-id': null },
    events: ['task.created'],
  },
])
