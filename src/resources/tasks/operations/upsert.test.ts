import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ENGINES } from '#test/support/engines/test-docket.ts'
import { readEvents, scenario } from '#test/support/scenario/scenario.ts'
import {
  createTaskStep,
  deleteTaskStep,
  listStep,
  moveTaskStep,
  prepareProjectChange,
  rejectedStep,
  restoreTaskStep,
  tagStep,
  validationFailedStep,
  validationFailedSteps,
} from '#test/support/scenario/steps.ts'
import { openTestClient } from '#test/support/world/test-client.ts'

const BULK = 'POST /api/v1/tasks/bulk'
const KEY = { external_source: 'tracker', external_id: '4711' }
const upsert = (data: object, more: object = {}) => ({
  op: 'upsert',
  data: { ...KEY, ...data },
  ...more,
})
const one = (data: object, more: object = {}) => ({ operations: [upsert(data, more)] })
const NEW = { project_id: '{project}', title: 'From the tracker' }

scenario('an upsert creates a task, then updates it, then changes nothing', [
  {
    send: BULK,
    body: one({ ...NEW, priority: 'high', description: null, assignee_ids: ['{member}'] }),
    status: 200,
    events: ['task.created', 'task.assigned'],
    reply: {
      results: [
        {
          status: 201,
          data: { ...KEY, short_id: 'ENG-1', title: 'From the tracker', description: null },
        },
      ],
    },
    keep: { task: 'results.0.data.id' },
  },
  {
    send: BULK,
    body: one({ ...NEW, title: 'Renamed', status: 'done' }),
    status: 200,
    events: [
      { type: 'task.completed', data: { id: '{task}', title: 'Renamed', priority: 'high' } },
    ],
    reply: { results: [{ status: 200, data: { id: '{task}', priority: 'high', version: 2 } }] },
  },
  {
    send: BULK,
    body: one({ ...NEW, title: 'Renamed', status: 'done' }),
    status: 200,
    reply: {
      succeeded: 1,
      results: [{ status: 200, operation_id: null, data: { id: '{task}', version: 2 } }],
    },
  },
  {
    send: BULK,
    body: one({ title: 'Without a project', priority: null }),
    status: 422,
    reply: {
      error: { details: [{ field: 'operations[0].data.priority', code: 'not_nullable' }] },
    },
  },
  {
    send: BULK,
    body: one({ description: 'Only this' }),
    status: 200,
    events: [{ type: 'task.updated', changes: { description: { from: null, to: 'Only this' } } }],
    reply: { results: [{ status: 200, data: { title: 'Renamed' } }] },
  },
  listStep('/api/v1/tasks', ['task']),
])

scenario('upserts of one request see each other, and undo together', [
  {
    send: BULK,
    body: {
      operations: [
        upsert(NEW),
        upsert({ priority: 'low' }),
        { op: 'upsert', data: { ...NEW, ...KEY, external_id: 'other' } },
      ],
    },
    status: 200,
    events: ['task.created', 'task.updated', 'task.created'],
    reply: { results: [{ status: 201 }, { status: 200 }, { status: 201 }] },
    keep: { first: 'results.0.data.id', second: 'results.1.data.id', task: 'results.0.data.id' },
    check: (_, { first, second }) => assert.equal(first, second),
  },
  {
    send: BULK,
    body: { operations: [upsert({ title: 'New' }), upsert({ title: '' })] },
    status: 422,
    reply: { error: { details: [{ field: 'operations[1].data.title', code: 'too_short' }] } },
  },
  { send: 'GET /api/v1/tasks/{first}', status: 200, reply: { title: NEW.title, version: 2 } },
  {
    send: BULK,
    body: { atomic: false, operations: [upsert({ title: '' }), upsert({ title: 'New' })] },
    status: 200,
    events: ['task.updated'],
    reply: { succeeded: 1, failed: 1, results: [{ status: 422 }, { status: 200 }] },
  },
  {
    send: `${BULK}?dry_run=true`,
    body: one({ title: 'Would it?' }),
    status: 200,
    reply: { results: [{ status: 200, data: { id: '{first}', title: 'Would it?' } }] },
    replyHeaders: { 'x-dry-run': 'true' },
  },
  {
    send: BULK,
    headers: { 'idempotency-key': 'u' },
    body: one({ title: 'Once' }),
    status: 200,
    events: ['task.updated'],
  },
  {
    send: BULK,
    headers: { 'idempotency-key': 'u' },
    body: one({ title: 'Once' }),
    status: 200,
    replyHeaders: { 'idempotency-replayed': 'true' },
  },
])

scenario('an upsert demands what a new task needs, and a version', [
  ...validationFailedSteps(BULK, [
    [
      one({}),
      {
        'operations[0].data.project_id': 'required',
        'operations[0].data.title': 'required',
      },
    ],
    [
      {
        operations: [
          {
            op: 'upsert',
            data: { ...NEW, external_id: null, add_tag_ids: [], number: 1, nonsense: 1 },
          },
        ],
      },
      {
        'operations[0].data.external_source': 'required',
        'operations[0].data.external_id': 'not_nullable',
        'operations[0].data.add_tag_ids': 'read_only_field',
        'operations[0].data.number': 'read_only_field',
        'operations[0].data.nonsense': 'unknown_field',
      },
    ],
    [
      { operations: [{ op: 'upsert', id: 'ENG-1' }] },
      { 'operations[0].id': 'unknown_field', 'operations[0].data': 'required' },
    ],
    [
      one({ ...NEW, recurrence: { rrule: 'FREQ=DAILY' } }),
      {
        'operations[0].data.recurrence': 'conflicting_fields',
      },
    ],
  ]),
  rejectedStep(BULK, 412, 'version_mismatch', {
    body: one(NEW, { version: 1 }),
    reply: { error: { details: [{ field: 'operations[0]' }] } },
  }),
  createTaskStep('Task', KEY),
  rejectedStep(BULK, 412, 'version_mismatch', { body: one({ title: 'Late' }, { version: 2 }) }),
  {
    send: BULK,
    body: one({ title: 'In time' }, { version: 1 }),
    status: 200,
    events: ['task.updated'],
    reply: { results: [{ status: 200, data: { version: 2 } }] },
  },
  rejectedStep(BULK, 403, 'insufficient_scope', { as: ['tasks:read'], body: one(NEW) }),
  rejectedStep(BULK, 409, 'project_archived', {
    prepare: prepareProjectChange('project', { archived: true }),
    body: one({ title: 'Too late' }),
  }),
])

scenario('an upsert moves a task only to the project that it names', [
  createTaskStep('Task', KEY),
  tagStep('hidden', 'Hidden', 'tag'),
  moveTaskStep('Task', 'hidden'),
  {
    send: BULK,
    body: one({ title: 'Stays', tag_ids: ['{tag}'] }),
    status: 200,
    events: ['task.updated'],
    reply: { results: [{ status: 200, data: { project_id: '{hidden}', tag_ids: ['{tag}'] } }] },
  },
  {
    send: BULK,
    body: one({ title: 'Back', project_id: '{project}' }),
    status: 200,
    events: [{ type: 'task.updated', project_id: '{project}', data: { tag_ids: [] } }],
    reply: { results: [{ status: 200, data: { short_id: 'ENG-1', tag_ids: [] } }] },
  },
])

scenario('an upsert neither changes nor reveals a task that the caller does not see', [
  createTaskStep('Secret', { ...KEY, project_id: '{hidden}' }),
  rejectedStep(BULK, 409, 'external_id_exists', {
    as: 'member',
    body: one(NEW),
    check: ({ body }) => {
      const { error } = body as { error: { details: object[] } }
      assert.equal('resource_id' in (error.details[0] ?? {}), false)
    },
  }),
  rejectedStep(BULK, 412, 'version_mismatch', { as: 'member', body: one(NEW, { version: 1 }) }),
  validationFailedStep(BULK, one({ project_id: 'prj_01k2m3n4p5q6r7s8t9v0w1x2y3' }), {
    'operations[0].data.project_id': 'invalid_reference',
  }),
  {
    send: BULK,
    as: 'stranger',
    body: one({ title: 'Mine' }),
    status: 422,
    reply: { error: { details: [{ field: 'operations[0].data.project_id', code: 'required' }] } },
  },
  {
    send: BULK,
    as: 'guest',
    body: { operations: [{ op: 'upsert', data: { ...NEW, ...KEY, external_id: 'mine' } }] },
    status: 200,
    events: ['task.created'],
    reply: { results: [{ status: 201, data: { created_by_id: '{guest}' } }] },
  },
])

scenario('an upsert creates another task in place of a deleted one', [
  createTaskStep('Task', KEY),
  deleteTaskStep('Task'),
  {
    send: BULK,
    body: one(NEW),
    status: 200,
    events: ['task.created'],
    reply: { results: [{ status: 201, data: { short_id: 'ENG-2' } }] },
    keep: { second: 'results.0.data.id' },
  },
  rejectedStep('POST /api/v1/tasks/{Task}/restore', 409, 'external_id_exists', {
    reply: { error: { details: [{ resource_id: '{second}' }] } },
  }),
  deleteTaskStep('second'),
  restoreTaskStep('Task'),
  {
    send: BULK,
    body: one({ title: 'The first again' }),
    status: 200,
    events: ['task.updated'],
    reply: { results: [{ status: 200, data: { id: '{Task}' } }] },
  },
])

type Send = (
  method: 'GET' | 'POST' | 'PATCH',
  path: string,
  body?: object,
) => Promise<{ status: number; body: UpsertReply }>

interface UpsertReply {
  data?: { id: string }[]
  results?: { status: number; data: { id: string } | null }[]
}

for (const engine of ENGINES) {
  const setUp = async () => {
    const { storage, team, request } = await openTestClient(engine)
    const send: Send = (method, path, body) => request(`${method} /api/v1${path}`, body)
    const upsertOne = async (data: object) => {
      const operations = [{ op: 'upsert', data }]
      const { body } = await send('POST', '/tasks/bulk', { atomic: false, operations })
      const [result] = body.results ?? []
      assert.ok(result, JSON.stringify(body))
      return result
    }
    const readKinds = async () =>
      (await readEvents(storage, team.workspace)).map(({ type }) => type)
    return { team, send, upsertOne, readKinds }
  }

  test(`concurrent upserts of a pair make one task (${engine})`, async () => {
    const { team, upsertOne, readKinds } = await setUp()
    const data = { ...KEY, project_id: team.project, title: 'One' }
    const results = await Promise.all(Array.from({ length: 30 }, () => upsertOne(data)))
    const statuses = results.map(({ status }) => status)
    assert.deepEqual(statuses.toSorted(), [...Array(29).fill(200), 201])
    assert.equal(new Set(results.map((result) => result.data?.id)).size, 1)
    assert.deepEqual(await readKinds(), ['task.created'])
  })

  test(`upserts do what looking up, creating and updating do (${engine})`, async () => {
    const [looking, upserting] = [await setUp(), await setUp()]
    const random = createDice(7)
    for (let step = 0; step < 60; step += 1) {
      const data = randomFields(random)
      const place = ([undefined, 'project', 'hidden'] as const)[random(3)]
      const inPlace = ({ team }: typeof looking) => ({
        ...data,
        ...(place && { project_id: team[place] }),
      })
      const expected = await lookUpAndWrite(looking.send, inPlace(looking))
      const result = await upserting.upsertOne(inPlace(upserting))
      const where = `step ${step}: ${JSON.stringify(data)} → ${JSON.stringify(result)}`
      assert.equal(result.status, expected.status, where)
      assert.deepEqual(comparable(result.data), comparable(expected.body), where)
    }
    const kinds = await upserting.readKinds()
    assert.ok(kinds.length > 20 && kinds.includes('task.completed'), kinds.join(' '))
    assert.deepEqual(kinds, await looking.readKinds())
  })
}

/** Pseudo-random numbers, the same in each run. */
function createDice(seed: number) {
  let state = seed
  return (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * below)
  }
}

const randomFields = (random: (below: number) => number) => ({
  external_source: 'tracker',
  external_id: String(random(6)),
  ...(random(4) > 0 && { title: `Title ${random(3)}` }),
  ...(random(2) && { priority: ['low', 'high', 'none'][random(3)] }),
  ...(random(3) === 0 && { status: ['todo', 'done', 'no_such'][random(3)] }),
  ...(random(3) === 0 && { description: [null, 'Text'][random(2)] }),
  ...(random(3) === 0 && { metadata: { a: [null, '1'][random(2)] } }),
  ...(random(4) === 0 && { due_date: [null, '2099-01-01'][random(2)] }),
  ...(random(5) === 0 && { recurrence: [null, { rrule: 'FREQ=DAILY' }][random(2)] }),
})

/** What a program does without upserts: it looks for the pair, and then updates or creates the task. */
async function lookUpAndWrite(send: Send, data: ReturnType<typeof randomFields>) {
  const path = `/tasks?external_source=tracker&external_id=${data.external_id}`
  const [existing] = (await send('GET', path)).body.data ?? []
  return existing ? send('PATCH', `/tasks/${existing.id}`, data) : send('POST', '/tasks', data)
}

const COMPARED = [
  'short_id',
  'title',
  'status',
  'priority',
  'description',
  'metadata',
  'due_date',
  'recurrence',
  'version',
]

/** The fields of a task that do not depend on its workspace; none of an error. */
const comparable = (task: object | null) =>
  Object.entries(task ?? {}).filter(([name]) => COMPARED.includes(name))
