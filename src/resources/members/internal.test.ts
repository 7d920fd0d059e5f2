import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { ENGINES, openTestDocket } from '#test/support/engines/test-docket.ts'
import { scenario } from '#test/support/scenario/scenario.ts'
import { createTaskStep, rejectedStep } from '#test/support/scenario/steps.ts'
import { createTestClock } from '#test/support/system/test-clock.ts'
import { createTestSession } from '#test/support/world/test-session.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import { changeRole } from './membership.ts'
import { otherOwner } from './membership-store.ts'

const role = { error: { code: 'insufficient_role' } }
const missing = { error: { code: 'not_found' } }
const lastOwner = { error: { code: 'last_owner' } }
const unknown = 'usr_01k2m3n4p5q6r7s8t9v0w1x2y3'

scenario('owners and admins change roles; only owners change owners', [
  {
    send: 'PATCH /internal/members/{guest}',
    as: 'admin session',
    body: { role: 'admin' },
    status: 200,
    reply: { id: '{guest}', role: 'admin', status: 'active' },
    events: [
      {
        type: 'member.updated',
        actor: { type: 'user', user_id: '{admin}' },
        data: { id: '{guest}', role: 'admin', name: 'The guest' },
        changes: { role: { from: 'guest', to: 'admin' } },
      },
    ],
    replyHeaders: { etag: null, 'x-operation-id': /^opr_/ },
  },
  // Takes effect with the next request of the user.
  { send: 'GET /api/v1/webhooks', as: 'guest', status: 200 },
  {
    send: 'PATCH /internal/members/{guest}',
    as: 'session',
    body: { role: 'admin' },
    status: 200,
    replyHeaders: { 'x-operation-id': null },
  },
  { send: 'PATCH /internal/members/{guest}', as: 'session', body: {}, status: 200 },
  {
    send: 'PATCH /internal/members/{guest}',
    as: 'session',
    body: { role: 'guest' },
    status: 200,
    events: ['member.updated'],
  },
  { send: 'GET /api/v1/webhooks', as: 'guest', status: 403 },
  ...(['member', 'guest'] as const).map((who) => ({
    send: `PATCH /internal/members/{${who}}`,
    as: `${who} session` as const,
    body: { role: 'guest' },
    status: 403,
    reply: role,
  })),
  rejectedStep('PATCH /internal/members/{owner}', 403, 'insufficient_role', {
    as: 'admin session',
    body: { role: 'x' },
  }),
  rejectedStep('PATCH /internal/members/{admin}', 403, 'insufficient_role', {
    as: 'admin session',
    body: { role: 'owner' },
  }),
  rejectedStep('PATCH /internal/members/{owner}', 409, 'last_owner', {
    as: 'session',
    body: { role: 'admin' },
  }),
  { send: `PATCH /internal/members/${unknown}`, as: 'session', body: {}, status: 404 },
  {
    send: 'PATCH /internal/members/{member}',
    as: 'session',
    body: { role: 'king', name: 'X', email: 1 },
    status: 422,
    reply: {
      error: {
        details: [
          { field: 'role', code: 'invalid_value' },
          { field: 'name', code: 'read_only_field' },
          { field: 'email', code: 'read_only_field' },
        ],
      },
    },
  },
  {
    send: 'PATCH /internal/members/{admin}',
    as: 'session',
    body: { role: 'owner' },
    status: 200,
    events: ['member.updated'],
  },
  {
    send: 'PATCH /internal/members/{owner}',
    as: 'admin session',
    body: { role: 'guest' },
    status: 200,
    events: ['member.updated'],
  },
  { send: 'GET /internal/members', as: 'session', status: 404 },
])

const clock = createTestClock()

scenario(
  'owners and admins remove members, owners remove owners, everybody may leave',
  [
    { send: 'DELETE /internal/members/{guest}', as: 'member session', status: 403, reply: role },
    { send: 'DELETE /internal/members/{owner}', as: 'admin session', status: 403, reply: role },
    { send: 'DELETE /internal/members/{owner}', as: 'session', status: 409, reply: lastOwner },
    { send: `DELETE /internal/members/${unknown}`, as: 'guest session', status: 404 },
    { send: 'GET /api/v1/me', as: 'stranger', status: 200, keep: { stranger: 'user.id' } },
    { send: 'DELETE /internal/members/{stranger}', as: 'session', status: 404 },
    createTaskStep('Timed'),
    {
      send: 'POST /api/v1/tasks/{Timed}/time-entries',
      as: 'guest',
      body: { running: true },
      status: 201,
      events: ['time_entry.created'],
      keep: { timer: 'id' },
    },
    {
      prepare: async () => clock.advance(90_500),
      send: 'DELETE /internal/members/{guest}',
      as: 'admin session',
      status: 204,
      events: [
        {
          type: 'member.removed',
          actor: { type: 'user', user_id: '{admin}' },
          data: { id: '{guest}', status: 'removed' },
          changes: {},
        },
        {
          type: 'time_entry.updated',
          data: { id: '{timer}', is_running: false, duration_seconds: 90 },
        },
      ],
    },
    {
      send: 'GET /api/v1/tasks/{Timed}',
      status: 200,
      reply: { time_spent_seconds: 90, version: 1 },
    },
    {
      send: 'GET /api/v1/workspace/members?status=removed',
      status: 200,
      reply: { data: [{ id: '{guest}', status: 'removed' }] },
    },
    { send: 'GET /api/v1/me', as: 'guest', status: 401 },
    { send: 'DELETE /internal/members/{guest}', as: 'session', status: 404, reply: missing },
    rejectedStep('PATCH /internal/members/{guest}', 404, 'not_found', {
      as: 'session',
      body: { role: 'member' },
    }),
    {
      send: 'DELETE /internal/members/{member}',
      as: 'member session',
      status: 204,
      events: ['member.removed'],
    },
    {
      prepare: (tx, { admin: id = '' }) => changeRole(tx, { id, role: 'admin' }, 'owner'),
      send: 'DELETE /internal/members/{owner}',
      as: 'session',
      status: 204,
      events: ['member.removed'],
    },
    {
      send: 'GET /api/v1/workspace/members',
      as: 'admin',
      status: 200,
      reply: { data: [{ id: '{admin}', role: 'owner' }] },
    },
    {
      send: 'DELETE /internal/members/{admin}',
      as: 'admin session',
      status: 409,
      reply: lastOwner,
    },
  ],
  {},
  { clock },
)

const leadProject = (project: string) => ({
  send: `PATCH /internal/projects/{${project}}`,
  as: 'session' as const,
  body: { lead_id: '{member}' },
  status: 200,
  events: ['project.updated'],
})

scenario('a lead who becomes a guest leads only projects whose people list they are in', [
  leadProject('project'),
  leadProject('hidden'),
  { send: 'PUT /internal/projects/{project}/people/{member}', as: 'session', status: 204 },
  {
    send: 'PATCH /internal/members/{member}',
    as: 'session',
    body: { role: 'guest' },
    status: 200,
    events: [
      'member.updated',
      { type: 'project.updated', data: { id: '{hidden}', lead_id: null } },
    ],
  },
  { send: 'GET /api/v1/projects/{project}', status: 200, reply: { lead_id: '{member}' } },
])

for (const engine of ENGINES) {
  test(`one owner stays if two owners demote or remove each other concurrently (${engine})`, async () => {
    const { storage, server, config } = await openTestDocket(engine)
    for (const method of ['PATCH', 'DELETE'] as const) {
      const team = await createTestWorkspace(storage)
      const system = { workspace_id: team.workspace, role: 'owner' } as const
      await storage.write({ ...ANONYMOUS_ACTOR, ...system }, (tx) =>
        changeRole(tx, { id: team.people.admin, role: 'admin' }, 'owner'),
      )
      const [one, other] = [
        await createTestSession(storage, team, 'owner', config.baseUrl),
        await createTestSession(storage, team, 'admin', config.baseUrl),
      ]
      const act = ({ headers }: typeof one, id: string) =>
        server.inject({
          method,
          url: `/internal/members/${id}`,
          headers,
          ...(method === 'PATCH' && { payload: { role: 'member' } }),
        })
      const replies = await Promise.all([
        act(one, team.people.admin),
        act(other, team.people.owner),
      ])
      const codes = replies.map(({ statusCode, body }) =>
        statusCode < 300 ? 'done' : JSON.parse(body).error.code,
      )
      // The later request fails with `last_owner`, or because its actor is no longer an owner.
      const refused = ['last_owner', 'insufficient_role', 'authentication_required']
      const no = codes.filter((code) => code !== 'done')
      assert.ok(no.length === 1 && refused.includes(no[0]), `${method}: ${codes}`)
      const owners = await storage.read({ ...ANONYMOUS_ACTOR, ...system }, (tx) =>
        tx.all(otherOwner, { user_id: '' }),
      )
      assert.equal(owners.length, 1, method)
    }
  })
}
