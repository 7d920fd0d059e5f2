import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { DatabaseEngine } from '#core/transaction.ts'
import { newId } from '#lib/id.ts'
import { ENGINES, openTestDocket, testLog } from '#test/support/engines/test-docket.ts'
import { waitUntil } from '#test/support/system/wait-until.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import { startLease } from '../dispatch/lease.ts'
import { AttemptSlots, MAX_SLOTS } from './slots.ts'
import { Throttle } from './throttle.ts'
import { WorkspaceSender } from './workspace-sender.ts'

const REST_MS = 200

/** As after work in the database that took long, on a server that serves requests. */
class RestingThrottle extends Throttle {
  override restAfterMs = () => REST_MS
}

interface SenderOptions {
  slots?: AttemptSlots
  throttle?: Throttle
  /** Called instead of running the turn of another workspace. */
  onOtherTurn?(workspace_id: string): void
}

/** A sender for a workspace with a webhook, to which every delivery succeeds at once. */
async function openSender(
  t: TestContext,
  engine: DatabaseEngine,
  { slots = new AttemptSlots(), throttle, onOtherTurn = assert.fail }: SenderOptions,
) {
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
      ...{ storage, dispatcher_id, slots, log: testLog },
      rules: { retrySeconds: [], disableAfterAttempts: 1, disableAfterSeconds: 1 },
      observer: {
        onAttempt: ({ delivery }) => void sent.push(delivery.id),
        onDisabled: assert.fail,
      },
      throttle: throttle ?? new Throttle({ requests: 0, served: 0 }),
      scheduleTurn: (workspace_id, ms = 0) => {
        if (workspace_id === home.workspace) setTimeout(startTurn, ms)
        else onOtherTurn(workspace_id)
      },
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
    return turns
  }
  await post('webhooks', { url: 'https://example.com/hook', events: ['*'] })
  const createTask = async () => {
    await post('tasks', { project_id: home.project, title: 'Ship it' })
    sender.invalidate()
    return startTurn()
  }
  const untilRecorded = async () => {
    await waitUntil('the record of it', () => sender.isIdle)
    await turns
  }
  return { workspace: home.workspace, sent, createTask, untilRecorded }
}

for (const engine of ENGINES) {
  test(`sends what is written during a rest, without a poll, on ${engine}`, async (t) => {
    const throttle = new RestingThrottle({ requests: 0, served: 0 })
    const { sent, createTask, untilRecorded } = await openSender(t, engine, { throttle })
    await createTask()
    await waitUntil('the first delivery', () => sent.length === 1)
    await createTask()
    await waitUntil('the second delivery', () => sent.length === 2)
    await untilRecorded()
  })

  test(`waits in line for a slot, and offers its own to those who wait, on ${engine}`, async (t) => {
    const slots = new AttemptSlots()
    const others = Array.from({ length: MAX_SLOTS.all }, (_, n) =>
      slots.acquire(`w${n % 6}`, `h${n}`, `h${n}`),
    )
    const turnsOfOthers: string[] = []
    const { workspace, sent, createTask, untilRecorded } = await openSender(t, engine, {
      slots,
      onOtherTurn: (id) => turnsOfOthers.push(id),
    })
    await createTask()
    // Its first turn makes the deliveries, and a turn that reads them finds no slot.
    assert.equal(sent.length, 0)
    slots.wait('w0', 'h256', 'h256')
    others.pop()?.release(true)
    assert.equal(slots.takeNextAfter('w1'), workspace)
    await createTask()
    await waitUntil('the deliveries', () => sent.length === 2)
    await untilRecorded()
    assert.equal(turnsOfOthers[0], 'w0')
  })
}
