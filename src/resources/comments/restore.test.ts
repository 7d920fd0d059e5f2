import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recountStoredBytes } from '#db/workspaces/stored-bytes.ts'
import { emptyTrash } from '#jobs/purges.ts'
import { openFreshDocket } from '#test/support/engines/fresh-docket.ts'
import { ENGINES } from '#test/support/engines/test-docket.ts'
import { CREATE_TASK_STEP } from '#test/support/scenario/create-task-step.ts'
import { recordChanges } from '#test/support/scenario/recorded-changes.ts'
import { type ScenarioStep, scenario } from '#test/support/scenario/scenario.ts'
import {
  deleteTaskStep,
  listStep,
  moveTaskStep,
  prepareProjectChange,
  rejectedStep,
  restoreTaskStep,
} from '#test/support/scenario/steps.ts'
import { createTestClock } from '#test/support/system/test-clock.ts'
import { createTestClient } from '#test/support/world/test-client.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const COMMENTS = '/api/v1/tasks/{task}/comments'

/** Adds a comment and keeps its id under its text. */
const commentStep = (text: string, more: Partial<ScenarioStep> = {}): ScenarioStep => ({
  send: `POST ${COMMENTS}`,
  body: { body: text },
  status: 201,
  events: ['comment.created'],
  keep: { [text]: 'id' },
  ...more,
})

const deleteStep = (text: string, more: Partial<ScenarioStep> = {}): ScenarioStep => ({
  send: `DELETE /api/v1/comments/{${text}}`,
  status: 204,
  events: ['comment.deleted'],
  ...more,
})

const restoreLine = (text: string) => `POST /internal/comments/{${text}}/restore`

const restoreStep = (text: string, more: Partial<ScenarioStep> = {}): ScenarioStep => ({
  send: restoreLine(text),
  as: 'session',
  status: 200,
  events: ['comment.created'],
  ...more,
})

const trashStep = (names: string[], as: ScenarioStep['as'] = 'session'): ScenarioStep =>
  listStep('/internal/trash/comments', names, { as })

scenario('puts a restored comment back where it was, for whoever follows the events', [
  CREATE_TASK_STEP,
  commentStep('First'),
  commentStep('quokka', {
    as: 'guest',
    body: { body: 'A quokka, <@{member}>' },
    keep: { quokka: 'id', created: 'created_at', updated: 'updated_at' },
  }),
  commentStep('Reply', { body: { body: 'Reply', parent_id: '{quokka}' } }),
  deleteStep('quokka', { as: 'guest' }),
  {
    send: 'GET /internal/trash/comments',
    as: 'guest session',
    status: 200,
    reply: {
      has_more: false,
      data: [
        {
          id: '{quokka}',
          task_id: '{task}',
          task_short_id: '{short_id}',
          project_id: '{project}',
          author_id: '{guest}',
          deleted_by_id: '{guest}',
          excerpt: 'A quokka, <@{member}>',
        },
      ],
    },
    check: ({ body }) => {
      const [one] = (body as { data: Record<string, string>[] }).data
      const days = Date.parse(one?.purged_at ?? '') - Date.parse(one?.deleted_at ?? '')
      assert.equal(days, 30 * DAY_MS)
    },
  },
  { send: 'GET /internal/search?q=quokka', as: 'session', status: 200, reply: { data: [] } },
  {
    send: 'GET /internal/notifications?kind=mentioned',
    as: 'member session',
    status: 200,
    check: ({ body }) => assert.deepEqual((body as { data: unknown[] }).data, []),
  },
  restoreStep('quokka', {
    as: 'guest session',
    reply: {
      id: '{quokka}',
      body: 'A quokka, <@{member}>',
      author_id: '{guest}',
      mentions: ['{member}'],
      created_at: '{created}',
      edited_at: null,
    },
    events: [
      {
        type: 'comment.created',
        project_id: '{project}',
        actor: { user_id: '{guest}' },
        data: { id: '{quokka}', created_at: '{created}', body: 'A quokka, <@{member}>' },
      },
    ],
    check: ({ body }, { updated = '' }) =>
      assert.ok((body as { updated_at: string }).updated_at > updated),
  }),
  listStep(COMMENTS, ['First', 'quokka', 'Reply']),
  { send: 'GET /api/v1/tasks/{task}', status: 200, reply: { comment_count: 3 } },
  {
    send: 'GET /internal/search?q=quokka',
    as: 'session',
    status: 200,
    reply: { data: [{ comment_id: '{quokka}' }] },
  },
  {
    send: 'GET /internal/tasks/{task}/activity',
    as: 'session',
    status: 200,
    reply: {
      data: [{ kind: 'created' }, { kind: 'comment_deleted' }, { kind: 'comment_restored' }],
    },
  },
  {
    send: 'GET /internal/notifications?kind=mentioned',
    as: 'member session',
    status: 200,
    reply: { data: [{ comment: { id: '{quokka}' } }] },
    check: ({ body }) => assert.equal((body as { data: unknown[] }).data.length, 1),
  },
  trashStep([], 'guest session'),
  restoreStep('quokka', { events: [], replyHeaders: { 'x-operation-id': null } }),
])

scenario('lets those who may delete a comment see it in the trash and restore it', [
  CREATE_TASK_STEP,
  commentStep('Theirs', { as: 'member' }),
  commentStep('Ours', { as: 'owner' }),
  deleteStep('Theirs', { as: 'admin' }),
  deleteStep('Ours'),
  trashStep(['Ours', 'Theirs']),
  trashStep(['Ours', 'Theirs'], 'admin session'),
  trashStep(['Theirs'], 'member session'),
  trashStep([], 'guest session'),
  {
    send: 'GET /internal/trash/comments?limit=1',
    as: 'session',
    status: 200,
    reply: { data: [{ id: '{Ours}', deleted_by_id: '{owner}' }], has_more: true },
    keep: { next: 'next_cursor' },
  },
  {
    send: 'GET /internal/trash/comments?limit=1&cursor={next}',
    as: 'session',
    status: 200,
    reply: { data: [{ id: '{Theirs}', deleted_by_id: '{admin}' }], has_more: false },
  },
  ...(['guest session', 'member session'] as const).map((as) =>
    rejectedStep(restoreLine('Ours'), 403, 'insufficient_role', { as }),
  ),
  rejectedStep(restoreLine('Ours'), 401, 'authentication_required', { as: 'nobody' }),
  rejectedStep(restoreLine('Ours'), 403, 'session_required'),
  restoreStep('Theirs', { as: 'member session' }),
  restoreStep('Ours', { as: 'admin session' }),
  rejectedStep(restoreLine('Ours'), 403, 'insufficient_role', { as: 'guest session' }),
])

scenario('hides deleted comments with their task, and follows it into another project', [
  CREATE_TASK_STEP,
  commentStep('Theirs', { as: 'member' }),
  deleteStep('Theirs', { as: 'member' }),
  deleteTaskStep('task'),
  trashStep([], 'member session'),
  rejectedStep(restoreLine('Theirs'), 404, 'not_found', { as: 'session' }),
  restoreTaskStep('task', { reply: { comment_count: 0 } }),
  trashStep(['Theirs'], 'member session'),
  moveTaskStep('task', 'hidden'),
  trashStep([], 'member session'),
  trashStep(['Theirs']),
  rejectedStep(restoreLine('Theirs'), 404, 'not_found', { as: 'member session' }),
  restoreStep('Theirs', { events: [{ type: 'comment.created', project_id: '{hidden}' }] }),
  rejectedStep('POST /internal/comments/cmt_01k2m3n4p5q6r7s8t9v0w1x2y3/restore', 404, 'not_found', {
    as: 'session',
  }),
])

scenario('restores no comment in an archived project', [
  CREATE_TASK_STEP,
  commentStep('Gone'),
  deleteStep('Gone'),
  rejectedStep(restoreLine('Gone'), 409, 'project_archived', {
    as: 'session',
    prepare: prepareProjectChange('project', { archived: true }),
  }),
  trashStep(['Gone']),
])

const clock = createTestClock()
/** Advances the clock before a step. */
const later = (days: number) => async () => clock.advance(days * DAY_MS)

scenario(
  'a comment cannot be restored after 30 days',
  [
    CREATE_TASK_STEP,
    commentStep('Gone'),
    deleteStep('Gone'),
    { ...trashStep(['Gone'], 'admin session'), prepare: later(29.9) },
    // Sessions end after seven days without use.
    { ...trashStep([], 'member session'), prepare: later(0.2) },
    rejectedStep(restoreLine('Gone'), 404, 'not_found', { as: 'session' }),
  ],
  {},
  { clock },
)

for (const engine of ENGINES) {
  test(`tells those alone whom a deleted or restored task or comment has notified (${engine})`, async () => {
    const docket = await openFreshDocket(engine)
    const { storage } = docket
    const team = await createTestWorkspace(storage)
    const { send } = createTestClient(docket, team)
    const title = { project_id: team.project, title: 'Discussed' }
    const { id: task } = await send('POST /api/v1/tasks', title)
    const body = `For <@${team.people.member}>`
    const { id } = await send(`POST /api/v1/tasks/${task}/comments`, { body })
    const { hints, close } = recordChanges(storage, team.workspace)
    for (const request of [
      `DELETE /api/v1/comments/${id}`,
      `POST /internal/comments/${id}/restore`,
      `DELETE /api/v1/tasks/${task}`,
      `POST /api/v1/tasks/${task}/restore`,
    ]) {
      await send(request)
      const told = hints.splice(0).filter(({ hint }) => hint.noun === 'notification')
      assert.deepEqual(
        told.map(({ only_for }) => only_for),
        [team.people.member],
        request,
      )
    }
    close()
  })

  test(`keeps the bytes of a deleted comment until it is purged (${engine})`, async () => {
    const purgeClock = createTestClock()
    const docket = await openFreshDocket(engine, {}, { clock: purgeClock })
    const { storage } = docket
    const team = await createTestWorkspace(storage)
    const { send } = createTestClient(docket, team)
    const readUse = async () => {
      await recountStoredBytes(storage, team.workspace)
      return (await send('GET /internal/workspace/usage')).storage.used
    }
    const purge = async () => {
      for (const step = emptyTrash(storage, 30); await step(); );
    }
    const title = { project_id: team.project, title: 'Discussed' }
    const { id: task } = await send('POST /api/v1/tasks', title)
    const ids: string[] = []
    for (const text of ['early', 'late', 'kept']) {
      const body = text.repeat(10_000)
      ids.push((await send(`POST /api/v1/tasks/${task}/comments`, { body })).id)
    }
    const [early, late] = ids
    const full = await readUse()
    await send(`DELETE /api/v1/comments/${early}`)
    purgeClock.advance(20 * DAY_MS)
    await send(`DELETE /api/v1/comments/${late}`)
    assert.ok((await readUse()) > full, 'a deletion adds its event and gives nothing back')

    purgeClock.advance(11 * DAY_MS)
    const before = await readUse()
    await purge()
    const freed = before - (await readUse())
    assert.ok(freed > 50_000 && freed < 60_000, `${freed} bytes`)
    const { data } = await send('GET /internal/trash/comments')
    assert.deepEqual(
      data.map(({ id }: { id: string }) => id),
      [late],
    )

    // The rest goes with its task.
    await send(`DELETE /api/v1/tasks/${task}`)
    purgeClock.advance(31 * DAY_MS)
    await purge()
  })
}
