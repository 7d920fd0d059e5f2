import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '#core/api-error.ts'
import { createQueryParser } from '#http/request/query-parameters.ts'
import { routes, sessionActions } from '#server/routes.ts'
import type { InputSchema } from '#wire/schema-parser.ts'
import { type ScenarioStep, scenario } from '../support/scenario/scenario.ts'
import {
  createTaskStep,
  listStep,
  rejectedStep,
  validationFailedStep,
} from '../support/scenario/steps.ts'

const TASKS = '/api/v1/tasks'

/** A query that is rejected because of these parameters, each named with its code. */
const invalidQueryStep = (
  query: string,
  faults: Record<string, string>,
  url = TASKS,
): ScenarioStep =>
  rejectedStep(`GET ${url}?${query}`, 400, 'invalid_parameter', {
    check: ({ body }) => assert.deepEqual(faultsOf(body), faults, query),
  })

const faultsOf = (body: unknown) =>
  Object.fromEntries(
    (body as { error: { details: { field: string; code: string }[] } }).error.details.map(
      ({ field, code }) => [field, code],
    ),
  )

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => `s${from + at}`)

scenario('reads a list in a query as repeats, as commas and as both', [
  createTaskStep('low', { priority: 'low' }),
  createTaskStep('high', { priority: 'high' }),
  createTaskStep('urgent', { priority: 'urgent' }),
  createTaskStep('none'),
  listStep(`${TASKS}?sort=created_at&priority=low,high`, ['low', 'high']),
  listStep(`${TASKS}?sort=created_at&priority=low&priority=high`, ['low', 'high']),
  listStep(`${TASKS}?priority=low&sort=created_at&completed=false&priority=high`, ['low', 'high']),
  listStep(`${TASKS}?sort=created_at&priority=low%2Curgent&priority=high`, [
    'low',
    'high',
    'urgent',
  ]),
  listStep(`${TASKS}?sort=created_at&id={none}&id={low},{high}`, ['low', 'high', 'none']),
  listStep(
    `/api/v1/projects/{project}/tasks?sort=created_at&status_category=backlog&status_category=unstarted&status_category=started`,
    ['low', 'high', 'urgent', 'none'],
  ),
  listStep('/api/v1/workspace/members?role=admin&role=guest', ['admin', 'guest']),
  {
    send: 'GET /api/v1/events?type=task.created&type=task.deleted,task.updated&limit=3',
    status: 200,
    check: ({ body }) => assert.equal((body as { data: unknown[] }).data.length, 3),
  },
])

scenario('a cursor from repeats continues with commas, and only for the same values', [
  createTaskStep('one', { priority: 'low' }),
  createTaskStep('two', { priority: 'high' }),
  createTaskStep('three', { priority: 'low' }),
  listStep(`${TASKS}?sort=created_at&limit=1&priority=low&priority=high`, ['one'], {
    keep: { repeats: 'next_cursor' },
  }),
  listStep(`${TASKS}?sort=created_at&limit=1&priority=low,high`, ['one'], {
    keep: { commas: 'next_cursor' },
    check: ({ body }, { repeats }) =>
      assert.equal((body as { next_cursor: string }).next_cursor, repeats),
  }),
  listStep(`${TASKS}?sort=created_at&priority=low,high&cursor={repeats}`, ['two', 'three']),
  listStep(`${TASKS}?priority=low&cursor={commas}&sort=created_at&priority=high`, ['two', 'three']),
  ...['priority=low', 'priority=low&priority=high&priority=none', 'priority=low&status=high'].map(
    (query) =>
      rejectedStep(`GET ${TASKS}?sort=created_at&${query}&cursor={repeats}`, 400, 'invalid_cursor'),
  ),
  rejectedStep(`GET ${TASKS}?cursor={repeats}&cursor={repeats}`, 400, 'invalid_cursor'),
])

scenario('rejects repeats that are too many, duplicate, empty or of a parameter with one value', [
  listStep(`${TASKS}?status=${numbered(1, 25)}&status=${numbered(26, 50)}`, []),
  invalidQueryStep(`status=${numbered(1, 25)}&status=${numbered(26, 51)}`, { status: 'too_many' }),
  invalidQueryStep(
    numbered(1, 51)
      .map((key) => `status=${key}`)
      .join('&'),
    { status: 'too_many' },
  ),
  invalidQueryStep('status=todo&status=todo', { status: 'duplicate' }),
  invalidQueryStep('status=todo,done&status=doing,todo', { status: 'duplicate' }),
  invalidQueryStep('status=&status=todo', { status: 'too_short' }),
  invalidQueryStep('status=todo&status=', { status: 'too_short' }),
  invalidQueryStep('status=todo&status', { status: 'too_short' }),
  invalidQueryStep('status=&status=', { status: 'too_short' }),
  invalidQueryStep('status=todo,&status=done', { status: 'invalid_format' }),
  invalidQueryStep('status=,todo&priority=low&priority=,none', {
    status: 'invalid_format',
    priority: 'invalid_value',
  }),
  invalidQueryStep('priority=low&priority=big', { priority: 'invalid_value' }),
  invalidQueryStep('limit=1&limit=1', { limit: 'duplicate' }),
  invalidQueryStep('q=a&q=b&status=todo&status=done', { q: 'duplicate' }),
  invalidQueryStep('completed=true&completed=true', { completed: 'duplicate' }),
  invalidQueryStep('parent_id=none&parent_id=none', { parent_id: 'duplicate' }),
  invalidQueryStep('sort=created_at&sort=created_at', { sort: 'duplicate' }),
  invalidQueryStep('updated_since=&q=&limit=&deleted=&parent_id=&id=&sort=&cursor=', {
    updated_since: 'too_short',
    q: 'too_short',
    limit: 'too_short',
    deleted: 'too_short',
    parent_id: 'too_short',
    id: 'too_short',
    sort: 'too_short',
    cursor: 'too_short',
  }),
  invalidQueryStep('status[]=todo&status[]=done', { 'status[]': 'unknown_field' }),
  rejectedStep(`GET ${TASKS}?cursor=`, 400, 'invalid_cursor', {
    reply: { error: { details: [{ field: 'cursor', code: 'too_short' }] } },
  }),
  rejectedStep(`POST ${TASKS}?dry_run=true&dry_run=true`, 400, 'invalid_parameter', {
    body: { project_id: '{project}', title: 'Never stored' },
    reply: { error: { details: [{ field: 'dry_run', code: 'duplicate' }] } },
  }),
  rejectedStep(`POST ${TASKS}?dry_run=`, 400, 'invalid_parameter', {
    body: { project_id: '{project}', title: 'Never stored' },
    reply: { error: { details: [{ field: 'dry_run', code: 'too_short' }] } },
  }),
  listStep(TASKS, []),
])

test('every endpoint rejects an empty value of any parameter, also in a repeated list', () => {
  let listCount = 0
  for (const { endpoint } of [...routes, ...sessionActions]) {
    const parseQuery = createQueryParser(endpoint)
    const { properties = {} } = (endpoint.query ?? {}) as InputSchema
    for (const [name, { type }] of Object.entries(properties)) {
      if (type === 'array') listCount += 1
      const code = name === 'cursor' ? 'invalid_cursor' : 'invalid_parameter'
      const lists = type === 'array' ? [`${name}=&${name}=x`, `${name}=x&${name}=`] : []
      for (const query of [`${name}=`, name, ...lists]) {
        assert.throws(
          () => parseQuery(query),
          (error) =>
            error instanceof ApiError &&
            error.code === code &&
            error.details.every(({ field, code }) => field === name && code === 'too_short'),
          `${endpoint.method} ${endpoint.path}?${query}`,
        )
      }
    }
  }
  assert.ok(listCount > 40, `${listCount} lists`)
})

const TASK = '/api/v1/tasks/{One}'
const MOMENT = '2090-03-01T09:30:00.000Z'
const ACCEPTED = [
  '2090-03-01T09:30:00Z',
  '2090-03-01T09:30:00z',
  '2090-03-01T09:30:00.0009z',
  '2090-03-01T09:30:00+0000',
  '2090-03-01T09:30:00-0000',
  '2090-03-01T09:30:00.0+00:00',
  '2090-03-01T10:30:00.000999999+0100',
  '2090-03-01T04:00:00-0530',
]
const REJECTED = [
  '2090-03-01T09:30:00',
  '2090-03-01t09:30:00z',
  '2090-03-01T09:30:00+01',
  '2090-03-01',
  '2090-03-01T09:30:00+2400',
  '2090-03-01T09:30:00+0060',
  '2090-03-01T09:30:00 0000',
  '2090-03-01T24:00:00z',
  '2090-03-01T09:30:60z',
  '2090-02-29T09:30:00z',
  '9999-12-31T23:59:59-0001',
  '2090-03-01T09:30:00.z',
  '2090-03-01T09:30:00.0000000000z',
  '1969-12-31T23:59:59z',
]

scenario('accepts z and offsets without a colon in bodies, and returns UTC', [
  ...ACCEPTED.map((due_at) => createTaskStep('One', { due_at }, { reply: { due_at: MOMENT } })),
  ...ACCEPTED.map((due_at) => ({
    send: `PATCH ${TASK}`,
    body: { due_at },
    status: 200,
    reply: { due_at: MOMENT, version: 1 },
  })),
  ...REJECTED.map((due_at) =>
    validationFailedStep(`PATCH ${TASK}`, { due_at }, { due_at: 'invalid_format' }),
  ),
  { send: `GET ${TASK}`, status: 200, reply: { due_at: MOMENT, version: 1 } },
])

scenario('accepts z and offsets without a colon in queries', [
  createTaskStep('One'),
  ...ACCEPTED.flatMap((at) => {
    const time = encodeURIComponent(at)
    return [
      listStep(`/api/v1/tasks?created_before=${time}`, ['One']),
      listStep(`/api/v1/tasks?updated_since=${time}`, []),
    ]
  }),
  ...REJECTED.map((at) =>
    rejectedStep(
      `GET /api/v1/tasks?created_before=${encodeURIComponent(at)}`,
      400,
      'invalid_parameter',
      { reply: { error: { details: [{ field: 'created_before', code: 'invalid_format' }] } } },
    ),
  ),
  // A plus sign that is not percent-encoded is a space.
  rejectedStep(
    'GET /api/v1/tasks?created_before=2090-03-01T09:30:00+0000',
    400,
    'invalid_parameter',
  ),
])
