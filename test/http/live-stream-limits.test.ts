import assert from 'node:assert/strict'
import type { Server } from 'node:http'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Storage } from '#core/transaction.ts'
import { ENGINES } from '../support/engines/test-docket.ts'
import { afterFile } from '../support/runner/cleanup.ts'
import { startLiveDocket } from '../support/server/live-docket.ts'
import { openLiveStream } from '../support/server/live-stream.ts'
import { waitUntil } from '../support/system/wait-until.ts'
import { createTestSession } from '../support/world/test-session.ts'

for (const engine of ENGINES) {
  test(`a person has at most ten live streams, and all end when the server stops (${engine})`, async () => {
    const { live, server, team, storage } = await startLiveDocket(engine)
    const lives = await Promise.all(Array.from({ length: 10 }, () => live('member')))
    const more = await live('member')
    assert.equal(more.reply.statusCode, 429)
    assert.match(more.text(), /too_many_session_requests/)
    assert.match(String(more.reply.headers['retry-after']), /^\d+$/)
    lives[0]?.close()
    await waitUntil('its place', async () => (await live('member')).reply.statusCode === 200)

    await server.close()
    assert.ok(await lives[1]?.endsWithin())
    assert.match(lives[1]?.text() ?? '', /retry: \d+\n\n$/)
    assert.equal(
      storage.changeFeed.subscribe(team.workspace, undefined, IGNORE_CHANGES).missed?.length,
      0,
    )
  })

  test(`streams that open at the same moment count towards the limit (${engine})`, async (t) => {
    const reading = Promise.withResolvers<void>()
    t.after(() => reading.resolve())
    let held = 0
    /** Holds the reads of signed-in people, and so each stream between its checks and its start. */
    const wrap = (storage: Storage): Storage => ({
      ...storage,
      async read(actor, work) {
        const value = await storage.read(actor, work)
        if (actor.user_id === null) return value
        held += 1
        await reading.promise
        return value
      },
    })
    const { storage, team, server, live } = await startLiveDocket(engine, wrap)
    const { headers } = await createTestSession(storage, team, 'member')
    const { port } = server.server.address() as { port: number }
    let answered = 0
    const opening = Array.from({ length: 12 }, async () => {
      const one = await openLiveStream(port, headers)
      afterFile(one.close)
      answered += 1
      return one
    })
    await waitUntil('all to be held or answered', () => held + answered === 12)
    assert.deepEqual([held, answered], [10, 2])
    reading.resolve()
    const opened = await Promise.all(opening)
    const refused = opened.filter(({ reply }) => reply.statusCode !== 200)
    assert.equal(refused.length, 2)
    for (const { reply, text } of refused) {
      assert.equal(reply.statusCode, 429)
      assert.equal(JSON.parse(text()).error.code, 'too_many_session_requests')
      assert.equal(reply.headers['retry-after'], '5')
    }
    // A refused stream holds no place, and neither does one whose client has gone.
    for (const one of opened) one.close()
    await waitUntil('ten places', async () => {
      const again = await Promise.all(Array.from({ length: 10 }, () => live('member')))
      for (const one of again) one.close()
      return again.every(({ reply }) => reply.statusCode === 200)
    })
  })
}

const IGNORE_CHANGES = { onChanges() {}, onReset() {} }

test('disconnects a live stream whose reader stalls, and no other', async () => {
  const { live, storage, team, server } = await startLiveDocket('sqlite')
  const [slow, quick] = [await live('owner', { reads: false }), await live('owner')]
  const sockets = await connections(server.server)
  const changes = Array.from({ length: 500 }, (_, at) => ({
    ...({ noun: 'task', id: `tsk_${at}`, op: 'update', project_id: team.project } as const),
    operation_id: 'opr_01k2m3n4p5q6r7s8t9v0w1x2y3',
  }))
  // Socket buffers hold some megabytes before the server has to queue anything.
  for (let turn = 0; turn < 200; turn += 1) {
    storage.changeFeed.publish(team.workspace, changes, null)
    await pause(2)
  }
  await quick.waitForEvents(100_000)
  const metricsText = await metrics(server)
  assert.match(metricsText, /docket_live_cut_total 1\n/)
  assert.match(metricsText, /docket_live_streams 1\n/)
  assert.equal(await connections(server.server), sockets - 1)
  slow.close()
  quick.close()
  await waitUntil('its end', async () => /docket_live_streams 0\n/.test(await metrics(server)))
  assert.match(await metrics(server), /docket_live_cut_total 1\n/, 'it was not cut')
})

const connections = (server: Server) =>
  new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)))

const metrics = async (server: Awaited<ReturnType<typeof startLiveDocket>>['server']) =>
  (await server.inject({ url: '/metrics', remoteAddress: '127.0.0.1' })).body
