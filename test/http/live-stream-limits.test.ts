import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Storage } from '#core/transaction.ts'
import { ENGINES } from '../support/engines/test-docket.ts'
import { afterFile } from '../support/runner/cleanup.ts'
import { startLiveDocket } from '../support/server/live-docket.ts'
import { openLiveStream } from '../support/server/live-stream.ts'
import { waitUntil } from '../support/system/wait-until.ts'
import { createTestSession } from '../support/world/test-session.ts'

for (const engine of ENGINES) {
  test(`a person has at most ten live streams, and all end when the server stops (${engine})`, async () => {
    const { live, server, storage } = await startLiveDocket(engine)
    const lives = await Promise.all(Array.from({ length: 10 }, () => live('member')))
    const more = await live('member')
    assert.equal(more.reply.statusCode, 409)
    assert.match(more.text(), /limit_reached/)
    lives[0]?.close()
    await waitUntil('its place', async () => (await live('member')).reply.statusCode === 200)

    await server.close()
    assert.ok(await lives[1]?.endsWithin())
    assert.match(lives[1]?.text() ?? '', /retry: \d+\n\n$/)
    await waitUntil('nobody listens', () => storage.commitListeners.workspaceIds.length === 0)
  })

  test(`streams that open at the same moment count towards the limit (${engine})`, async (t) => {
    const reading = Promise.withResolvers<void>()
    t.after(() => reading.resolve())
    let [held, isHolding] = [0, false]
    /** Holds the reads of signed-in people, and so each stream between its checks and its start. */
    const wrap = (storage: Storage): Storage => ({
      ...storage,
      async read(actor, work) {
        const value = await storage.read(actor, work)
        if (actor.user_id === null || !isHolding) return value
        held += 1
        await reading.promise
        return value
      },
    })
    const { storage, team, server, live } = await startLiveDocket(engine, wrap)
    const { headers } = await createTestSession(storage, team, 'member')
    const { port } = server.server.address() as { port: number }
    const first = await openLiveStream(port, headers)
    const position = first.events[0]?.data.position
    first.close()
    await waitUntil('nobody listens', () => storage.commitListeners.workspaceIds.length === 0)
    isHolding = true
    let answered = 0
    const opening = Array.from({ length: 12 }, async () => {
      const one = await openLiveStream(port, headers, position)
      afterFile(one.close)
      answered += 1
      return one
    })
    // Eight read at once, and two wait for them.
    await waitUntil('all to be held or answered', () => held + answered === 10)
    assert.deepEqual([held, answered], [8, 2])
    reading.resolve()
    const opened = await Promise.all(opening)
    const refused = opened.filter(({ reply }) => reply.statusCode !== 200)
    assert.equal(refused.length, 2)
    for (const { reply, text } of refused) {
      assert.equal(reply.statusCode, 409)
      assert.equal(JSON.parse(text()).error.code, 'limit_reached')
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
