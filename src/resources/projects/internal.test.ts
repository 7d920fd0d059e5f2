import assert from 'node:assert/strict'
import { type ScenarioStep, scenario, valueAt } from '#test/support/scenario/scenario.ts'
import { createTaskStep, rejectedStep } from '#test/support/scenario/steps.ts'
import { DEFAULT_STATUSES } from './statuses.ts'

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

const repeated = {
  send: url,
  as: 'member session' as const,
  body: { name: 'Once' },
  status: 201,
  headers: { 'idempotency-key': 'once' },
}

scenario('creates one project for requests with the same Idempotency-Key', [
  {
    ...repeated,
    keep: { made: 'id' },
    events: [{ type: 'project.created', actor: { user_id: '{member}' } }],
  },
  { ...repeated, reply: { id: '{made}' }, events: [] },
])

scenario('everybody but guests creates projects', [
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
    events: [
      {
        type: 'project.created',
        actor: { user_id: '{member}' },
        data: { name: 'Café Zürich', prefix: 'CAF', statuses: DEFAULT_STATUSES },
        changes: {},
      },
    ],
    replyHeaders: { etag: /^"/, 'x-operation-id': /^opr_/, 'x-ratelimit-limit': null },
    keep: { made: 'id' },
  },
  { send: 'GET /api/v1/projects/{made}', as: 'admin', status: 200 },
  { send: 'GET /api/v1/projects/{made}', as: 'member', status: 200 },
  // It is open to the members of the workspace, not to its guests.
  { send: 'GET /api/v1/projects/{made}', as: 'guest', status: 404, reply: missing },
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
    events: ['project.created'],
    keep: { harbour: 'id' },
  },
  { send: 'GET /api/v1/projects/{harbour}', as: 'member', status: 200 },
  {
    send: url,
    as: 'session',
    body: { name: '漢' },
    status: 201,
    reply: { prefix: 'PRJ' },
    events: ['project.created'],
  },
  {
    send: url,
    as: 'session',
    body: { name: 'Caf' },
    status: 201,
    reply: { prefix: 'CAF2' },
    events: ['project.created'],
  },
  rejectedStep(url, 409, 'prefix_taken', { as: 'session', body: { name: 'X', prefix: 'ENG' } }),
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

const renamed = (
  project: string,
  prefix: string,
  more: Partial<ScenarioStep> = {},
): ScenarioStep => ({
  send: `PATCH /internal/projects/{${project}}`,
  as: 'session',
  body: { prefix },
  status: 200,
  reply: { prefix },
  events: ['project.updated'],
  ...more,
})

scenario('lead, owners and admins change a project, with an event that lists the fields', [
  rejectedStep('PATCH /internal/projects/{project}', 403, 'insufficient_role', {
    as: 'member session',
    body: {},
  }),
  rejectedStep('PATCH /internal/projects/{project}', 403, 'insufficient_role', {
    as: 'guest session',
    body: {},
  }),
  rejectedStep('PATCH /internal/projects/{hidden}', 404, 'not_found', {
    as: 'member session',
    body: {},
  }),
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
    body: { name: 'Engineering', prefix: 'ENG' },
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
    events: [
      {
        type: 'project.updated',
        changes: {
          visibility: { from: 'workspace', to: 'private' },
          lead_id: { from: '{member}', to: '{owner}' },
        },
      },
    ],
  },
  { send: 'PATCH /internal/projects/{project}', as: 'member session', body: {}, status: 404 },
  rejectedStep('PATCH /internal/projects/{project}', 409, 'prefix_taken', {
    as: 'session',
    body: { prefix: 'HID' },
  }),
  renamed('project', 'MAC'),
  // A former prefix stays with its project.
  rejectedStep('PATCH /internal/projects/{hidden}', 409, 'prefix_taken', {
    as: 'session',
    body: { prefix: 'ENG' },
  }),
  renamed('project', 'ENG', {
    check: ({ body }) => assert.match(valueAt(body, 'url'), /\/p\/ENG$/),
  }),
])

scenario('archives a project once and unarchives it', [
  { send: 'POST /internal/projects/{project}/archive', as: 'member session', status: 403 },
  { send: 'POST /internal/projects/{hidden}/archive', as: 'guest session', status: 404 },
  {
    send: 'POST /internal/projects/{project}/archive',
    as: 'admin session',
    body: { archived: true },
    status: 422,
  },
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
    send: 'POST /internal/projects/{project}/archive',
    as: 'admin session',
    status: 200,
    reply: { status: 'archived' },
    keep: { archived_at: 'archived_at' },
    events: [
      { type: 'project.updated', project_id: '{project}' },
      {
        type: 'time_entry.updated',
        actor: { user_id: '{admin}' },
        project_id: '{project}',
        data: { id: '{timer}', is_running: false },
      },
    ],
  },
  { send: 'POST /internal/projects/{project}/archive', as: 'session', body: {}, status: 200 },
  {
    send: 'POST /internal/projects/{project}/unarchive',
    as: 'session',
    status: 200,
    reply: { status: 'active', archived_at: null },
    events: [
      {
        type: 'project.updated',
        changes: {
          status: { from: 'archived', to: 'active' },
          archived_at: { from: '{archived_at}', to: null },
        },
      },
    ],
  },
  { send: 'POST /internal/projects/{project}/unarchive', as: 'session', status: 200 },
])
