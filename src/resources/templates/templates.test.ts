import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createUserActor } from '#core/actor.ts'
import { newId } from '#lib/id.ts'
import { callApi } from '#test/support/api/call-api.ts'
import { createTaskRecord } from '#test/support/data/task-record.ts'
import { ENGINES, openTestDocket } from '#test/support/engines/test-docket.ts'
import { scenario } from '#test/support/scenario/scenario.ts'
import {
  createTaskStep,
  prepareProjectChange,
  rejectedStep,
  tagStep,
  validationFailedStep,
} from '#test/support/scenario/steps.ts'
import { createTestSession } from '#test/support/world/test-session.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import type { Task } from '../tasks/fields.ts'
import type { Template } from './internal.ts'
import { insertTemplate } from './store.ts'
import { toTemplateTasks } from './template-tasks.ts'

const ALL = 'POST /internal/templates'
const ONE = '/internal/templates/{template}'
const saved = (more: object = {}) => ({
  send: ALL,
  as: 'member session' as const,
  body: { task_id: '{Top}', name: ' Release ' },
  status: 201,
  keep: { template: 'id' },
  ...more,
})

/** A release from 1 to 10 May, with a tag, an assignee and three subtasks. */
const TREE = [
  tagStep('project', 'release', 'tag'),
  createTaskStep(
    'Top',
    {
      assignee_ids: ['{member}'],
      tag_ids: ['{tag}'],
      priority: 'high',
      status: 'done',
      start_date: '2026-05-01',
      due_at: '2026-05-10T15:00:00Z',
    },
    { events: ['task.created', 'task.assigned'] },
  ),
  createTaskStep('B', { parent_id: '{Top}', due_date: '2026-05-04', estimate_seconds: 60 }),
  createTaskStep('A', { parent_id: '{Top}', before_id: '{B}', blocked_by_ids: ['{B}'] }),
  createTaskStep('A1', { parent_id: '{A}' }),
]

scenario('saves a task as a template with relative dates, and creates tasks from it', [
  ...TREE,
  saved({
    reply: {
      name: 'Release',
      project_id: '{project}',
      task_count: 4,
      created_by_id: '{member}',
      tasks: [
        {
          title: 'Top',
          start_in_days: 0,
          due_in_days: 9,
          due_time: '17:00',
          parent: null,
          assignee_ids: ['{member}'],
          tag_ids: ['{tag}'],
          priority: 'high',
        },
        { title: 'A', parent: 0, blocked_by: [3], due_in_days: null },
        { title: 'A1', parent: 1 },
        { title: 'B', parent: 0, blocked_by: [], due_in_days: 3, estimate_seconds: 60 },
      ],
    },
  }),
  {
    send: 'GET /internal/templates?project_id={project}',
    as: 'guest session',
    status: 200,
    reply: { data: [{ id: '{template}', name: 'Release', task_count: 4 }], has_more: false },
  },
  // Winter time begins in between; the wall clock time stays.
  {
    send: `POST ${ONE}/use`,
    as: 'guest session',
    body: { on: '2026-10-20', title: 'Release 2' },
    headers: { 'idempotency-key': 'use' },
    status: 201,
    reply: {
      made: 4,
      task: {
        title: 'Release 2',
        status: 'todo',
        start_date: '2026-10-20',
        due_date: '2026-10-29',
        due_at: '2026-10-29T16:00:00.000Z',
        assignee_ids: ['{member}'],
        tag_ids: ['{tag}'],
        created_by_id: '{guest}',
        subtask_count: 2,
        priority: 'high',
      },
    },
    events: [
      { type: 'task.created', data: { title: 'Release 2' } },
      'task.assigned',
      { type: 'task.created', data: { title: 'A' } },
      { type: 'task.created', data: { title: 'A1' } },
      { type: 'task.created', data: { title: 'B', due_date: '2026-10-23' } },
    ],
    keep: { again: 'task.id' },
  },
  {
    send: `POST ${ONE}/use`,
    as: 'guest session',
    body: { on: '2026-10-20', title: 'Release 2' },
    headers: { 'idempotency-key': 'use' },
    status: 201,
    reply: { task: { id: '{again}' } },
  },
  {
    send: 'GET /api/v1/projects/{project}/tasks',
    status: 200,
    check: ({ body }) => {
      const { data } = body as { data: Task[] }
      const title = (id: string | null) => data.find((one) => one.id === id)?.title
      const a = data.filter((one) => one.title === 'A').at(-1)
      assert.deepEqual(
        [title(a?.parent_id ?? null), a?.blocked_by_ids.map(title)],
        ['Release 2', ['B']],
      )
    },
  },
])

scenario('changes, shortens and deletes a template', [
  ...TREE,
  saved(),
  {
    send: `PATCH ${ONE}`,
    as: 'admin session',
    body: {
      name: 'Lauf',
      tasks: [
        { from: 0, start_in_days: null, due_in_days: 2 },
        { from: 1, title: 'A!' },
      ],
    },
    status: 200,
    check: ({ body }) => {
      const { name, tasks, task_count } = body as Template
      assert.deepEqual(
        [name, task_count, tasks.map((one) => [one.title, one.parent, one.blocked_by])],
        [
          'Lauf',
          2,
          [
            ['Top', null, []],
            ['A!', 0, []],
          ],
        ],
      )
    },
  },
  rejectedStep(`PATCH ${ONE}`, 412, 'version_mismatch', {
    as: 'session',
    headers: { 'if-match': '"older"' },
    body: { name: 'x' },
  }),
  {
    ...validationFailedStep(
      `PATCH ${ONE}`,
      { tasks: [{ from: 0, start_in_days: 5 }, { from: 7 }] },
      { 'tasks[0].start_in_days': 'invalid_range', 'tasks[1].from': 'invalid_value' },
    ),
    as: 'session',
  },
  // A repeated request gets the first reply.
  ...[1, 2].map(() => ({
    send: `DELETE ${ONE}`,
    as: 'member session' as const,
    status: 204,
    headers: { 'idempotency-key': 'delete' },
  })),
  rejectedStep(`GET ${ONE}`, 404, 'not_found', { as: 'session' }),
])

scenario('removing a task of a template requires removing its subtasks', [
  ...TREE,
  saved(),
  {
    ...validationFailedStep(
      `PATCH ${ONE}`,
      { tasks: [{ from: 0 }, { from: 2 }] },
      { 'tasks[1].from': 'invalid_value' },
    ),
    as: 'session',
  },
])

scenario('guests only use templates; templates of hidden projects are hidden', [
  createTaskStep('Top'),
  createTaskStep('Secret', { project_id: '{hidden}' }),
  saved(),
  rejectedStep(ALL, 403, 'insufficient_role', { as: 'guest session', body: {} }),
  rejectedStep(`PATCH ${ONE}`, 403, 'insufficient_role', {
    as: 'guest session',
    body: { name: 'x' },
  }),
  rejectedStep(`DELETE ${ONE}`, 403, 'insufficient_role', { as: 'guest session' }),
  { ...saved({ as: 'session' }), body: { task_id: '{Secret}', name: 'S' }, keep: { secret: 'id' } },
  {
    send: 'GET /internal/templates',
    as: 'member session',
    status: 200,
    reply: { data: [{ id: '{template}' }] },
  },
  rejectedStep('GET /internal/templates/{secret}', 404, 'not_found', { as: 'member session' }),
  rejectedStep('POST /internal/templates/{secret}/use', 404, 'not_found', { as: 'member session' }),
  {
    ...validationFailedStep(
      ALL,
      { task_id: '{Secret}', name: 'S' },
      { task_id: 'invalid_reference' },
    ),
    as: 'member session',
  },
])

scenario('leaves out removed members and deleted tags', [
  ...TREE,
  saved({ as: 'admin session' }),
  { send: 'DELETE /api/v1/tags/{tag}', status: 204, events: ['tag.deleted'] },
  {
    send: 'DELETE /internal/members/{member}',
    as: 'session',
    status: 204,
    events: ['member.removed'],
  },
  {
    send: `POST ${ONE}/use`,
    as: 'session',
    status: 201,
    reply: { task: { assignee_ids: [], tag_ids: [] } },
    events: Array(4).fill('task.created'),
  },
])

scenario('rejects archived projects and dates out of range', [
  createTaskStep('Top', { start_date: '2026-05-01', due_date: '2026-05-03' }),
  saved(),
  {
    ...validationFailedStep(`POST ${ONE}/use`, { on: '9999-12-31' }, { on: 'invalid_range' }),
    as: 'session',
  },
  rejectedStep(`POST ${ONE}/use`, 409, 'project_archived', {
    as: 'session',
    prepare: prepareProjectChange('project', { archived: true }),
  }),
  rejectedStep(`DELETE ${ONE}`, 409, 'project_archived', { as: 'session' }),
])

scenario('a template has at most 200 tasks, a project at most 100 templates', [
  createTaskStep('Top'),
  ...[0, 100].map((from) => ({
    send: 'POST /api/v1/tasks/bulk',
    body: {
      operations: Array.from({ length: 100 }, (_, at) => ({
        op: 'create',
        data: { project_id: '{project}', title: `Task ${from + at}`, parent_id: '{Top}' },
      })),
    },
    status: 200,
    events: Array(100).fill('task.created') as string[],
  })),
  rejectedStep(ALL, 409, 'limit_reached', {
    as: 'session',
    body: { task_id: '{Top}', name: 'Too many' },
  }),
  ...Array.from({ length: 100 }, (_, at) => ({
    send: ALL,
    as: 'session' as const,
    body: { task_id: '{Top}', name: `T ${at}`, subtasks: false },
    status: 201,
  })),
  rejectedStep(ALL, 409, 'limit_reached', {
    as: 'session',
    body: { task_id: '{Top}', name: 'One more', subtasks: false },
  }),
])

for (const engine of ENGINES) {
  test(`a template that was stored before a field existed gives its tasks the default (${engine})`, async () => {
    const { storage, server } = await openTestDocket(engine)
    const team = await createTestWorkspace(storage)
    const actor = { ...createUserActor(team.people.owner, team.workspace), role: 'owner' as const }
    const tasks = toTemplateTasks([createTaskRecord()], 'UTC').map(
      ({ estimate_seconds: _, priority: __, ...rest }) => rest,
    )
    const id = await storage.write(actor, async (tx) => {
      const row = { id: newId('tpl', tx.nowMs), project_id: team.project, name: 'T', task_count: 1 }
      const made = { created_by_id: team.people.owner, created_at: tx.now, updated_at: tx.now }
      await tx.run(insertTemplate, { ...row, ...made, tasks: JSON.stringify(tasks) })
      return row.id
    })
    const { headers } = await createTestSession(storage, team, 'owner')
    const url = `/internal/templates/${id}/use`
    const call = { method: 'POST', url, headers, body: {} }
    const { status, text } = await callApi(server, undefined, call)
    assert.equal(status, 201, text)
    const { estimate_seconds, priority } = JSON.parse(text).task
    assert.deepEqual({ estimate_seconds, priority }, { estimate_seconds: null, priority: 'none' })
  })
}
