import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ensureAccount, NO_PASSWORD } from '#auth/users/accounts.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { addMember } from '#resources/members/membership.ts'
import { ENGINES } from '#test/support/engines/test-docket.ts'
import { CREATE_TASK_STEP } from '#test/support/scenario/create-task-step.ts'
import { scenario } from '#test/support/scenario/scenario.ts'
import { patchTaskStep } from '#test/support/scenario/steps.ts'
import { openTestClient } from '#test/support/world/test-client.ts'

const ENTRIES = '/api/v1/tasks/{task}/time-entries'
const ENTRY = '/api/v1/time-entries/{entry}'
const HALF_HOUR = { duration_seconds: 1800 }

const logged = {
  send: `POST ${ENTRIES}`,
  body: HALF_HOUR,
  status: 201,
  keep: { entry: 'id' },
  events: ['time_entry.created'],
}

/** The task has the sum of its finished entries, and no new version. */
const spent = (time_spent_seconds: number, task = '{task}') => ({
  send: `GET /api/v1/tasks/${task}`,
  status: 200,
  reply: { time_spent_seconds, version: 1 },
})

scenario('creates, reads, updates, lists and deletes time entries', [
  CREATE_TASK_STEP,
  {
    send: 'POST /api/v1/tasks/eng-1/time-entries',
    as: 'guest',
    body: { duration_seconds: 1800, note: ' Review\n', billable: true, spent_on: '2026-03-01' },
    status: 201,
    reply: {
      task_id: '{task}',
      project_id: '{project}',
      user_id: '{guest}',
      started_at: null,
      ended_at: null,
      duration_seconds: 1800,
      is_running: false,
      spent_on: '2026-03-01',
      note: ' Review\n',
      billable: true,
      source: 'api',
      created_by_id: '{guest}',
    },
    events: [
      {
        type: 'time_entry.created',
        project_id: '{project}',
        data: { task_id: '{task}', user_id: '{guest}', duration_seconds: 1800 },
        changes: {},
      },
    ],
    replyHeaders: {
      location: /\/api\/v1\/time-entries\/tme_/,
      etag: /^"[0-9a-z]+-[0-9a-f]{8}"$/,
      'x-operation-id': /^opr_/,
    },
    keep: { entry: 'id', created: 'updated_at' },
  },
  spent(1800),
  { send: `GET ${ENTRY}`, status: 200, reply: { id: '{entry}' } },
  {
    send: `PATCH ${ENTRY}`,
    as: 'guest',
    body: { duration_seconds: 60, note: null, billable: false, spent_on: '2026-03-02' },
    status: 200,
    reply: { duration_seconds: 60, note: null, billable: false, spent_on: '2026-03-02' },
    events: [
      {
        type: 'time_entry.updated',
        data: { id: '{entry}', duration_seconds: 60 },
        changes: {
          duration_seconds: { from: 1800, to: 60 },
          note: { from: ' Review\n', to: null },
          billable: { from: true, to: false },
          spent_on: { from: '2026-03-01', to: '2026-03-02' },
        },
      },
    ],
    check: ({ body }, { created }) =>
      assert.ok(String((body as { updated_at: string }).updated_at) > String(created)),
    keep: { changed: 'updated_at' },
  },
  spent(60),
  {
    send: `PATCH ${ENTRY}`,
    as: 'guest',
    body: { duration_seconds: 60, note: null, billable: false, running: false },
    status: 200,
    reply: { updated_at: '{changed}' },
    replyHeaders: { 'x-operation-id': null },
  },
  { send: `GET ${ENTRIES}`, status: 200, reply: { data: [{ id: '{entry}' }], has_more: false } },
  {
    send: `DELETE ${ENTRY}`,
    as: 'guest',
    status: 204,
    events: [
      {
        type: 'time_entry.deleted',
        project_id: '{project}',
        data: { id: '{entry}', duration_seconds: 60 },
        changes: {},
      },
    ],
  },
  spent(0),
  { send: `GET ${ENTRY}`, status: 404 },
  { send: `DELETE ${ENTRY}`, status: 404 },
  { send: `GET ${ENTRIES}`, status: 200, reply: { data: [] } },
])

scenario('a span counts for the day of its start in the time zone of the user', [
  CREATE_TASK_STEP,
  {
    ...logged,
    body: { started_at: '2026-03-01T23:30:00+00:00', ended_at: '2026-03-02T00:15:00.9Z' },
    reply: {
      started_at: '2026-03-01T23:30:00.000Z',
      ended_at: '2026-03-02T00:15:00.900Z',
      duration_seconds: 2700,
      spent_on: '2026-03-02',
    },
  },
  {
    send: `PATCH ${ENTRY}`,
    body: { started_at: '2026-02-28T23:00:00-02:00' },
    status: 200,
    reply: { duration_seconds: 83_700, spent_on: '2026-03-02' },
    events: ['time_entry.updated'],
  },
  spent(83_700),
  {
    send: `PATCH ${ENTRY}`,
    body: { duration_seconds: 60 },
    status: 200,
    reply: { ended_at: '2026-03-01T01:01:00.000Z', duration_seconds: 60 },
    events: ['time_entry.updated'],
  },
  {
    ...logged,
    body: { started_at: '1970-01-01T00:00:00Z', duration_seconds: 1, spent_on: '1970-01-01' },
  },
  spent(61),
])

scenario('hides time entries from users who do not see the task', [
  { ...CREATE_TASK_STEP, body: { project_id: '{hidden}', title: 'Secret' } },
  logged,
  ...(['member', 'guest', 'stranger'] as const).flatMap((as) => [
    { send: `GET ${ENTRIES}`, as, status: 404 },
    { send: `POST ${ENTRIES}`, as, body: { user_id: '{owner}' }, status: 404 },
    { send: `GET ${ENTRY}`, as, status: 404 },
    { send: `PATCH ${ENTRY}`, as, body: HALF_HOUR, status: 404 },
    { send: `DELETE ${ENTRY}`, as, status: 404 },
  ]),
  { send: `GET ${ENTRY}`, as: 'nobody', status: 401 },
  { send: `POST ${ENTRIES}`, as: ['time_entries:read'], body: HALF_HOUR, status: 403 },
  { send: `GET ${ENTRY}`, as: 'admin', status: 200 },
  {
    send: `POST ${ENTRIES}`,
    body: { ...HALF_HOUR, user_id: '{member}' },
    status: 422,
    reply: { error: { details: [{ field: 'user_id', code: 'not_a_member' }] } },
  },
])

scenario('only owners and admins log and change the time of others', [
  CREATE_TASK_STEP,
  {
    ...logged,
    as: 'admin',
    body: { ...HALF_HOUR, user_id: '{guest}' },
    reply: { user_id: '{guest}', created_by_id: '{admin}' },
  },
  ...(['member', 'guest'] as const).map((as) => ({
    send: `POST ${ENTRIES}`,
    as,
    body: { user_id: '{owner}', nonsense: 1 },
    status: 403,
    reply: { error: { code: 'insufficient_role' } },
  })),
  { send: `POST ${ENTRIES}`, as: 'member', body: { user_id: 'usr_1' }, status: 422 },
  { send: `POST ${ENTRIES}`, as: 'member', body: '[{"user_id":"{owner}"}]', status: 422 },
  { send: `POST ${ENTRIES}`, as: 'member', body: 'null', status: 422 },
  { ...logged, as: 'member', body: { ...HALF_HOUR, user_id: '{member}' }, keep: { other: 'id' } },
  { send: `PATCH ${ENTRY}`, as: 'member', body: { note: 5 }, status: 403 },
  { send: `DELETE ${ENTRY}`, as: 'member', status: 403 },
  {
    send: `PATCH ${ENTRY}`,
    as: 'guest',
    body: { note: 'Mine' },
    status: 200,
    events: ['time_entry.updated'],
  },
  {
    send: 'PATCH /api/v1/time-entries/{other}',
    as: 'owner',
    body: { note: 'x' },
    status: 200,
    events: ['time_entry.updated'],
  },
  {
    send: 'DELETE /api/v1/time-entries/{other}',
    as: 'admin',
    status: 204,
    events: ['time_entry.deleted'],
  },
  spent(1800),
])

scenario('If-Match guards changes, and a dry run changes nothing', [
  CREATE_TASK_STEP,
  logged,
  { send: `PATCH ${ENTRY}`, headers: { 'if-match': '"0"' }, body: { note: 5 }, status: 412 },
  { send: `DELETE ${ENTRY}`, headers: { 'if-match': '"0"' }, status: 412 },
  {
    send: `POST ${ENTRIES}?dry_run=true`,
    body: HALF_HOUR,
    status: 201,
    replyHeaders: { 'x-dry-run': 'true', location: null, etag: null, 'x-operation-id': null },
  },
  { send: `PATCH ${ENTRY}?dry_run=true`, body: { note: 'x' }, status: 200, reply: { note: 'x' } },
  { send: `DELETE ${ENTRY}?dry_run=true`, status: 204 },
  { send: `GET ${ENTRY}`, status: 200, reply: { note: null } },
  spent(1800),
  {
    send: `DELETE ${ENTRY}`,
    headers: { 'if-match': '*' },
    status: 204,
    events: ['time_entry.deleted'],
  },
])

scenario('time entries follow their task to another project, and into deletion', [
  CREATE_TASK_STEP,
  logged,
  patchTaskStep('task', { project_id: '{hidden}' }, { reply: { time_spent_seconds: 1800 } }),
  { send: `GET ${ENTRY}`, status: 200, reply: { project_id: '{hidden}' } },
  { send: `GET ${ENTRY}`, as: 'guest', status: 404 },
  { send: `GET ${ENTRIES}`, status: 200, reply: { data: [{ project_id: '{hidden}' }] } },
  { send: `GET ${ENTRIES.replace('{task}', '{short_id}')}`, status: 200 },
  { send: 'DELETE /api/v1/tasks/{task}', status: 204, events: ['task.deleted'] },
  { send: `GET ${ENTRY}`, status: 404 },
  { send: `PATCH ${ENTRY}`, body: { note: 'x' }, status: 404 },
  { send: `DELETE ${ENTRY}`, status: 404 },
  { send: `GET ${ENTRIES}`, status: 404 },
  { send: `POST ${ENTRIES}`, body: HALF_HOUR, status: 404 },
])

for (const engine of ENGINES) {
  test(`spent_on uses the time zone of the user, not of the actor (${engine})`, async () => {
    const { storage, team, send } = await openTestClient(engine)
    const { workspace, project } = team
    const user_id = await storage.write(
      { ...ANONYMOUS_ACTOR, workspace_id: workspace },
      async (tx) => {
        const email = `far@${workspace.slice(4)}.example`
        const account = { email, name: 'Far', timezone: 'America/New_York' }
        const person = await ensureAccount(tx, account, NO_PASSWORD)
        await addMember(tx, { ...person, role: 'member' })
        return person.user_id
      },
    )
    const task = await send('POST /api/v1/tasks', { project_id: project, title: 'Far' })
    const spentOn = async (started_at: string, whose?: string) => {
      const body = { started_at, duration_seconds: 60, ...(whose && { user_id: whose }) }
      return (await send(`POST /api/v1/tasks/${task.id}/time-entries`, body)).spent_on
    }

    assert.equal(await spentOn('2026-03-02T01:00:00Z'), '2026-03-02')
    assert.equal(await spentOn('2026-03-02T01:00:00Z', user_id), '2026-03-01')
    assert.equal(await spentOn('1970-01-01T01:00:00Z', user_id), '1970-01-01', 'no day is earlier')
  })
}
