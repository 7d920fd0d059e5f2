import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { DatabaseEngine } from '#core/transaction.ts'
import { newId } from '#lib/id.ts'
import { ENGINES, testLog } from '#test/support/engines/test-docket.ts'
import { waitUntil } from '#test/support/system/wait-until.ts'
import { openTestClient } from '#test/support/world/test-client.ts'
import { startLease } from '../dispatch/lease.ts'
import type { ReadyDelivery } from '../dispatch/store.ts'
import { AttemptSlots, MAX_SLOTS, Throttle } from './slots.ts'
import { WebhookQueue, WorkspaceSender } from './workspace-sender.ts'

const REST_MS = 200

/** As after work in the database that took long, on a server that serves requests. */
class RestingThrottle extends Throttle {
  override restAfterMs = () => REST_MS
}

interface SenderOptions {
  slots?: AttemptSlots
  throttle?: Throttle
  /** Called with each delivery that was attempted. */
  onAttempt?(delivery_id: string): void
  /** Called instead of running the turn of another workspace. */
  onOtherTurn?(workspace_id: string): void
}

/** A sender for a workspace with a webhook, to which every delivery succeeds at once. */
async function openSender(
  t: TestContext,
  engine: DatabaseEngine,
  { slots = new AttemptSlots(), throttle, onAttempt, onOtherTurn = assert.fail }: SenderOptions,
) {
  const { storage, team, send } = await openTestClient(engine)
  const dispatcher_id = newId('dsp', storage.clock.now())
  const lease = await startLease(storage, dispatcher_id, assert.ifError)
  t.after(() => lease.release())
  const sent: string[] = []
  let turns = Promise.resolve()
  const sender = new WorkspaceSender(
    {
      storage,
      dispatcher_id,
      slots,
      log: testLog,
      rules: { retrySeconds: [], disableAfterAttempts: 1, disableAfterSeconds: 1 },
      observer: {
        onAttempt({ delivery }) {
          sent.push(delivery.id)
          onAttempt?.(delivery.id)
        },
        onDisabled: assert.fail,
      },
      throttle: throttle ?? new Throttle({ requests: 0, served: 0 }),
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
    const throttle = new RestingThrottle({ requests: 0, served: 0 })
    const { sent, createAndSendTask, untilRecorded } = await openSender(t, engine, { throttle })
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
      slots.acquire(`w${n % 6}`, `h${n}`, `h${n}`),
    )
    const turnsOfOthers: string[] = []
    const { workspace, sent, createAndSendTask, untilRecorded } = await openSender(t, engine, {
      slots,
      onOtherTurn: (id) => turnsOfOthers.push(id),
    })
    await createAndSendTask()
    // Its first turn makes the deliveries, and a turn that reads them finds no slot.
    assert.equal(sent.length, 0)
    slots.wait('w0', 'h256', 'h256')
    others.pop()?.release(true)
    assert.equal(slots.takeNextAfter('w1'), workspace)
    await createAndSendTask()
    await waitUntil('the deliveries', () => sent.length === 2)
    await untilRecorded()
    assert.equal(turnsOfOthers[0], 'w0')
  })
}

const openQueue = (): WebhookQueue =>
  new WebhookQueue({
    id: 'whk_1',
    url: 'https://example.com/hook',
    is_active: 1,
    activation: 1,
    sealed_secret: '',
    sealed_previous_secret: null,
    previous_secret_expires_at: null,
    failure_count: 0,
    has_stale: 0,
  })

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

const ready = (queue: WebhookQueue) => queue.ready.map(({ id }) => id)

test('tests and redeliveries do not wait for a backlog, and a replay does not hold up live events', () => {
  const queue = openQueue()
  queue.fill([...REPLAYS, ...LIVE, TEST], 10)
  assert.deepEqual(ready(queue), ['test', 'live1', 'replay1', 'live2', 'replay2', 'replay3'])
  assert.equal(queue.isExhausted, true)
  queue.fill([...REPLAYS, ...LIVE, TEST], 3)
  assert.deepEqual(ready(queue), ['test', 'live1', 'replay1'])
  assert.equal(queue.isExhausted, false)
})

test('reads fewer deliveries ahead where their bodies are long, but always one', () => {
  const queue = openQueue()
  const long = 'x'.repeat(200_000)
  queue.fill([deliveryOf('1', 1, long), deliveryOf('2', 1, long)], 16)
  assert.deepEqual(ready(queue), ['1'])
  assert.equal(queue.readAhead, 4)
  assert.equal(queue.isExhausted, false)
  queue.fill([deliveryOf('2', 1, long.repeat(2))], 16)
  assert.deepEqual(ready(queue), ['2'])
  queue.fill([deliveryOf('3', 1)], 16)
  assert.equal(queue.readAhead, 100)
})
