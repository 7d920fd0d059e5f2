import assert from 'node:assert/strict'
import { removeMember } from '#resources/members/membership.ts'
import { scenario } from '#test/support/scenario.ts'
import { DEFAULT_STATUSES } from './default-statuses.ts'

const url = 'POST /internal/projects'
const faults = (...details: object[]) => ({ error: { code: 'validation_failed', details } })
const role = { error: { code: 'insufficient_role' } }
const missing = { error: { code: 'not_found' } }
const full = {
  name: ' Harbour ',
  prefix: 'HAR',
  description: 'Where *ships* lie.',
  color: '#AABBCC',
  icon: '⚓',
  lead_id: '{member}',
  visibility: 'private',
  start_date: '2026-03-01',
  target_date: '2026-03-01',
  statuses: [
    { name: 'Erste Idee!', category: 'backlog' },
    { key: 'fertig', name: 'Fertig', category: 'completed', color: '#00FF00', position: 1 },
    { name: 'Fertig', category: 'completed' },
    { name: '完成', category: 'canceled' },
  ],
}
const statuses = [
  { key: 'erste_idee', name: 'Erste Idee!', category: 'backlog', color: '#94a3b8', position: 0 },
  { key: 'fertig', name: 'Fertig', category: 'completed', color: '#00ff00', position: 1 },
  { key: 'fertig_2', name: 'Fertig', category: 'completed', color: '#22c55e', position: 2 },
  { key: 'canceled', name: '完成', category: 'canceled', color: '#9ca3af', position: 3 },
]

scenario('a project is made by everybody but guests, and told to nobody', [
  {
    send: url,
    as: 'member session',
    body: { name: 'Café Zürich' },
    status: 201,
    reply: {
      name: 'Café Zürich',
      prefix: 'CAF',
      visibility: 'workspace',
      status: 'active',
      lead_id: null,
      created_by_id: '{member}',
      statuses: DEFAULT_STATUSES,
    },
    replyHeaders: { etag: /^"/, 'x-operation-id': /^opr_/, 'x-ratelimit-limit': null },
    keep: { made: 'id' },
  },
  { send: 'GET /api/v1/projects/{made}', as: 'admin', status: 200 },
  {
    send: 'GET /internal/projects/{made}/people',
    as: 'member session',
    status: 200,
    reply: { data: [{ id: '{member}' }], has_more: false },
  },
  {
    send: url,
    as: 'admin session',
    body: full,
    status: 201,
    reply: { ...full, name: 'Harbour', color: '#aabbcc', statuses },
    keep: { harbour: 'id' },
  },
  { send: 'GET /api/v1/projects/{harbour}', as: 'member', status: 200 },
  { send: url, as: 'session', body: { name: '漢' }, status: 201, reply: { prefix: 'PRJ' } },
  { send: url, as: 'session', body: { name: 'Caf' }, status: 201, reply: { prefix: 'CAF2' } },
  {
    send: url,
    as: 'session',
    body: { name: 'X', prefix: 'ENG' },
    status: 409,
    reply: { error: { code: 'prefix_taken' } },
  },
  { send: url, as: 'guest session', body: {}, status: 403, reply: role },
  { send: url, as: 'owner', body: {}, status: 403, reply: { error: { code: 'session_required' } } },
  {
    send: url,
    as: 'session',
    body: { prefix: 'e', id: 'prj_x', colour: 1, lead_id: 'me', start_date: '2026-02-30' },
    status: 422,
    reply: faults(
      { field: 'name', code: 'required' },
      { field: 'prefix', code: 'invalid_format' },
      { field: 'id', code: 'read_only_field' },
      { field: 'colour', code: 'unknown_field' },
      { field: 'lead_id', code: 'invalid_reference' },
      { field: 'start_date', code: 'invalid_format' },
    ),
  },
  {
    send: url,
    as: 'session',
    body: { name: 'X', start_date: '2026-03-02', target_date: '2026-03-01' },
    status: 422,
    reply: faults({ field: 'start_date', code: 'invalid_range' }),
  },
  ...['{guest}', 'usr_01k2m3n4p5q6r7s8t9v0w1x2y3'].map((lead_id) => ({
    send: url,
    as: 'session' as const,
    body: { name: 'X', lead_id, prefix: 'ENG' },
    status: 422,
    reply: faults({ field: 'lead_id', code: 'not_a_member' }),
  })),
])

scenario('the statuses of a project are whole or refused', [
  ...[
    [[], { field: 'statuses', code: 'too_few' }],
    [Array(31).fill({ name: 'A', category: 'started' }), { field: 'statuses', code: 'too_many' }],
    [[{ name: 'A', category: 'started' }], { field: 'statuses', code: 'invalid_value' }],
    [[{ name: 'A', category: 'completed' }], { field: 'statuses', code: 'invalid_value' }],
    [
      [
        { key: 'a', name: 'A', category: 'started', position: 1 },
        { key: 'a', name: ' ', category: 'completed' },
      ],
      { field: 'statuses[1].name', code: 'too_short' },
      { field: 'statuses[0].position', code: 'invalid_value' },
      { field: 'statuses[1].key', code: 'duplicate' },
    ],
    [
      [{ key: 'Ä', name: 'A', category: 'done', colour: '#000000' }, 1],
      { field: 'statuses[0].key', code: 'invalid_format' },
      { field: 'statuses[0].category', code: 'invalid_value' },
      { field: 'statuses[0].colour', code: 'unknown_field' },
      { field: 'statuses[1]', code: 'invalid_type' },
    ],
    [{}, { field: 'statuses', code: 'invalid_type' }],
  ].map(([given, ...details]) => ({
    send: 'PATCH /internal/projects/{project}',
    as: 'session' as const,
    body: { statuses: given },
    status: 422,
    check: ({ body }: { body: unknown }) => {
      const { error } = body as { error: { details: { field: string; code: string }[] } }
      const told = error.details.map(({ field, code }) => ({ field, code }))
      for (const one of details as object[]) {
        assert.ok(JSON.stringify(told).includes(JSON.stringify(one)), JSON.stringify([told, one]))
      }
    },
  })),
  {
    send: 'PATCH /internal/projects/{project}',
    as: 'session',
    body: { statuses: DEFAULT_STATUSES },
    status: 200,
    replyHeaders: { 'x-operation-id': null },
  },
])

const TODO = { key: 'todo', name: 'Todo', category: 'unstarted', color: '#64748b' }
const DONE = { key: 'done', name: 'Done', category: 'completed', color: '#22c55e' }

scenario('a status with tasks neither goes nor changes its category; deleted tasks find another', [
  {
    send: 'POST /api/v1/tasks',
    body: { project_id: '{project}', title: 'A', status: 'in_review' },
    status: 201,
    keep: { task: 'id' },
    events: ['task.created'],
  },
  {
    send: 'PATCH /internal/projects/{project}',
    as: 'session',
    body: { statuses: [TODO, DONE], prefix: 'HID' },
    status: 409,
    reply: { error: { code: 'status_in_use' } },
  },
  {
    send: 'PATCH /internal/projects/{project}',
    as: 'session',
    body: { statuses: [TODO, DONE, { ...TODO, key: 'in_review' }] },
    status: 409,
    reply: { error: { code: 'status_in_use' } },
  },
  {
    send: 'PATCH /internal/projects/{project}',
    as: 'session',
    body: {
      statuses: [{ ...TODO, key: 'in_review', name: 'Look', category: 'started' }, DONE, TODO],
    },
    status: 200,
    events: [
      {
        type: 'project.updated',
        actor: { type: 'user', user_id: '{owner}' },
        changes: {
          statuses: {
            from: DEFAULT_STATUSES,
            to: [
              { ...TODO, key: 'in_review', name: 'Look', category: 'started', position: 0 },
              { ...DONE, position: 1 },
              { ...TODO, position: 2 },
            ],
          },
        },
      },
    ],
  },
  { send: 'DELETE /api/v1/tasks/{task}', status: 204, events: ['task.deleted'] },
  {
    send: 'PATCH /internal/projects/{project}',
    as: 'session',
    body: { statuses: [TODO, { name: 'Done', category: 'completed' }] },
    status: 200,
    reply: { statuses: [{ key: 'todo' }, { key: 'done_2' }] },
    events: ['project.updated'],
  },
  {
    send: 'POST /api/v1/tasks/{task}/restore',
    status: 200,
    reply: { status: 'todo', status_category: 'unstarted' },
    events: ['task.updated'],
  },
])

scenario('a project is changed by its lead, owners and admins, and told field by field', [
  {
    send: 'PATCH /internal/projects/{project}',
    as: 'member session',
    body: {},
    status: 403,
    reply: role,
  },
  {
    send: 'PATCH /internal/projects/{project}',
    as: 'guest session',
    body: {},
    status: 403,
    reply: role,
  },
  {
    send: 'PATCH /internal/projects/{hidden}',
    as: 'member session',
    body: {},
    status: 404,
    reply: missing,
  },
  { send: 'PATCH /internal/projects/tsk_x', as: 'session', body: {}, status: 404, reply: missing },
  {
    send: 'PATCH /internal/projects/{project}',
    as: 'admin session',
    body: {
      lead_id: '{member}',
      target_date: '2026-05-01',
      description: null,
      name: 'Engineering',
    },
    status: 200,
    reply: { lead_id: '{member}', target_date: '2026-05-01' },
    events: [
      {
        type: 'project.updated',
        project_id: '{project}',
        changes: {
          lead_id: { from: null, to: '{member}' },
          target_date: { from: null, to: '2026-05-01' },
        },
      },
    ],
    keep: { at: 'updated_at' },
  },
  {
    send: 'PATCH /internal/projects/{project}',
    as: 'member session',
    body: { start_date: '2026-05-02' },
    status: 422,
    reply: faults({ field: 'start_date', code: 'invalid_range' }),
  },
  {
    send: 'PATCH /internal/projects/{project}',
    as: 'member session',
    body: { start_date: '2026-05-01', lead_id: '{member}' },
    status: 200,
    events: ['project.updated'],
  },
  {
    send: 'PATCH /internal/projects/{project}',
    as: 'member session',
    body: { target_date: '2026-04-30' },
    status: 422,
    reply: faults({ field: 'target_date', code: 'invalid_range' }),
  },
  {
    send: 'PATCH /internal/projects/{project}',
    as: 'session',
    headers: { 'if-match': '"x-1"' },
    body: { name: '' },
    status: 412,
  },
  {
    send: 'PATCH /internal/projects/{project}',
    as: 'session',
    body: {},
    status: 200,
    keep: { now: 'updated_at' },
    check: (_, { at, now }) => assert.ok(String(now) > String(at)),
  },
  {
    send: 'PATCH /internal/projects/{project}',
    as: 'member session',
    body: { visibility: 'private', lead_id: '{owner}' },
    status: 200,
    reply: { visibility: 'private', lead_id: '{owner}' },
    events: ['project.updated'],
  },
  { send: 'PATCH /internal/projects/{project}', as: 'member session', body: {}, status: 404 },
  {
    send: 'PATCH /internal/projects/{project}',
    as: 'session',
    body: { prefix: 'HID' },
    status: 409,
    reply: { error: { code: 'prefix_taken' } },
  },
])

scenario('a project is archived once, with its lead, and comes back', [
  { send: 'POST /internal/projects/{project}/archive', as: 'member session', status: 403 },
  { send: 'POST /internal/projects/{hidden}/archive', as: 'guest session', status: 404 },
  {
    send: 'POST /internal/projects/{project}/archive',
    as: 'admin session',
    body: { archived: true },
    status: 422,
  },
  {
    send: 'POST /internal/projects/{project}/archive',
    as: 'admin session',
    status: 200,
    reply: { status: 'archived' },
    events: ['project.updated'],
  },
  { send: 'POST /internal/projects/{project}/archive', as: 'session', body: {}, status: 200 },
  {
    send: 'POST /internal/projects/{project}/unarchive',
    as: 'session',
    status: 200,
    reply: { status: 'active', archived_at: null },
    events: ['project.updated'],
  },
  { send: 'POST /internal/projects/{project}/unarchive', as: 'session', status: 200 },
])

const people = '/internal/projects/{hidden}/people'

scenario('the people of a project are listed for all who see it, and put by its leads', [
  { send: `GET ${people}`, as: 'member session', status: 404 },
  { send: `PUT ${people}/{member}`, as: 'member session', status: 404 },
  { send: `PUT ${people}/{member}`, as: 'admin session', status: 204 },
  { send: `PUT ${people}/{member}`, as: 'admin session', status: 204 },
  { send: `PUT ${people}/{guest}`, as: 'session', status: 204 },
  { send: `PUT ${people}/{admin}`, as: 'member session', status: 403, reply: role },
  { send: `DELETE ${people}/{guest}`, as: 'guest session', status: 403, reply: role },
  {
    send: `GET ${people}?sort=name&limit=2`,
    as: 'member session',
    status: 200,
    reply: { data: [{ id: '{guest}' }, { id: '{member}' }], has_more: true },
    keep: { cursor: 'next_cursor' },
  },
  {
    send: `GET ${people}?sort=name&limit=2&cursor={cursor}`,
    as: 'member session',
    status: 200,
    reply: { data: [{ id: '{owner}', role: 'owner' }], has_more: false },
  },
  {
    send: `GET ${people}`,
    as: 'guest session',
    status: 200,
    reply: { data: [{ id: '{owner}', email: null }, { email: null }, { id: '{guest}' }] },
  },
  { send: `DELETE ${people}/{guest}`, as: 'admin session', status: 204 },
  { send: `DELETE ${people}/{guest}`, as: 'admin session', status: 204 },
  { send: `GET ${people}`, as: 'guest session', status: 404 },
  { send: `PUT ${people}/usr_01k2m3n4p5q6r7s8t9v0w1x2y3`, as: 'session', status: 404 },
  { send: `DELETE ${people}/usr_01k2m3n4p5q6r7s8t9v0w1x2y3`, as: 'session', status: 404 },
  { send: `PUT ${people}/%00`, as: 'session', status: 404 },
  {
    prepare: (tx, { member = '' }) => removeMember(tx, member),
    send: `GET ${people}`,
    as: 'session',
    status: 200,
    reply: { data: [{ id: '{owner}' }] },
  },
  { send: `PUT ${people}/{member}`, as: 'session', status: 404 },
  { send: `DELETE ${people}/{member}`, as: 'session', status: 204 },
])
