import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '#lib/id.ts'
import { ENGINES, openTestDocket, testLog } from '#test/support/engines/test-docket.ts'
import { waitUntil } from '#test/support/system/wait-until.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import { startLease } from '../dispatch/lease.ts'
import { AttemptSlots } from './slots.ts'
import { Throttle } from './throttle.ts'
import { WorkspaceSender } from './workspace-sender.ts'

const REST_MS = 200

/** As after work in the database that took long, on a server that serves requests. */
class RestingThrottle extends Throttle {
  override restAfterMs = () => REST_MS
}

for (const engine of ENGINES) {
  test(`sends what is written during a rest, without a poll, on ${engine}`, async (t) => {
    const { storage, server } = await openTestDocket(engine)
    const home = await createTestWorkspace(storage)
    const post = async (path: string, payload: object) => {
      const headers = { authorization: `Bearer ${home.keys.owner}` }
      const url = `/api/v1/${path}`
      const reply = await server.inject({ method: 'POST', url, headers, payload })
      assert.equal(reply.statusCode, 201, reply.body)
    }
    const dispatcher_id = newId('dsp', storage.clock.now())
    const lease = await startLease(storage, dispatcher_id, assert.ifError)
    t.after(() => lease.release())
    const sent: string[] = []
    let turns = Promise.resolve()
    const sender = new WorkspaceSender(
      {
        ...{ storage, dispatcher_id, slots: new AttemptSlots(), log: testLog },
        rules: { retrySeconds: [], disableAfterAttempts: 1, disableAfterSeconds: 1 },
        observer: {
          onAttempt: ({ delivery }) => void sent.push(delivery.id),
          onDisabled: assert.fail,
        },
        throttle: new RestingThrottle({ requests: 0, served: 0 }),
        scheduleTurn: (_, ms = 0) => void setTimeout(startTurn, ms),
        runAttempt: async (_, { id, activation, url }, { body, ...delivery }) => ({
          ...{ delivery, webhook_id: id, activation, url, headers: {}, isUnsendable: false },
          ...{ number: 1, startedAt: storage.clock.now(), duration_ms: 1 },
          ...{ status: 204, body: '', error: null, retry_after: null },
        }),
      },
      home.workspace,
    )
    function startTurn() {
      turns = turns.then(() => sender.runTurn())
    }
    const createTask = async () => {
      await post('tasks', { project_id: home.project, title: 'Ship it' })
      sender.invalidate()
      startTurn()
    }
    await post('webhooks', { url: 'https://example.com/hook', events: ['*'] })
    await createTask()
    await waitUntil('the first delivery', () => sent.length === 1)
    await createTask()
    await waitUntil('the second delivery', () => sent.length === 2)
    await waitUntil('the record of it', () => sender.isIdle)
    await turns
  })
}
