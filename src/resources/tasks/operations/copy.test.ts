import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callApi, callApiForJson } from '#test/support/api/call-api.ts'
import { ENGINES, openTestDocket } from '#test/support/engines/test-docket.ts'
import { scenario } from '#test/support/scenario/scenario.ts'
import {
  createTaskStep,
  listStep,
  prepareProjectChange,
  rejectedStep,
} from '#test/support/scenario/steps.ts'
import { createTestClock } from '#test/support/system/test-clock.ts'
import { createTestSession } from '#test/support/world/test-session.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import type { Task } from '../fields.ts'

const COPY = 'POST /internal/tasks/{Top}/copy'
const TREE = [
  createTaskStep(
    'Top',
    { assignee_ids: ['{member}'], priority: 'high', due_date: '2026-05-01', status: 'done' },
    { events: ['task.created', 'task.assigned'] },
  ),
  createTaskStep('Outside'),
  createTaskStep('B', { parent_id: '{Top}', estimate_seconds: 60, blocked_by_ids: ['{Outside}'] }),
  createTaskStep('A', {
    parent_id: '{Top}',
    before_id: '{B}',
    blocked_by_ids: ['{B}'],
    custom_fields: { size: 3 },
  }),
  createTaskStep('A1', { parent_id: '{A}', external_source: 'x', external_id: '1' }),
]

/** The titles of all tasks of the project, as an indented tree. */
const shape = (body: unknown, since: number): string[] => {
  const { data } = body as { data: Task[] }
  const title = (id: string | null) => data.find((one) => one.id === id)?.title ?? '-'
  return data
    .filter(({ number }) => number > since)
    .map((task) => {
      const { parent_id, blocked_by_ids, status } = task
      return `${task.title} in ${title(parent_id)} after ${blocked_by_ids.map(title)} ${status}`
    })
}

scenario('copies a task with its subtasks and the dependencies among them', [
  ...TREE,
  {
    send: COPY,
    as: 'member session',
    status: 201,
    reply: {
      made: 4,
      task: {
        title: 'Top',
        status: 'todo',
        completed_at: null,
        priority: 'high',
        assignee_ids: ['{member}'],
        due_date: '2026-05-01',
        subtask_count: 2,
        completed_subtask_count: 0,
        created_by_id: '{member}',
      },
    },
    events: [
      { type: 'task.created', data: { title: 'Top', subtask_count: 2 } },
      'task.assigned',
      { type: 'task.created', data: { title: 'A', custom_fields: { size: 3 } } },
      { type: 'task.created', data: { title: 'A1', external_id: null } },
      { type: 'task.created', data: { title: 'B', estimate_seconds: 60 } },
    ],
    keep: { copy: 'task.id' },
  },
  {
    send: 'GET /api/v1/projects/{project}/tasks',
    status: 200,
    check: ({ body }) =>
      assert.deepEqual(shape(body, 5), [
        'Top in - after  todo',
        'A in Top after B todo',
        'A1 in A after  todo',
        'B in Top after  todo',
      ]),
  },
  // Deleting the top copy deletes all copies.
  { send: 'DELETE /api/v1/tasks/{copy}', status: 204, events: Array(4).fill('task.deleted') },
  listStep('/api/v1/projects/{project}/tasks?sort=number', ['Top', 'Outside', 'B', 'A', 'A1']),
])

scenario('optionally keeps statuses, and optionally leaves out subtasks', [
  ...TREE,
  {
    send: COPY,
    as: 'session',
    body: { subtasks: false, keep_status: true },
    status: 201,
    reply: { made: 1, task: { status: 'done', completed_by_id: '{owner}', subtask_count: 0 } },
    events: ['task.created', 'task.assigned'],
  },
])

scenario('an idempotency key copies a task only once', [
  createTaskStep('Top'),
  {
    send: COPY,
    as: 'session',
    headers: { 'idempotency-key': 'one' },
    status: 201,
    events: ['task.created'],
    keep: { copy: 'task.id' },
  },
  {
    send: COPY,
    as: 'session',
    headers: { 'idempotency-key': 'one' },
    status: 201,
    reply: { task: { id: '{copy}' } },
    replyHeaders: { 'idempotency-replayed': 'true' },
  },
])

scenario('copies no invisible task and nothing in an archived project', [
  createTaskStep('Secret', { project_id: '{hidden}' }),
  createTaskStep('Top'),
  rejectedStep('POST /internal/tasks/{Secret}/copy', 404, 'not_found', { as: 'member session' }),
  rejectedStep(COPY, 409, 'project_archived', {
    as: 'session',
    prepare: prepareProjectChange('project', { archived: true }),
  }),
])

scenario('leaves removed members out of the copy', [
  createTaskStep(
    'Top',
    { assignee_ids: ['{member}'] },
    { events: ['task.created', 'task.assigned'] },
  ),
  {
    send: 'DELETE /internal/members/{member}',
    as: 'session',
    status: 204,
    events: ['member.removed'],
  },
  {
    send: COPY,
    as: 'session',
    status: 201,
    reply: { task: { assignee_ids: [] } },
    events: ['task.created'],
  },
])

for (const engine of ENGINES) {
  test(`counts the tasks that copies and templates make, over all sessions of a workspace (${engine})`, async () => {
    const clock = createTestClock()
    const { storage, server } = await openTestDocket(engine, { DOCKET_LIMIT_PAID: '8' }, { clock })
    const [team, elsewhere] = [
      await createTestWorkspace(storage),
      await createTestWorkspace(storage),
    ]
    const signIn = async (role: 'owner' | 'member', where = team) =>
      (await createTestSession(storage, where, role)).headers
    const make = async ({ keys, project: project_id }: typeof team, parent_id?: string) => {
      const body = { project_id, title: 'T', ...(parent_id !== undefined && { parent_id }) }
      return (
        await callApiForJson(server, keys.owner, { method: 'POST', url: '/api/v1/tasks', body })
      ).id
    }
    const top = await make(team)
    for (const parent of [top, top]) await make(team, parent)
    const send = async (url: string, headers: Record<string, string>, body: object = {}) =>
      callApi(server, undefined, { method: 'POST', url, body, headers })
    const copy = async (headers: Record<string, string>, id = top) => {
      const { status, headers: replyHeaders } = await send(`/internal/tasks/${id}/copy`, headers)
      return [status, replyHeaders['retry-after']]
    }
    const owner = await signIn('owner')
    const template = await send('/internal/templates', owner, { task_id: top, name: 'Three' })
    const use = `/internal/templates/${JSON.parse(template.text).id}/use`
    assert.equal((await send(use, owner)).status, 201)
    clock.advance(30_000)
    // The request that reaches the limit is answered, however many tasks it makes.
    for (const role of ['owner', 'member'] as const)
      assert.deepEqual(await copy(await signIn(role)), [201, undefined])
    for (const role of ['owner', 'member'] as const)
      assert.deepEqual(await copy(await signIn(role)), [429, '30'])
    const refused = await send(use, owner)
    assert.deepEqual(
      [refused.status, JSON.parse(refused.text).error.code],
      [429, 'too_many_attempts'],
    )
    const other = await make(elsewhere)
    assert.deepEqual(await copy(await signIn('owner', elsewhere), other), [201, undefined])
    clock.advance(30_000)
    assert.deepEqual(await copy(owner), [201, undefined])
    const listed = await callApiForJson<{ data: unknown[] }>(server, team.keys.owner, {
      method: 'GET',
      url: `/api/v1/projects/${team.project}/tasks?limit=200`,
    })
    assert.equal(listed.data.length, 3 + 4 * 3)
  })
}
