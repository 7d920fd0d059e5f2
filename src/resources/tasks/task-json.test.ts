import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { query, type Scoped } from '#db/core/statement.ts'
import { openTestDocket } from '#test/support/engines/test-docket.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import type { Task } from './fields.ts'
import { taskJson, taskJsonFields } from './task-json.ts'

/** Selects the stored JSON of every task, and the JSON built from its fields. */
const both = query((db, $: Scoped, dialect) =>
  db
    .selectFrom('tasks')
    .innerJoin('projects', (join) =>
      join
        .onRef('projects.workspace_id', '=', 'tasks.workspace_id')
        .onRef('projects.id', '=', 'tasks.project_id'),
    )
    .select([
      taskJson(dialect, $).as('is'),
      dialect.json<Task>('tasks', taskJsonFields($)).as('ought'),
    ])
    .where('tasks.workspace_id', '=', $.workspace_id),
)

test('the stored JSON of SQLite equals the JSON built from the fields', async () => {
  const { storage, server } = await openTestDocket('sqlite')
  const team = await createTestWorkspace(storage)
  const { project, people } = team
  const send = async (method: 'POST' | 'PATCH' | 'DELETE', url: string, payload: object = {}) => {
    const reply = await server.inject({
      method,
      url: `/api/v1${url}`,
      headers: { authorization: `Bearer ${team.keys.owner}`, 'content-type': 'application/json' },
      payload,
    })
    assert.ok(reply.statusCode < 300, reply.body)
    return reply.body === '' ? undefined : reply.json()
  }
  const tag = await send('POST', `/projects/${project}/tags`, { name: 'Kept' })
  const plain = await send('POST', '/tasks', { project_id: project, title: 'Plain' })
  const full = await send('POST', '/tasks', {
    project_id: project,
    title: 'Full of "quotes" \\ and ☕',
    description: 'Lines\n\tand "quotes"',
    priority: 'urgent',
    assignee_ids: [people.member, people.admin],
    tag_ids: [tag.id],
    start_date: '2026-01-01',
    due_at: '2026-03-31T10:00:00Z',
    parent_id: plain.id,
    estimate_seconds: 60,
    blocked_by_ids: [plain.id],
    recurrence: { rrule: 'FREQ=WEEKLY;BYDAY=MO' },
    custom_fields: { a: 'x"y', b: 1.5, c: true, d: ['e'] },
    external_source: 'test',
    external_id: 'id "1"',
    metadata: { k: 'v\\w' },
  })
  await send('POST', `/tasks/${full.id}/complete`)
  await send('POST', `/tasks/${full.id}/comments`, { body: 'Said' })
  await send('PATCH', `/tasks/${plain.id}`, { status: 'canceled' })
  await send('DELETE', `/tasks/${plain.id}`)
  const rows = await storage.read({ ...ANONYMOUS_ACTOR, workspace_id: team.workspace }, (tx) =>
    tx.all(both, {}),
  )
  assert.equal(rows.length, 3)
  for (const { is, ought } of rows) assert.equal(is, ought)
})
