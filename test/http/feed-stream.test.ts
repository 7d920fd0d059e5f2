import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bumpAuthVersion } from '#auth/auth-version.ts'
import { softDeleteWorkspace } from '#auth/workspaces/workspaces.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { DatabaseEngine, WriteTx } from '#core/transaction.ts'
import { command, type Scoped } from '#db/core/statement.ts'
import type { Role } from '#wire/rights.ts'
import { ENGINES } from '../support/engines/test-docket.ts'
import { afterFile } from '../support/runner/cleanup.ts'
import { type FeedConnection, openFeedStream } from '../support/server/feed-stream.ts'
import { startLiveDocket } from '../support/server/live-docket.ts'
import { waitUntil } from '../support/system/wait-until.ts'
import { createTestSession } from '../support/world/test-session.ts'

const deleteKeys = command((db, $: Scoped<{ user_id: string }>) =>
  db.deleteFrom('api_keys').where('user_id', '=', $.user_id),
)

const setRole = command((db, $: Scoped<{ user_id: string; role: Role }>) =>
  db.updateTable('memberships').set({ role: $.role }).where('user_id', '=', $.user_id),
)

const setOldest = command((db, $: Scoped<{ number: number }>) =>
  db.updateTable('workspaces').set({ tombstones_from: $.number }),
)

/** Starts a Docket that listens, with a workspace in it. */
async function startListening(engine: DatabaseEngine) {
  const { server, storage, team } = await startLiveDocket(engine)
  const { port } = server.server.address() as { port: number }
  const bearer = (role: Role) => ({ authorization: `Bearer ${team.keys[role]}` })
  const system = { ...ANONYMOUS_ACTOR, workspace_id: team.workspace }
  return {
    server,
    storage,
    team,
    port,
    async stream(
      role: Role = 'owner',
      query = '',
      options: Parameters<typeof openFeedStream>[3] = {},
    ) {
      const connection = await openFeedStream(port, bearer(role), query, options)
      afterFile(connection.close)
      return connection
    },
    async send(method: string, path: string, body?: object) {
      const reply = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, {
        method,
        headers: { ...bearer('owner'), ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
      })
      const text = await reply.text()
      assert.ok(reply.ok, `${method} ${path}: ${text}`)
      const record: { id: string; position: string; data: object[] } = JSON.parse(text || '{}')
      return record
    },
    /** Changes what no request can change at any moment, as another process does. */
    change: (work: (tx: WriteTx) => Promise<unknown>) =>
      storage.write(system, async (tx) => {
        await work(tx)
        await bumpAuthVersion(tx)
      }),
    metrics: async () =>
      (await server.inject({ url: '/metrics', remoteAddress: '127.0.0.1' })).body,
  }
}

const namesOf = ({ events }: FeedConnection) =>
  events.map(({ event, data }) =>
    event === 'change' ? `${data.op} ${data.type} ${data.id}` : event,
  )

for (const engine of ENGINES) {
  test(`streams the snapshot, then each change, and resumes by Last-Event-ID (${engine})`, async () => {
    const { team, stream, send } = await startListening(engine)
    const { id: first } = await send('POST', '/tasks', { project_id: team.project, title: 'A' })
    const open = await stream('owner', '', {
      headers: { accept: 'text/html, Text/Event-Stream;q=0.9' },
    })
    await open.waitFor('caught_up')
    const { headers, statusCode } = open.reply
    assert.equal(statusCode, 200)
    assert.equal(headers['content-type'], 'text/event-stream; charset=utf-8')
    assert.equal(headers['cache-control'], 'no-store')
    assert.equal(headers['x-accel-buffering'], 'no')
    const snapshot = await send('GET', '/changes?limit=500')
    assert.deepEqual(
      open.events.slice(0, -1).map(({ data }) => data),
      snapshot.data,
    )
    const caughtUp = open.events.at(-1)
    assert.deepEqual(caughtUp?.data, { position: caughtUp?.id })
    assert.equal(caughtUp?.id, snapshot.position)

    const begun = open.events.length
    const { id: second } = await send('POST', '/tasks', { project_id: team.project, title: 'B' })
    await open.waitFor('caught_up', 2)
    assert.deepEqual(namesOf(open).slice(begun), [
      `put project ${team.project}`,
      `put task ${second}`,
      'caught_up',
    ])
    const afterProject = open.events[begun]?.id ?? ''
    const end = open.events.at(-1)?.id ?? ''
    open.close()

    await send('DELETE', `/tasks/${first}`)
    const resumed = await stream('owner', '?after=ignored', { lastEventId: end })
    await resumed.waitFor('caught_up')
    assert.deepEqual(namesOf(resumed), [
      `put project ${team.project}`,
      `delete task ${first}`,
      'caught_up',
    ])
    // A position in the middle of one write: the project changed again, the second task did not.
    const middle = await stream('owner', '', { lastEventId: afterProject })
    await middle.waitFor('caught_up')
    assert.deepEqual(namesOf(middle), [
      `put task ${second}`,
      `put project ${team.project}`,
      `delete task ${first}`,
      'caught_up',
    ])
    const now = await stream('owner', '?after=now')
    await now.waitFor('caught_up')
    assert.deepEqual(namesOf(now), ['caught_up'])
    assert.equal(now.events[0]?.id, resumed.events.at(-1)?.id)
  })

  test(`ends a stream whose key is revoked, or whose role changes (${engine})`, async () => {
    const { team, stream, change } = await startListening(engine)
    const { member, guest } = team.people
    const streams = [await stream('member', '?after=now'), await stream('guest', '?after=now')]
    const owner = await stream('owner', '?after=now&types=task')
    await change(async (tx) => {
      await tx.run(deleteKeys, { user_id: guest })
      await tx.run(setRole, { user_id: member, role: 'guest' })
    })
    for (const [at, [status, code]] of (
      [
        [403, 'insufficient_role'],
        [401, 'invalid_token'],
      ] as const
    ).entries()) {
      const ended = streams[at]
      await ended?.waitFor('end')
      assert.equal(ended?.events.at(-1)?.data.error?.code, code, `${status}`)
      await ended?.waitForEnd()
      // A key that was revoked a moment ago may still be in the cache, a former role reads nothing.
      if (status === 403) assert.doesNotMatch(ended?.text() ?? '', /event: change/)
    }
    const again = await stream('guest')
    assert.equal(again.reply.statusCode, 401)
    assert.ok(!owner.events.some(({ event }) => event === 'end'))
  })
}

test('ends streams and waits of sessions when the workspace is deleted', async () => {
  const { stream, change, storage, team, port } = await startListening('sqlite')
  const { headers } = await createTestSession(storage, team, 'owner')
  const open = await stream('owner', '?after=now', { authorization: headers })
  await open.waitFor('caught_up')
  const url = `http://127.0.0.1:${port}/api/v1/changes?after=${open.events[0]?.id}&wait=30`
  const waiting = fetch(url, { headers })
  await change(softDeleteWorkspace)
  await open.waitFor('end')
  assert.equal(open.events.at(-1)?.data.error?.code, 'workspace_deleted')
  await open.waitForEnd()
  // A deletion tells no change, so the request that waits would notice it only some time later.
  storage.commitListeners.publishMissed()
  const reply = await waiting
  assert.deepEqual([reply.status, (await reply.json()).error.code], [410, 'workspace_deleted'])
})

test('tells a page the number that it has caught up with', async () => {
  const { stream, send, storage, team } = await startListening('sqlite')
  const { headers } = await createTestSession(storage, team, 'owner')
  const page = { path: '/internal/changes', authorization: headers }
  const open = await stream('owner', '?after=now', page)
  await open.waitFor('caught_up')
  const position = /^(\d+)\.(.+)$/
  const [, number = '', history = ''] = position.exec(open.events[0]?.id ?? '') ?? []
  assert.deepEqual(open.events[0]?.data, { position: `${number}.${history}` })
  await send('POST', '/tasks', { project_id: team.project, title: 'A' })
  await open.waitFor('caught_up', 2)
  assert.equal(open.events.at(-1)?.id, `${Number(number) + 1}.${history}`)
  const resumed = await stream('owner', '', { ...page, lastEventId: `${number}.${history}` })
  await resumed.waitFor('caught_up')
  assert.deepEqual(namesOf(resumed), namesOf(open).slice(1))
})

test('replies to a stream from a position that is foreign or expired as to any request', async () => {
  const { team, stream, send, change } = await startListening('sqlite')
  const { position } = await send('GET', '/changes?after=now')
  await send('POST', '/tasks', { project_id: team.project, title: 'A' })
  await change((tx) => tx.run(setOldest, { number: 1_000 }))
  const cases = [
    [await stream('owner', `?after=${position}`), 410, 'position_expired'],
    [await stream('owner', '', { lastEventId: position }), 410, 'position_expired'],
    [await stream('owner', '', { lastEventId: 'mine' }), 400, 'invalid_cursor'],
    [await stream('member', '', { lastEventId: position }), 400, 'invalid_cursor'],
    [await stream('owner', `?after=${position}&types=task`), 400, 'invalid_cursor'],
  ] as const
  for (const [{ reply, text, waitForEnd }, status, code] of cases) {
    await waitForEnd()
    assert.equal(reply.statusCode, status)
    assert.match(String(reply.headers['content-type']), /^application\/json/)
    assert.equal(JSON.parse(text()).error.code, code)
  }
})

test('a workspace has at most 100 streams, which count while they open and end with the server', async () => {
  const { stream, metrics, server } = await startListening('sqlite')
  const open = (length: number) =>
    Promise.all(Array.from({ length }, () => stream('member', '?after=now')))
  const streams = await open(101)
  const refused = streams.filter(({ reply }) => reply.statusCode !== 200)
  for (const one of refused) await one.waitForEnd()
  assert.deepEqual(
    refused.map(({ reply, text }) => [reply.statusCode, JSON.parse(text()).error.code]),
    [[409, 'limit_reached']],
  )
  const opened = streams.filter((one) => !refused.includes(one))
  const text = await metrics()
  assert.match(text, /docket_change_streams 100\n/)
  // Streams do no work, so they are no load. The request for the metrics is.
  assert.match(text, /docket_http_requests_in_flight 1\n/)
  opened[0]?.close()
  await waitUntil(
    'a place',
    async () => (await stream('member', '?after=now')).reply.statusCode === 200,
  )

  await server.close()
  for (const one of opened.slice(1)) {
    await one.waitForEnd()
    assert.match(one.text(), /retry: \d{4}\n\n$/)
  }
})

test('replies to HEAD with the headers alone, and frees its place', async () => {
  const { stream, metrics } = await startListening('sqlite')
  const head = await stream('owner', '', { method: 'HEAD' })
  assert.equal(head.reply.statusCode, 200)
  assert.equal(head.reply.headers['content-type'], 'text/event-stream; charset=utf-8')
  await head.waitForEnd()
  assert.equal(head.text(), '')
  await waitUntil('its place', async () =>
    (await metrics()).includes('docket_http_requests_in_flight 1\n'),
  )
  assert.match(await metrics(), /docket_change_streams 0\n/)
})
