import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { query, type Scoped } from '#db/core/statement.ts'
import { openTestClient } from '#test/support/world/test-client.ts'
import type { Task } from './fields.ts'
import { taskJson, taskJsonFields } from './task-json.ts'

/** Selects the stored JSON of every task, and the JSON built from its fields. */
const both = query((db, $: Scoped, dialect) =>
  db
    .selectFrom('tasks')
    .innerJoin('projects', 'projects.id', 'tasks.project_id')
    .select([
      taskJson(dialect, $).as('is'),
      dialect.json<Task>('tasks', taskJsonFields($)).as('ought'),
    ]),
)

test('the stored JSON of SQLite equals the JSON built from the fields', async () => {
  const { storage, team, send } = await openTestClient('sqlite')
  const { project, people } = team
  const tag = await send(`POST /api/v1/projects/${project}/tags`, { name: 'Kept' })
  const plain = await send('POST /api/v1/tasks', { project_id: project, title: 'Plain' })
  const full = await send('POST /api/v1/tasks', {
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
  await send(`POST /api/v1/tasks/${full.id}/complete`)
  await send(`POST /api/v1/tasks/${full.id}/comments`, { body: 'Said' })
  await send(`PATCH /api/v1/tasks/${plain.id}`, { status: 'canceled' })
  await send(`DELETE /api/v1/tasks/${plain.id}`)
  const rows = await storage.read({ ...ANONYMOUS_ACTOR, workspace_id: team.workspace }, (tx) =>
    tx.all(both, {}),
  )
  assert.equal(rows.length, 3)
  for (const { is, ought } of rows) assert.equal(is, ought)
})
