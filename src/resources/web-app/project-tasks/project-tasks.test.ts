import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { Storage } from '#core/transaction.ts'
import { createApp } from '#server/app.ts'
import { openTestDocket, testLog } from '#test/support/engines/test-docket.ts'
import { afterFile } from '#test/support/runner/cleanup.ts'
import { type ScenarioReply, type ScenarioStep, scenario } from '#test/support/scenario/scenario.ts'
import { patchTaskStep, rejectedStep, tagStep } from '#test/support/scenario/steps.ts'
import { TEST_SECRET } from '#test/support/system/test-secret.ts'
import { createTestSession } from '#test/support/world/test-session.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import type { Role } from '#wire/rights.ts'
import { SUMMARY_FIELDS } from './contract.ts'

const asked = { as: 'session', status: 200 } as const
const create = (title: string, fields: object = {}): ScenarioStep => ({
  send: 'POST /api/v1/tasks',
  body: { project_id: '{project}', title, ...fields },
  status: 201,
  events: ['task.created'],
})
const numberOf = ({ headers }: ScenarioReply) => Number(headers['x-change-number'])
interface Head {
  project_id: string
  change_number: number
  history: string
  total: number
  tags: { id: string }[]
}
type Columns = Record<string, unknown[]>

let records: Record<string, unknown>[] = []

scenario('lists all tasks of a project in lines, open ones first', [
  tagStep('project', 'infra', 'tag'),
  { ...create('Done', { status: 'done' }), keep: { done: 'id' } },
  {
    ...create('Open', { tag_ids: ['{tag}'], assignee_ids: ['{owner}'], due_date: '2026-03-04' }),
    events: ['task.created', 'task.assigned'],
    keep: { open: 'id' },
  },
  create('Part', { parent_id: '{open}', blocked_by_ids: ['{done}'] }),
  { ...create('Gone'), keep: { gone: 'id' } },
  { send: 'DELETE /api/v1/tasks/{gone}', status: 204, events: ['task.deleted'] },
  {
    ...asked,
    send: 'GET /api/v1/projects/{project}/tasks',
    check({ body }) {
      records = (body as { data: Record<string, unknown>[] }).data
    },
  },
  {
    ...asked,
    send: 'GET /internal/projects/{project}/tasks',
    replyHeaders: { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' },
    check({ body }, { tag }) {
      const [head, ...rest] = body as [Head, ...Columns[]]
      assert.equal(head.total, 3)
      assert.equal(head.tags[0]?.id, tag)
      assert.ok(head.change_number > 0)
      const rows = rest
        .slice(0, -1)
        .flatMap((columns) =>
          (columns.id ?? []).map((_, at) =>
            Object.fromEntries(SUMMARY_FIELDS.map((name) => [name, columns[name]?.[at]])),
          ),
        )
      assert.deepEqual(
        rows.map(({ title }) => title),
        ['Open', 'Part', 'Done'],
      )
      for (const row of rows) {
        const record = records.find(({ id }) => id === row.id) ?? {}
        for (const name of SUMMARY_FIELDS) assert.deepEqual(row[name], record[name], name)
      }
    },
  },
  { ...asked, as: 'guest session', send: 'GET /internal/projects/{project}/tasks' },
  { send: 'GET /internal/projects/{project}/tasks', status: 403 },
])

scenario('lists the open tasks of all projects that the person sees', [
  { ...create('Done', { status: 'done' }) },
  { ...create('Open', { due_date: '2026-03-04' }), keep: { open: 'id' } },
  { ...create('Gone'), keep: { gone: 'id' } },
  { send: 'DELETE /api/v1/tasks/{gone}', status: 204, events: ['task.deleted'] },
  ...(['Hidden', 'Archived'] as const).flatMap((name): ScenarioStep[] => [
    {
      as: 'session',
      send: 'POST /internal/projects',
      body: {
        name,
        prefix: name.toUpperCase(),
        visibility: name === 'Hidden' ? 'private' : 'workspace',
      },
      status: 201,
      events: ['project.created'],
      keep: { [name]: 'id' },
    },
    create(`In ${name}`, { project_id: `{${name}}` }),
  ]),
  {
    as: 'session',
    send: 'POST /internal/projects/{Archived}/archive',
    status: 200,
    events: ['project.updated'],
  },
  ...(
    [
      ['session', ['In Hidden', 'Open']],
      ['member session', ['Open']],
      ['guest session', ['Open']],
    ] as const
  ).map(
    ([as, titles]): ScenarioStep => ({
      as,
      send: 'GET /internal/open-tasks',
      status: 200,
      replyHeaders: { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' },
      check({ body }, { project, open }) {
        const [head, ...rest] = body as [Head & { omitted_project_ids: string[] }, ...Columns[]]
        assert.deepEqual(head.omitted_project_ids, [])
        assert.ok(head.change_number > 0)
        assert.deepEqual(rest.pop(), { end: true })
        assert.deepEqual(rest.flatMap(({ title = [] }) => title).toSorted(), titles)
        const at = rest[0]?.id?.indexOf(open) ?? -1
        assert.equal(rest[0]?.project_id?.[at], project)
        assert.equal(rest[0]?.due_date?.[at], '2026-03-04')
      },
    }),
  ),
  { send: 'GET /internal/open-tasks', status: 403 },
])

scenario('finds the words of a search in all tasks of a project', [
  create('Paint the fence'),
  create('Buy a brush', { description: 'To PAINT with' }),
  create('Wait', { status: 'done' }),
  { ...create('Paint gone'), keep: { gone: 'id' } },
  { send: 'DELETE /api/v1/tasks/{gone}', status: 204, events: ['task.deleted'] },
  ...['paint', 'paint+f', 'ENG-3', 'absent', '!'].flatMap((q): ScenarioStep[] => [
    {
      ...asked,
      send: `GET /api/v1/projects/{project}/tasks?sort=number&q=${q}`,
      check({ body }) {
        records = (body as { data: Record<string, unknown>[] }).data
      },
    },
    {
      ...asked,
      send: `GET /internal/projects/{project}/matches?q=${q}`,
      check({ body, headers }) {
        const { numbers } = body as { numbers: number[] }
        assert.deepEqual(
          numbers,
          records.map(({ number }) => number),
        )
        if (q === 'paint') assert.deepEqual(numbers, [1, 2])
        assert.ok(Number(headers['x-change-number']) > 0)
      },
    },
  ]),
  { as: 'guest session', send: 'GET /internal/projects/{project}/matches?q=paint', status: 200 },
  { ...asked, send: 'GET /internal/projects/{project}/matches', reply: { numbers: [1, 2, 3] } },
  { as: 'session', send: 'GET /internal/projects/{project}/matches?q=', status: 400 },
  { send: 'GET /internal/projects/{project}/matches?q=paint', status: 403 },
])

const READS = ['tasks', 'matches?q=one'] as const

scenario('finds the project by its present or a former prefix too, if the person sees it', [
  create('one'),
  {
    send: 'PATCH /internal/projects/{project}',
    as: 'session',
    body: { prefix: 'NOW' },
    status: 200,
    events: ['project.updated'],
  },
  ...['{project}', 'NOW', 'now', 'ENG'].flatMap((name): ScenarioStep[] => [
    {
      ...asked,
      send: `GET /internal/projects/${name}/tasks`,
      check: ({ body }, { project }) => assert.equal((body as [Head])[0].project_id, project),
    },
    {
      ...asked,
      send: `GET /internal/projects/${name}/matches?q=one`,
      reply: { numbers: [1] },
    },
  ]),
  { ...asked, send: 'GET /internal/projects/HID/tasks' },
  ...READS.flatMap((read) =>
    (
      [
        ['member session', 'HID'],
        ['member session', '{hidden}'],
        ['session', 'NONE'],
        ['session', 'prj_x'],
        ['session', `NOW'--`],
        ['session', '%00'],
      ] as const
    ).map(
      ([as, name]): ScenarioStep => ({
        send: `GET /internal/projects/${name}/${read}`,
        as,
        status: 404,
        reply: { error: { code: 'not_found' } },
        // As of this number the person does not see it.
        replyHeaders: { 'x-change-number': /^[1-9]\d*$/ },
      }),
    ),
  ),
])

/** The head of the list of all tasks that a page holds. */
let held: Head
/** The number of the write that took the project away. */
let lostAt = 0
const changesOfHeld = (): string =>
  `GET /internal/changes?project_id={project}&after={number}.{history}`

scenario('tells a page that it has lost a project, with the number of the loss', [
  create('one'),
  {
    ...asked,
    as: 'guest session',
    send: 'GET /internal/projects/{project}/tasks',
    keep: { number: '0.change_number', history: '0.history' },
    check({ body }) {
      held = (body as [Head])[0]
    },
  },
  {
    ...asked,
    as: 'guest session',
    send: changesOfHeld(),
    check: ({ body }) => assert.deepEqual((body as { data: unknown[] }).data, []),
  },
  {
    send: 'DELETE /internal/projects/{project}/people/{guest}',
    as: 'session',
    status: 204,
    check(reply) {
      lostAt = numberOf(reply)
      assert.equal(lostAt, held.change_number + 1)
    },
  },
  ...READS.map(
    (read): ScenarioStep => ({
      send: `GET /internal/projects/{project}/${read}`,
      as: 'guest session',
      status: 404,
      check: (reply) => assert.equal(numberOf(reply), lostAt),
    }),
  ),
  {
    ...asked,
    as: 'guest session',
    send: changesOfHeld(),
    reply: { data: [{ op: 'reset', id: '{project}' }], has_more: false },
    check({ body }) {
      const { data, position } = body as { data: []; position: string }
      assert.equal(data.length, 1, 'and nothing more of it')
      assert.equal(position, `${lostAt}.${held.history}`)
    },
  },
  // Without a position there is nothing to forget.
  {
    ...asked,
    as: 'guest session',
    send: 'GET /internal/changes?project_id={project}',
    reply: { has_more: false },
    check({ body }) {
      const { data, position } = body as { data: []; position: string }
      assert.deepEqual([data, position], [[], `${lostAt}.${held.history}`])
    },
  },
])

const readPage = (limit: number, after: string): ScenarioStep => ({
  ...asked,
  send: `GET /internal/changes?types=task&limit=${limit}&after=${after}`,
  keep: { position: 'position' },
})

scenario('ends each page of changes with a plain position, unless it ends within a change', [
  create('First'),
  {
    ...asked,
    send: 'GET /internal/changes?after=now',
    check({ body }) {
      seen = Number.parseInt((body as { position: string }).position, 10)
    },
    keep: { position: 'position' },
  },
  create('One'),
  {
    send: 'POST /api/v1/tasks/bulk',
    body: {
      operations: ['Two', 'Three'].map((title) => ({
        op: 'create',
        data: { project_id: '{project}', title },
      })),
    },
    status: 200,
    events: ['task.created', 'task.created'],
  },
  create('Four'),
  // Each: the limit, and the whole changes that its page ends with.
  ...(
    [
      [1, 1],
      [1, null],
      [1, 2],
      [2, 3],
    ] as const
  ).map(
    ([limit, changes]): ScenarioStep => ({
      ...readPage(limit, '{position}'),
      check({ body }) {
        const { data, position, has_more } = body as {
          data: []
          position: string
          has_more: boolean
        }
        assert.equal(data.length, Math.min(limit, 1))
        assert.equal(has_more, changes !== 3)
        if (changes === null) assert.doesNotMatch(position, /\./)
        else assert.equal(Number.parseInt(position, 10), seen + changes)
      },
    }),
  ),
])

let seen = 0
let position = ''

scenario('tells a page the number of the newest change in each reply', [
  create('Late'),
  {
    ...asked,
    send: 'GET /api/v1/projects/{project}',
    check(reply) {
      seen = numberOf(reply)
      assert.ok(seen > 0)
    },
  },
  {
    ...create('Made by a page'),
    as: 'session',
    headers: { 'idempotency-key': 'page-abcdefgh' },
    keep: { task: 'id' },
    check(reply, { task = '' }) {
      assert.equal(numberOf(reply), seen + 1)
      assert.equal(task.slice(-8), 'abcdefgh', 'the page knows its record by the id')
    },
  },
  {
    ...create('Made by a page'),
    as: 'session',
    events: [],
    headers: { 'idempotency-key': 'page-abcdefgh' },
    replyHeaders: { 'idempotency-replayed': 'true', 'x-change-number': null },
    reply: { id: '{task}' },
  },
  patchTaskStep(
    'task',
    { title: 'Renamed' },
    { as: 'session', check: (reply) => assert.equal(numberOf(reply), seen + 2) },
  ),
  patchTaskStep(
    'task',
    { title: 'Renamed' },
    {
      as: 'session',
      check: (reply) => assert.equal(numberOf(reply), seen + 2, 'nothing has changed'),
      events: [],
    },
  ),
  {
    ...create('Made by a program'),
    headers: { 'idempotency-key': 'program-abcdefgh' },
    replyHeaders: { 'x-change-number': null },
    keep: { other: 'id' },
    check: (_, { other = '' }) => assert.notEqual(other.slice(-8), 'abcdefgh'),
  },
  {
    ...asked,
    send: 'GET /internal/changes?after=now',
    check({ body }) {
      position = (body as { position: string }).position
      assert.equal(Number.parseInt(position, 10), seen + 3)
    },
  },
  {
    ...asked,
    send: 'GET /internal/projects/{project}/tasks',
    check({ body }) {
      const [{ change_number, history }] = body as [Head]
      assert.equal(`${change_number}.${history}`, position, 'it continues a list of all tasks')
    },
    keep: { number: '0.change_number', history: '0.history' },
  },
  patchTaskStep('task', { title: 'Changed since' }),
  {
    ...asked,
    send: 'GET /internal/changes?after={number}.{history}',
    reply: { data: [{ op: 'put', id: '{task}', record: { title: 'Changed since' } }] },
    check: ({ body }) => assert.equal((body as { data: [] }).data.length, 1, 'no more than that'),
  },
  { as: 'session', send: 'GET /internal/changes?after={number}.other', status: 410 },
  { as: 'session', send: 'GET /internal/changes?after=999999.{history}', status: 410 },
  rejectedStep('GET /internal/changes?after=nothing', 400, 'invalid_cursor', { as: 'session' }),
])

test('a list of all tasks is compressed if the client accepts that', async () => {
  const { storage, server, config } = await openTestDocket('sqlite')
  const team = await createTestWorkspace(storage)
  const { headers } = await createTestSession(storage, team, 'owner', config.baseUrl)
  const url = `/internal/projects/${team.project}/tasks`
  const plain = await server.inject({ url, headers })
  for (const [coding, decode] of Object.entries({ br: brotliDecompressSync, gzip: gunzipSync })) {
    const reply = await server.inject({ url, headers: { ...headers, 'accept-encoding': coding } })
    assert.equal(reply.headers['content-encoding'], coding)
    assert.equal(String(decode(reply.rawPayload)), plain.body)
  }
})

for (const [what, role, line] of [
  ['the project', 'guest', 'DELETE /internal/projects/{project}/people/{person}'],
  ['the workspace', 'member', 'DELETE /internal/members/{person}'],
  ['the session', 'member', 'DELETE /internal/session'],
] as const) {
  test(`a list of all tasks ends early if the person loses ${what} while it is sent`, async () => {
    const { storage, config } = await openTestDocket('sqlite')
    const team = await createTestWorkspace(storage)
    const sessionOf = (of: Role) => createTestSession(storage, team, of, config.baseUrl)
    const [owner, person] = [await sessionOf('owner'), await sessionOf(role)]
    let change: (() => Promise<unknown>) | undefined
    // The loss comes after the first line was read.
    const read: Storage['read'] = async (actor, work) => {
      const result = await storage.read(actor, work)
      const due = change
      change = undefined
      await due?.()
      return result
    }
    const app = await createApp({ ...storage, read }, config, TEST_SECRET, testLog)
    afterFile(() => app.server.close())
    const send = async (text: string, headers: object, payload?: object) => {
      const [method, path = ''] = text.split(' ')
      const url = path.replace('{project}', team.project).replace('{person}', team.people[role])
      const request = { method: method as 'GET', url, headers: { ...headers } }
      return app.server.inject({ ...request, ...(payload && { payload }) })
    }
    const list = () => send('GET /internal/projects/{project}/tasks', person.headers)
    const body = { project_id: team.project, title: 'One' }
    assert.equal((await send('POST /api/v1/tasks', owner.headers, body)).statusCode, 201)
    const whole = (await list()).body.trimEnd().split('\n')
    assert.equal(whole.length, 3)
    assert.equal(whole.at(-1), '{"end":true}')
    change = async () => {
      const by = what === 'the session' ? person : owner
      assert.equal((await send(line, by.headers)).statusCode, 204)
    }
    assert.deepEqual((await list()).body.trimEnd().split('\n').slice(1), [])
    assert.equal((await list()).statusCode, what === 'the project' ? 404 : 401)
  })
}
