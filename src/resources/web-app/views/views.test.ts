import assert from 'node:assert/strict'
import { test } from 'node:test'
import { removeMember } from '#resources/members/membership.ts'
import { ENGINES } from '#test/support/engines/test-docket.ts'
import { scenario } from '#test/support/scenario/scenario.ts'
import { rejectedStep } from '#test/support/scenario/steps.ts'
import { openTestClient } from '#test/support/world/test-client.ts'
import { MAX_OWN_VIEWS } from './internal.ts'

const VIEWS = '/internal/views'
const OF_PROJECT = 'GET /internal/projects/{project}/views'
const role = { error: { code: 'insufficient_role' } }
const invalid = (field: string, code: string) => ({
  error: { code: 'validation_failed', details: [{ field, code }] },
})
const idsOf = (body: unknown) => (body as { data: { id: string }[] }).data.map(({ id }) => id)

scenario('saves private views and views shared with everybody who sees the project', [
  {
    send: `POST ${VIEWS}`,
    as: 'member session',
    status: 201,
    keep: { own: 'id' },
    body: {
      project_id: '{project}',
      name: ' Due soon ',
      view: 'timeline',
      f: 'due:<7d',
      sort: '-priority',
      group: 'assignee',
    },
    reply: {
      project_id: '{project}',
      name: 'Due soon',
      view: 'timeline',
      f: 'due:<7d',
      sort: '-priority',
      group: 'assignee',
      is_shared: false,
      created_by_id: '{member}',
    },
  },
  {
    send: `POST ${VIEWS}`,
    as: 'member session',
    status: 201,
    keep: { ours: 'id' },
    body: { project_id: '{project}', name: 'Ours', is_shared: true },
    reply: {
      view: 'list',
      f: '',
      sort: 'position',
      group: 'status',
      lanes: 'none',
      is_shared: true,
    },
  },
  {
    send: `POST ${VIEWS}`,
    as: 'member session',
    status: 201,
    keep: { again: 'id' },
    body: { project_id: '{project}', name: 'Again' },
    headers: { 'idempotency-key': 'again' },
  },
  {
    send: `POST ${VIEWS}`,
    as: 'member session',
    status: 201,
    reply: { id: '{again}' },
    body: { project_id: '{project}', name: 'Again' },
    headers: { 'idempotency-key': 'again' },
  },
  {
    send: OF_PROJECT,
    as: 'member session',
    status: 200,
    check: ({ body }, { own, ours, again }) => assert.deepEqual(idsOf(body), [own, ours, again]),
  },
  { send: `DELETE ${VIEWS}/{again}`, as: 'member session', status: 204 },
  {
    send: OF_PROJECT,
    as: 'guest session',
    status: 200,
    check: ({ body }, { ours }) => assert.deepEqual(idsOf(body), [ours]),
  },
  { send: `PATCH ${VIEWS}/{own}`, as: 'session', status: 404, body: { name: 'X' } },
  { send: `DELETE ${VIEWS}/{own}`, as: 'session', status: 404 },
  rejectedStep(`PATCH ${VIEWS}/{ours}`, 403, 'insufficient_role', {
    as: 'guest session',
    body: { name: 'X' },
  }),
  { send: `DELETE ${VIEWS}/{ours}`, as: 'guest session', status: 403, reply: role },
  {
    send: `PATCH ${VIEWS}/{ours}`,
    as: 'admin session',
    status: 200,
    body: { name: 'All of ours', f: 'assignee:me', view: 'board', lanes: 'assignee' },
    reply: { name: 'All of ours', view: 'board', lanes: 'assignee', is_shared: true },
  },
  rejectedStep(`PATCH ${VIEWS}/{ours}`, 403, 'insufficient_role', {
    as: 'admin session',
    body: { is_shared: false },
  }),
  {
    send: `PATCH ${VIEWS}/{ours}`,
    as: 'member session',
    status: 200,
    body: { is_shared: false },
    reply: { is_shared: false, f: 'assignee:me', lanes: 'assignee' },
  },
  {
    send: OF_PROJECT,
    as: 'session',
    status: 200,
    check: ({ body }) => assert.deepEqual(idsOf(body), []),
  },
  {
    send: `PATCH ${VIEWS}/{ours}`,
    as: 'member session',
    status: 200,
    body: { is_shared: true },
    reply: { is_shared: true },
  },
  // Shared views outlive their creator; nobody sees private ones any more.
  {
    send: OF_PROJECT,
    as: 'session',
    status: 200,
    prepare: (tx, { member = '' }) => removeMember(tx, member),
    check: ({ body }, { ours }) => assert.deepEqual(idsOf(body), [ours]),
  },
  { send: `DELETE ${VIEWS}/{ours}`, as: 'session', status: 204 },
  { send: `DELETE ${VIEWS}/{ours}`, as: 'session', status: 404 },
])

const OF_ALL = { project_id: null, name: 'Bugs by project' }
const notShared = { error: { code: 'insufficient_role', message: 'Guests cannot share views.' } }

scenario('saves views of all projects, private ones or shared with the workspace', [
  {
    send: `POST ${VIEWS}`,
    as: 'guest session',
    status: 201,
    keep: { own: 'id' },
    body: { ...OF_ALL, f: 'tag:bug', sort: '-estimate', group: 'project' },
    reply: {
      project_id: null,
      name: 'Bugs by project',
      view: 'list',
      f: 'tag:bug',
      sort: '-estimate',
      group: 'project',
      lanes: 'none',
      is_shared: false,
      created_by_id: '{guest}',
    },
    events: [],
  },
  {
    send: `POST ${VIEWS}`,
    as: 'guest session',
    status: 403,
    body: { ...OF_ALL, is_shared: true },
    reply: notShared,
    events: [],
  },
  {
    send: `POST ${VIEWS}`,
    as: 'member session',
    status: 201,
    keep: { ours: 'id' },
    body: { ...OF_ALL, is_shared: true },
    reply: { project_id: null, is_shared: true },
    events: [],
  },
  {
    send: `GET ${VIEWS}`,
    as: 'guest session',
    status: 200,
    check: ({ body }, { own }) => assert.deepEqual(idsOf(body), [own]),
  },
  {
    send: `GET ${VIEWS}`,
    as: 'admin session',
    status: 200,
    check: ({ body }, { ours }) => assert.deepEqual(idsOf(body), [ours]),
  },
  {
    send: OF_PROJECT,
    as: 'guest session',
    status: 200,
    check: ({ body }) => assert.deepEqual(idsOf(body), []),
  },
  { send: `PATCH ${VIEWS}/{own}`, as: 'session', status: 404, body: { name: 'X' } },
  { send: `PATCH ${VIEWS}/{ours}`, as: 'guest session', status: 404, body: { name: 'X' } },
  { send: `DELETE ${VIEWS}/{ours}`, as: 'guest session', status: 404 },
  {
    send: `PUT ${VIEWS}/pins`,
    as: 'guest session',
    status: 422,
    body: { view_ids: ['{ours}'] },
    reply: invalid('view_ids[0]', 'invalid_reference'),
    events: [],
  },
  {
    send: `PUT ${VIEWS}/pins`,
    as: 'session',
    status: 200,
    body: { view_ids: ['{ours}'] },
    check: ({ body }, { ours }) => assert.deepEqual(idsOf(body), [ours]),
    events: [],
  },
  {
    send: 'GET /internal/boot',
    as: 'session',
    status: 200,
    reply: { views: [{ id: '{ours}', project_id: null }] },
  },
  {
    send: `PATCH ${VIEWS}/{ours}`,
    as: 'admin session',
    status: 200,
    body: { name: 'All bugs', view: 'timeline' },
    reply: { project_id: null, name: 'All bugs', view: 'timeline', is_shared: true },
    events: [],
  },
  {
    send: `PATCH ${VIEWS}/{ours}`,
    as: 'member session',
    status: 200,
    body: { is_shared: false },
    reply: { is_shared: false },
    events: [],
  },
  // It is pinned by somebody who does not see it any more.
  {
    send: 'GET /internal/boot',
    as: 'session',
    status: 200,
    check: ({ body }) => assert.deepEqual((body as { views: object[] }).views, []),
  },
  {
    send: `POST ${VIEWS}`,
    as: 'admin session',
    status: 201,
    keep: { theirs: 'id' },
    body: { ...OF_ALL, is_shared: true },
    events: [],
  },
  {
    send: `PATCH ${VIEWS}/{theirs}`,
    as: 'member session',
    status: 403,
    body: { name: 'X' },
    reply: {
      error: { message: 'Only its creator, owners and admins can change a shared view.' },
    },
    events: [],
  },
  // Who becomes a guest keeps the views that they have made.
  {
    send: `PATCH ${VIEWS}/{ours}`,
    as: 'member session',
    status: 200,
    body: { is_shared: true },
    events: [],
  },
  {
    send: 'PATCH /internal/members/{member}',
    as: 'session',
    status: 200,
    body: { role: 'guest' },
    events: ['member.updated'],
  },
  {
    send: `GET ${VIEWS}`,
    as: 'member session',
    status: 200,
    check: ({ body }, { ours }) => assert.deepEqual(idsOf(body), [ours]),
  },
  { send: `DELETE ${VIEWS}/{own}`, as: 'guest session', status: 204, events: [] },
  {
    send: `GET ${VIEWS}`,
    as: 'guest session',
    status: 200,
    check: ({ body }) => assert.deepEqual(idsOf(body), []),
  },
])

const NAME_IT_A = {
  send: `PATCH ${VIEWS}/{own}`,
  as: 'session' as const,
  body: { name: 'A' },
  headers: { 'if-match': '{first}', 'idempotency-key': 'a' },
}
const PIN_IT = {
  send: `PUT ${VIEWS}/pins`,
  as: 'session' as const,
  body: { view_ids: ['{own}'] },
  headers: { 'idempotency-key': 'pin' },
  reply: { data: [{ id: '{own}' }] },
}
const DELETE_IT = {
  send: `DELETE ${VIEWS}/{own}`,
  as: 'session' as const,
  status: 204,
  headers: { 'idempotency-key': 'delete' },
}

scenario('gives the first reply to a repeated change of a view, and changes nothing', [
  {
    send: `POST ${VIEWS}`,
    as: 'session',
    status: 201,
    keep: { own: 'id' },
    body: { project_id: '{project}', name: 'Own' },
    check({ body }, known) {
      const revision = Date.parse((body as { updated_at: string }).updated_at).toString(36)
      known.first = `"${revision}"`
    },
  },
  { ...NAME_IT_A, status: 200, reply: { name: 'A' } },
  { send: `PATCH ${VIEWS}/{own}`, as: 'session', status: 200, body: { name: 'B' } },
  { ...NAME_IT_A, status: 200, reply: { name: 'A' } },
  {
    ...NAME_IT_A,
    status: 412,
    headers: { 'if-match': '{first}', 'idempotency-key': 'c' },
    reply: { error: { code: 'version_mismatch' } },
  },
  { ...PIN_IT, status: 200 },
  { send: `PUT ${VIEWS}/pins`, as: 'session', status: 200, body: { view_ids: [] } },
  { ...PIN_IT, status: 200 },
  {
    send: 'GET /internal/boot',
    as: 'session',
    status: 200,
    check: ({ body }) => assert.deepEqual((body as { views: object[] }).views, []),
  },
  { send: OF_PROJECT, as: 'session', status: 200, reply: { data: [{ name: 'B' }] } },
  DELETE_IT,
  DELETE_IT,
])

scenario('validates the fields of a view and access to its project', [
  {
    send: `POST ${VIEWS}`,
    as: 'member session',
    status: 422,
    body: { project_id: '{hidden}', name: 'V' },
    reply: invalid('project_id', 'invalid_reference'),
  },
  {
    send: `POST ${VIEWS}`,
    as: 'session',
    status: 422,
    body: { project_id: '{project}', name: 'V', view: 'gantt' },
    reply: invalid('view', 'invalid_value'),
  },
  {
    send: `POST ${VIEWS}`,
    as: 'session',
    status: 422,
    body: { project_id: '{project}', name: 'V', f: 'x'.repeat(2_001) },
    reply: invalid('f', 'too_long'),
  },
  {
    send: `POST ${VIEWS}`,
    as: 'session',
    status: 422,
    body: { name: 'V' },
    reply: invalid('project_id', 'required'),
  },
  {
    send: `POST ${VIEWS}`,
    as: 'session',
    status: 422,
    body: { project_id: null, name: 'V', group: 'Due date' },
    reply: invalid('group', 'invalid_format'),
  },
  rejectedStep(`POST ${VIEWS}`, 403, 'insufficient_role', {
    as: 'guest session',
    body: { project_id: '{project}', name: 'V', is_shared: true },
  }),
  { send: 'GET /internal/projects/{hidden}/views', as: 'member session', status: 404 },
])

scenario('pins views in an order of each user', [
  ...['a', 'b'].map((name) => ({
    send: `POST ${VIEWS}`,
    as: 'session' as const,
    status: 201,
    keep: { [name]: 'id' },
    body: { project_id: '{project}', name, is_shared: true },
  })),
  {
    send: `POST ${VIEWS}`,
    as: 'session',
    status: 201,
    keep: { own: 'id' },
    body: { project_id: '{hidden}', name: 'own' },
  },
  {
    send: `PUT ${VIEWS}/pins`,
    as: 'session',
    status: 200,
    body: { view_ids: ['{b}', '{own}', '{a}'] },
    check: ({ body }, { a, b, own }) => assert.deepEqual(idsOf(body), [b, own, a]),
  },
  {
    send: `PUT ${VIEWS}/pins`,
    as: 'guest session',
    status: 200,
    body: { view_ids: ['{a}'] },
    reply: { data: [{ id: '{a}' }] },
  },
  {
    send: `PUT ${VIEWS}/pins`,
    as: 'guest session',
    status: 422,
    body: { view_ids: ['{a}', '{own}'] },
    reply: invalid('view_ids[1]', 'invalid_reference'),
  },
  {
    send: `PUT ${VIEWS}/pins`,
    as: 'session',
    status: 200,
    body: { view_ids: ['{a}', '{b}'] },
    check: ({ body }, { a, b }) => assert.deepEqual(idsOf(body), [a, b]),
  },
  { send: `DELETE ${VIEWS}/{a}`, as: 'session', status: 204 },
  {
    send: 'GET /internal/boot',
    as: 'session',
    status: 200,
    reply: { views: [{ id: '{b}', name: 'b' }] },
  },
  {
    send: 'GET /internal/boot',
    as: 'guest session',
    status: 200,
    check: ({ body }) => assert.deepEqual((body as { views: object[] }).views, []),
  },
])

for (const engine of ENGINES) {
  test(`a user has at most ${MAX_OWN_VIEWS} private views in a project, and of all (${engine})`, async () => {
    const { team, request } = await openTestClient(engine)
    for (const project_id of [team.project, null]) {
      const make = (name: string, is_shared: boolean) =>
        request(`POST ${VIEWS}`, { project_id, name, is_shared }, 'member')
      for (let n = 0; n < MAX_OWN_VIEWS; n += 1)
        assert.equal((await make(`${n}`, false)).status, 201)
      const over = await make('one more', false)
      assert.deepEqual([over.status, over.body.error.code], [409, 'limit_reached'])
      const shared = await make('shared', true)
      assert.equal(shared.status, 201)
      const back = await request(`PATCH ${VIEWS}/${shared.body.id}`, { is_shared: false }, 'member')
      assert.equal(back.status, 409)
    }
  })
}
