import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { query } from '#db/core/statement.ts'
import { copyTaskRows } from '#test/support/data/copied-tasks.ts'
import { ENGINES } from '#test/support/engines/test-docket.ts'
import { scenario } from '#test/support/scenario/scenario.ts'
import { createTaskStep } from '#test/support/scenario/steps.ts'
import { openTestClient } from '#test/support/world/test-client.ts'
import { addTagLink } from './store.ts'

const COPIES = 1_100

const taggedTasks = query((db) => db.selectFrom('tasks').select('id').where('tag_ids', '<>', '[]'))
const tagLinks = query((db) => db.selectFrom('task_tags').select('task_id'))

for (const engine of ENGINES) {
  test(`merging and deleting a tag reaches more tasks than one statement changes, on ${engine}`, async () => {
    const { storage, team, send } = await openTestClient(engine)
    const { workspace, project } = team
    const create = async (url: string, body: object): Promise<string> =>
      (await send(`POST ${url}`, body)).id
    const tag_id = await create(`/api/v1/projects/${project}/tags`, { name: 'common' })
    const body = { project_id: project, title: 'Tagged', tag_ids: [tag_id] }
    const task = await create('/api/v1/tasks', body)
    const copies = await copyTaskRows(storage, workspace, task, { series: 1, count: COPIES })
    const actor = { ...ANONYMOUS_ACTOR, workspace_id: workspace }
    await storage.write(actor, (tx) =>
      tx.runEach(
        addTagLink,
        copies.map((task_id) => ({ tag_id, task_id })),
      ),
    )
    const count = () =>
      storage.read(actor, async (tx) => [
        (await tx.all(taggedTasks, {})).length,
        (await tx.all(tagLinks, {})).length,
      ])
    assert.deepEqual(await count(), [COPIES + 1, COPIES + 1])
    const other = await create(`/api/v1/projects/${project}/tags`, { name: 'other' })
    const merged = await send(`POST /internal/tags/${tag_id}/merge`, { into_id: other })
    assert.equal(merged.task_count, COPIES + 1)
    assert.deepEqual(await count(), [COPIES + 1, COPIES + 1])
    await send(`DELETE /api/v1/tags/${other}`)
    assert.deepEqual(await count(), [0, 0])
  })
}

const newTag = (name: string, project = 'project') => ({
  send: `POST /api/v1/projects/{${project}}/tags`,
  body: { name },
  status: 201,
  events: ['tag.created'],
  keep: { [name]: 'id' },
})
const taggedTask = (title: string, ...tags: string[]) =>
  createTaskStep(title, { tag_ids: tags.map((name) => `{${name}}`) })
const tagsOfTask = (title: string, ...tags: string[]) => ({
  send: `GET /api/v1/tasks/{${title}}`,
  status: 200,
  check: ({ body }: { body: unknown }, known: Record<string, string>) =>
    assert.deepEqual(
      (body as { tag_ids: string[] }).tag_ids.toSorted(),
      tags.map((name) => known[name]).toSorted(),
    ),
  reply: { version: 1 },
})
const merging = {
  send: 'POST /internal/tags/{ops}/merge',
  as: 'member session',
  body: { into_id: '{infra}' },
} as const

scenario('merging a tag gives its tasks the other one, with one event', [
  newTag('infra'),
  newTag('ops'),
  newTag('docs'),
  newTag('secret', 'hidden'),
  taggedTask('One', 'docs', 'ops'),
  taggedTask('Both', 'ops', 'infra'),
  taggedTask('Neither', 'docs'),
  taggedTask('Deleted', 'ops'),
  { send: 'DELETE /api/v1/tasks/{Deleted}', status: 204, events: ['task.deleted'] },
  ...['{ops}', '{secret}', 'tag_01k2m3n4p5q6r7s8t9v0w1x2y3'].map((into_id) => ({
    ...merging,
    as: 'session' as const,
    body: { into_id },
    status: 422,
    reply: { error: { details: [{ field: 'into_id', code: 'invalid_reference' }] } },
  })),
  { ...merging, as: 'guest session', status: 403 },
  {
    send: 'POST /internal/templates',
    as: 'session',
    body: { task_id: '{Both}', name: 'Release' },
    status: 201,
    keep: { template: 'id' },
  },
  {
    ...merging,
    status: 200,
    reply: { id: '{infra}', name: 'infra', task_count: 2 },
    events: [
      {
        type: 'tag.deleted',
        project_id: '{project}',
        actor: { user_id: '{member}' },
        data: { id: '{ops}', name: 'ops', task_count: 2 },
        changes: {},
      },
    ],
  },
  tagsOfTask('One', 'docs', 'infra'),
  tagsOfTask('Both', 'infra'),
  tagsOfTask('Neither', 'docs'),
  {
    send: 'GET /internal/templates/{template}',
    as: 'session',
    status: 200,
    check: ({ body }, { infra }) =>
      assert.deepEqual((body as { tasks: { tag_ids: string[] }[] }).tasks[0]?.tag_ids, [infra]),
  },
  { send: 'GET /api/v1/tags/{ops}', status: 404 },
  { ...merging, status: 404 },
  {
    send: 'POST /api/v1/tasks/{Deleted}/restore',
    status: 200,
    events: ['task.updated'],
    check: ({ body }, { infra }) =>
      assert.deepEqual((body as { tag_ids: string[] }).tag_ids, [infra]),
  },
  { send: 'GET /api/v1/tags/{infra}', status: 200, reply: { task_count: 3 } },
])
