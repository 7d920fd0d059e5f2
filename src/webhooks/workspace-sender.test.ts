import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { DatabaseEngine } from '#core/transaction.ts'
import { newId } from '#lib/id.ts'
import { ENGINES, testLog } from '#test/support/engines/test-docket.ts'
import { waitUntil } from '#test/support/system/wait-until.ts'
import { openTestClient } from '#test/support/world/test-client.ts'
import { AttemptSlots, inTurn, MAX_SLOTS, WorkspaceSender } from './dispatcher.ts'
import { type ReadyDelivery, startLease } from './queue.ts'

interface SenderOptions {
  slots?: AttemptSlots
  /** How many requests the process is serving. */
  requests?: number
  /** Called with each delivery that was attempted. */
  onAttempt?(delivery_id: string): void
  /** Called instead of running the turn of another workspace. */
  onOtherTurn?(workspace_id: string): void
}

/** A sender for a workspace with a webhook, to which every delivery succeeds at once. */
async function openSender(
  t: TestContext,
  engine: DatabaseEngine,
  { requests = 0, slots, onAttempt, onOtherTurn = assert.fail }: SenderOptions,
) {
  const { storage, team, send } = await openTestClient(engine)
  const dispatcher_id = newId('dsp', storage.clock.now())
  const lease = await startLease(storage, dispatcher_id, assert.ifError)
  t.after(() => lease.release())
  const load = { requests }
  const sent: string[] = []
  let turns = Promise.resolve()
  const sender = new WorkspaceSender(
    {
      storage,
      dispatcher_id,
      slots: slots ?? new AttemptSlots(),
      load,
      log: testLog,
      rules: { retrySeconds: [], disableAfterAttempts: 1, disableAfterSeconds: 1 },
      observer: {
        onAttempt({ delivery }) {
          sent.push(delivery.id)
          onAttempt?.(delivery.id)
        },
        onDisabled: assert.fail,
      },
      scheduleTurn: (workspace_id, ms = 0) => {
        if (workspace_id === team.workspace) setTimeout(startTurn, ms)
        else onOtherTurn(workspace_id)
      },
      runAttempt: async (_, { id, activation, url }, { body, ...delivery }) => ({
        delivery,
        webhook_id: id,
        activation,
        url,
        headers: {},
        isUnsendable: false,
        number: 1,
        startedAt: storage.clock.now(),
        duration_ms: 1,
        status: 204,
        body: '',
        error: null,
        retry_after: null,
      }),
    },
    team.workspace,
  )
  function startTurn() {
    turns = turns.then(() => sender.runTurn())
    return turns
  }
  await send('POST /api/v1/webhooks', { url: 'https://example.com/hook', events: ['*'] })
  const createTask = async () => {
    await send('POST /api/v1/tasks', { project_id: team.project, title: 'Ship it' })
    sender.invalidate()
  }
  const createAndSendTask = async () => {
    await createTask()
    return startTurn()
  }
  const untilRecorded = async () => {
    await waitUntil('the record of it', () => sender.isIdle)
    await turns
  }
  return { workspace: team.workspace, sender, sent, createTask, createAndSendTask, untilRecorded }
}

for (const engine of ENGINES) {
  test(`sends what is written during a rest, without a poll, on ${engine}`, async (t) => {
    const { sent, createAndSendTask, untilRecorded } = await openSender(t, engine, { requests: 64 })
    await createAndSendTask()
    await waitUntil('the first delivery', () => sent.length === 1)
    await createAndSendTask()
    await waitUntil('the second delivery', () => sent.length === 2)
    await untilRecorded()
  })

  test(`sends what a turn has read although a commit has changed it since, on ${engine}`, async (t) => {
    const { sender, sent, createTask, untilRecorded } = await openSender(t, engine, {})
    await createTask()
    const turn = sender.runTurn()
    sender.invalidate()
    await turn
    await waitUntil('the delivery', () => sent.length === 1)
    await untilRecorded()
  })

  test(`a metric that fails loses no delivery, on ${engine}`, async (t) => {
    const { sent, createAndSendTask, untilRecorded } = await openSender(t, engine, {
      onAttempt() {
        throw new Error('a metric')
      },
    })
    await createAndSendTask()
    await waitUntil('the delivery', () => sent.length === 1)
    await untilRecorded()
  })

  test(`waits in line for a slot, and offers its own to those who wait, on ${engine}`, async (t) => {
    const slots = new AttemptSlots()
    const others = Array.from({ length: MAX_SLOTS.all }, (_, n) =>
      slots.acquire({ workspace_id: `w${n % 6}`, webhook_id: `h${n}`, host: `h${n}` }),
    )
    const turnsOfOthers: string[] = []
    const { workspace, sent, createAndSendTask, untilRecorded } = await openSender(t, engine, {
      slots,
      onOtherTurn: (id) => turnsOfOthers.push(id),
    })
    await createAndSendTask()
    // Its first turn makes the deliveries, and a turn that reads them finds no slot.
    assert.equal(sent.length, 0)
    slots.wait({ workspace_id: 'w0', webhook_id: 'h256', host: 'h256' })
    others.pop()?.(true)
    assert.equal(slots.takeNextAfter('w1'), workspace)
    await createAndSendTask()
    await waitUntil('the deliveries', () => sent.length === 2)
    await untilRecorded()
    assert.equal(turnsOfOthers[0], 'w0')
  })
}

const deliveryOf = (id: string, queue: ReadyDelivery['queue'], body = '{}'): ReadyDelivery => ({
  id,
  queue,
  body,
  event_id: `evt_${id}`,
  event_type: 'task.updated',
  attempt_count: 0,
  lane: null,
  is_test: 0,
  created_at: '2026-01-01T00:00:00.000Z',
})

const LIVE = [deliveryOf('live1', 1), deliveryOf('live2', 1)]
const REPLAYS = ['replay1', 'replay2', 'replay3'].map((id) => deliveryOf(id, 2))
const TEST = deliveryOf('test', 0)

test('tests and redeliveries do not wait for a backlog, and a replay does not hold up live events', () => {
  const all = [...REPLAYS, ...LIVE, TEST]
  const order = (isReplayNext: boolean) => inTurn(all, isReplayNext).map(({ id }) => id)
  assert.deepEqual(order(false), ['test', 'live1', 'replay1', 'live2', 'replay2', 'replay3'])
  assert.deepEqual(order(true), ['test', 'replay1', 'live1', 'replay2', 'live2', 'replay3'])
})
