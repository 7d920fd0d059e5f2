import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { countRows } from '#db/workspaces/stored-bytes.ts'
import {
  emptyTrash,
  purgeIdempotencyReplies,
  purgeOldEvents,
  purgeOldOperations,
} from '#jobs/purges.ts'
import { recountWorkspaces } from '#jobs/recount-stored-bytes.ts'
import { createFreshDockets, openFreshDocket } from '../support/engines/fresh-docket.ts'
import { ENGINES, type TestDocket } from '../support/engines/test-docket.ts'
import { createTestClock } from '../support/system/test-clock.ts'
import { createTestSession } from '../support/world/test-session.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const QUOTA = 1_048_576
const LONG_TEXT = 'x'.repeat(60_000)
/** The longest description: 262,144 bytes. */
const LONGEST_TEXT = '😀'.repeat(65_536)
const FULL = [409, 'limit_reached']

const clock = createTestClock()
const smallDocket = createFreshDockets({ DOCKET_WORKSPACE_BYTES: String(QUOTA) }, { clock })

async function setUp(docket: TestDocket) {
  const { storage, server, config } = docket
  const team = await createTestWorkspace(storage)
  const { headers: session } = await createTestSession(storage, team, 'owner', config.baseUrl)
  const send = async (
    line: string,
    payload?: object | string,
    headers: Record<string, string> = { authorization: `Bearer ${team.keys.owner}` },
  ) => {
    const [method = '', url = ''] = line.split(' ')
    const reply = await server.inject({
      method: method as 'GET',
      url: url.startsWith('/internal') ? url : `/api/v1${url}`,
      headers: { ...headers, ...(typeof payload === 'object' && JSON_BODY) },
      ...(payload !== undefined && { payload }),
    })
    const body = reply.body === '' ? {} : reply.json()
    return { status: reply.statusCode, body, outcome: [reply.statusCode, body.error?.code] }
  }
  const asOwner = (line: string, payload?: object) => send(line, payload, session)
  const createTask = (title: string, fields: object = {}) =>
    send('POST /tasks', { project_id: team.project, title, ...fields })
  /** All that a refused request must leave as it was. */
  const readCounts = async () => ({
    events: (await send('GET /events?limit=1&after_sequence=0')).body.newest_sequence,
    usage: (await asOwner('GET /internal/workspace/usage')).body.storage,
  })
  const readState = async () => ({
    tasks: (await send('GET /tasks?deleted=include&limit=200')).body.data,
    ...(await readCounts()),
  })
  return { ...docket, team, send, asOwner, createTask, readCounts, readState }
}

const JSON_BODY = { 'content-type': 'application/json' }

for (const engine of ENGINES) {
  test(`a workspace that the last count found full refuses records and texts, and nothing else (${engine})`, async () => {
    const world = await setUp(await smallDocket(engine))
    const { storage, team, send, asOwner, createTask, readState } = world
    const recount = async () => {
      const step = recountWorkspaces(storage)
      while (await step());
      return (await readState()).usage.used
    }
    const long = (await createTask('Long', { description: LONG_TEXT })).body.id
    const short = (await createTask('Short')).body.id
    const comment = (await send(`POST /tasks/${short}/comments`, { body: LONG_TEXT })).body.id
    for (let count = 0; count < 8; count += 1)
      assert.equal((await createTask('More', { description: LONG_TEXT })).status, 201)
    const before = (await readState()).usage
    assert.ok(before.used < QUOTA, 'until a count only events count')
    assert.ok((await recount()) > 1.1 * QUOTA)

    const full = await readState()
    for (const [line, body] of [
      ['POST /tasks', { project_id: team.project, title: 'x' }],
      [`PATCH /tasks/${short}`, { description: LONG_TEXT }],
      [`POST /tasks/${short}/comments`, { body: 'x' }],
      [`POST /tasks/${short}/time-entries`, { duration_seconds: 60 }],
      [`POST /tasks/${short}/attachments?filename=a`, 'x'],
      ['POST /tasks/bulk', { operations: [{ op: 'update', id: short, data: { title: 'x' } }] }],
      [`POST /internal/tasks/${long}/copy`, {}],
      ['POST /internal/templates', { task_id: long, name: 'T' }],
    ] as const) {
      const isInternal = line.includes('/internal')
      const reply = isInternal ? await asOwner(line, body as object) : await send(line, body)
      assert.deepEqual(reply.outcome, FULL, line)
      assert.match(reply.body.error.message, /(has used its 1 MiB of|has no) storage.*\. Delete/)
      assert.deepEqual(await readState(), full, line)
    }

    // Another workspace is not affected.
    assert.equal((await (await setUp(world)).createTask('Elsewhere')).status, 201)

    // A deletion does not let the other changes of its request through.
    const operations = [
      { op: 'update', id: long, data: { priority: 'high' } },
      { op: 'delete', id: short },
      { op: 'restore', id: short },
    ]
    for (const atomic of [true, false]) {
      const refused = await send('POST /tasks/bulk', { operations, atomic })
      assert.deepEqual(refused.outcome, FULL)
      assert.deepEqual(await readState(), full)
    }
    assert.equal((await send(`DELETE /comments/${comment}`)).status, 204)
    const deletions = [
      { op: 'delete', id: long },
      { op: 'delete', id: short },
    ]
    assert.equal((await send('POST /tasks/bulk', { operations: deletions })).status, 200)
    const role = { role: 'member' }
    const demoted = await asOwner(`PATCH /internal/members/${team.people.admin}`, role)
    assert.equal(demoted.status, 200, JSON.stringify(demoted.body))

    // What is purged is given back by the next count.
    for (const { id } of (await readState()).tasks) await send(`DELETE /tasks/${id}`)
    clock.advance(40 * DAY_MS)
    for (const step of [emptyTrash(storage, 30), purgeOldEvents(storage, 30)]) while (await step());
    assert.deepEqual((await createTask('Early')).outcome, FULL)
    assert.ok((await recount()) < 0.1 * QUOTA)
    assert.equal((await createTask('Room', { description: LONG_TEXT })).status, 201)
  })

  test(`changes of records use a reserve of a full workspace (${engine})`, async () => {
    const { send, createTask } = await setUp(await smallDocket(engine))
    const task = (await createTask('Long', { description: LONG_TEXT })).body.id
    let last = await createTask('More', { description: LONG_TEXT })
    for (let count = 0; last.status === 201 && count < 20; count += 1)
      last = await createTask('More', { description: LONG_TEXT })
    assert.deepEqual(last.outcome, FULL)
    assert.equal((await send(`PATCH /tasks/${task}`, { description: null })).status, 200)
    assert.equal((await send(`POST /tasks/${task}/complete`, {})).status, 200)
  })

  test(`files are counted with each write, up to the last byte (${engine})`, async () => {
    const docket = await smallDocket(engine)
    const { send, createTask, readCounts } = await setUp(docket)
    const task = (await createTask('With files')).body.id
    const upload = (bytes: number) =>
      send(`POST /tasks/${task}/attachments?filename=a`, 'x'.repeat(bytes))
    const used = async () => (await readCounts()).usage.used
    const empty = await used()
    const first = await upload(100_000)
    const eventBytes = (await used()) - empty - 100_000
    assert.equal((await upload(100_000)).status, 201)
    const free = QUOTA - (await used())
    const before = await readCounts()
    assert.deepEqual((await upload(free - eventBytes + 1)).outcome, FULL)
    assert.deepEqual(await readCounts(), before)
    assert.equal((await upload(free - eventBytes)).status, 201)
    assert.equal(await used(), QUOTA)
    assert.deepEqual((await upload(1)).outcome, FULL)
    assert.equal((await send(`DELETE /attachments/${first.body.id}`)).status, 204)
    // It can be restored until the trash is emptied, and counts as long.
    assert.ok((await used()) >= QUOTA)
    while (await purgeOldOperations(docket.storage, 0)());
    assert.ok((await used()) < QUOTA - 90_000)
    assert.equal((await upload(50_000)).status, 201)
  })

  test(`purges a mebibyte at a time (${engine})`, async () => {
    const { storage, team, send, createTask } = await setUp(
      await openFreshDocket(engine, {}, { clock }),
    )
    const actor = { ...ANONYMOUS_ACTOR, workspace_id: team.workspace }
    const storedRows = async () => {
      const { content, history } = await storage.snapshot(actor, countRows)
      return content + history
    }
    const task = (await createTask('Discussed')).body.id
    for (let count = 0; count < 6; count += 1) {
      const auth = { authorization: `Bearer ${team.keys.owner}`, 'idempotency-key': `key-${count}` }
      const reply = await send(`POST /tasks/${task}/comments`, { body: LONGEST_TEXT }, auth)
      assert.equal(reply.status, 201, JSON.stringify(reply.body))
    }
    await send(`DELETE /tasks/${task}`)
    clock.advance(40 * DAY_MS)
    for (const step of [purgeIdempotencyReplies(storage), emptyTrash(storage, 30)]) {
      const given: number[] = []
      for (let hasMore = true; hasMore; ) {
        const before = await storedRows()
        hasMore = await step()
        given.push(before - (await storedRows()))
      }
      assert.ok(Math.max(...given) < 1.1 * 1_048_576, `${given}`)
      assert.ok(given.reduce((sum, bytes) => sum + bytes, 0) > 1.5 * 1_048_576, `${given}`)
    }
  })
}

test('one request writes at most 16 MiB, whatever it asks for', async () => {
  const { send, asOwner, createTask, readCounts, team } = await setUp(
    await openFreshDocket('sqlite'),
  )
  const top = (await createTask('Top')).body.id
  const ids: string[] = []
  for (let count = 0; count < 65; count += 1) {
    const fields = { parent_id: top, description: LONGEST_TEXT }
    ids.push((await createTask(`Sub ${count}`, fields)).body.id)
  }
  const before = await readCounts()
  const requests: [string, object | undefined][] = [
    [`POST /internal/tasks/${top}/copy`, {}],
    [`PATCH /tasks/${top}`, { project_id: team.hidden }],
    [`DELETE /tasks/${top}`, undefined],
  ]
  for (const [line, body] of requests) {
    const reply = line.includes('/internal') ? await asOwner(line, body) : await send(line, body)
    assert.deepEqual(reply.outcome, FULL, line)
    assert.match(reply.body.error.message, /^One request can write at most 16 MiB of texts/)
    assert.deepEqual(await readCounts(), before, line)
  }
  const operations = ids.map((id) => ({ op: 'update', id, data: { priority: 'high' } }))
  const refused = await send('POST /tasks/bulk', { operations })
  assert.deepEqual(refused.outcome, FULL)
  assert.deepEqual(await readCounts(), before)
  const { body } = await send('POST /tasks/bulk', { operations, atomic: false })
  const statuses: number[] = body.results.map(({ status }: { status: number }) => status)
  assert.deepEqual([...new Set(statuses)], [200, 409])
  assert.ok(statuses.indexOf(409) > 50)
  // Each of them alone can be deleted.
  assert.equal((await send(`DELETE /tasks/${ids[0]}`)).status, 204)
})
