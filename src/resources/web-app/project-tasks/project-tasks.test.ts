import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { openTestDocket } from '#test/support/engines/test-docket.ts'
import { type ScenarioReply, type ScenarioStep, scenario } from '#test/support/scenario/scenario.ts'
import { createTestSession } from '#test/support/world/test-session.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
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
  change_number: number
  history: string
  total: number
  tags: { id: string }[]
}
type Columns = Record<string, unknown[]>

let records: Record<string, unknown>[] = []

scenario('lists all tasks of a project in lines, open ones first', [
  {
    send: 'POST /api/v1/projects/{project}/tags',
    body: { name: 'infra' },
    status: 201,
    events: ['tag.created'],
    keep: { tag: 'id' },
  },
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
  { as: 'guest session', send: 'GET /internal/projects/{hidden}/tasks', status: 404 },
  { send: 'GET /internal/projects/{project}/tasks', status: 403 },
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
  {
    send: 'PATCH /api/v1/tasks/{task}',
    as: 'session',
    body: { title: 'Renamed' },
    status: 200,
    events: ['task.updated'],
    check: (reply) => assert.equal(numberOf(reply), seen + 2),
  },
  {
    send: 'PATCH /api/v1/tasks/{task}',
    as: 'session',
    body: { title: 'Renamed' },
    status: 200,
    check: (reply) => assert.equal(numberOf(reply), seen + 2, 'nothing has changed'),
  },
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
  {
    send: 'PATCH /api/v1/tasks/{task}',
    body: { title: 'Changed since' },
    status: 200,
    events: ['task.updated'],
  },
  {
    ...asked,
    send: 'GET /internal/changes?after={number}.{history}',
    reply: { data: [{ op: 'put', id: '{task}', record: { title: 'Changed since' } }] },
    check: ({ body }) => assert.equal((body as { data: [] }).data.length, 1, 'no more than that'),
  },
  { as: 'session', send: 'GET /internal/changes?after={number}.other', status: 410 },
  { as: 'session', send: 'GET /internal/changes?after=999999.{history}', status: 410 },
  {
    as: 'session',
    send: 'GET /internal/changes?after=nothing',
    status: 400,
    reply: { error: { code: 'invalid_cursor' } },
  },
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
