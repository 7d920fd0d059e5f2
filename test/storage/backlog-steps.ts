import { Registry } from 'prom-client'
import { NOBODY } from '#core/actor.ts'
import type { Storage } from '#core/tx.ts'
import type { Attempt } from '#delivery/attempt.ts'
import { fanOut } from '#delivery/fan-out.ts'
import { replaysOf } from '#delivery/fan-out-store.ts'
import { figures } from '#delivery/figures.ts'
import { record } from '#delivery/record.ts'
import { lookRound } from '#delivery/round.ts'
import * as store from '#delivery/store.ts'
import { toJson } from '#lib/json.ts'
import { cancelStale, disableWebhook } from '#storage/deliveries.ts'
import * as old from '#storage/old-deliveries.ts'
import { leaveLog, oldestEvents } from '#storage/old-events.ts'
import { continueReplay, countWanted } from '#storage/replays.ts'
import { commandOfAll } from '#storage/statement.ts'

/** A workspace with a backlog, as the steps of a dispatcher find it. */
export interface Burdened {
  storage: Storage
  workspace: string
  project: string
  /** The last is disabled by the steps, the one before deleted. */
  webhooks: readonly string[]
}

const RULES = { retrySeconds: [5, 300], disableAfterSeconds: 259_200, disableAfterAttempts: 20 }
/** As many deliveries of a webhook as the dispatcher reads ahead. */
const AHEAD = 32
const EVENTS = 100

/** All that is done with deliveries in a workspace, each as the program does it, by name. */
export function steps(burdened: Burdened): Record<string, () => Promise<unknown>> {
  const { storage, workspace, project, webhooks } = burdened
  const actor = { ...NOBODY, workspace_id: workspace }
  const [webhook_id = ''] = webhooks
  const [deleted = '', disabled = ''] = webhooks.slice(-2)
  const sending = webhooks.slice(0, -2)
  const now = () => new Date().toISOString()
  const registry = new Registry()
  figures(registry, storage)
  let picked: Attempt[] = []

  return {
    round: () => lookRound(storage, 'dsp_1'),
    look: () =>
      storage.read(actor, async (tx) => {
        await tx.one(store.dispatchState, { dispatcher_id: 'dsp_1', now: tx.now })
        await tx.all(store.targetsDue, { now: tx.now })
        await tx.one(replaysOf, {})
      }),
    claim: () =>
      storage.write(actor, async (tx) => {
        await tx.run(store.claim, { dispatcher_id: 'dsp_1', now: tx.now })
        await tx.one(store.claimed, {})
      }),
    emit: () =>
      storage.write(actor, async (tx) => {
        for (let n = 0; n < EVENTS; n++) {
          const about = { subject_id: `tsk_${tx.instant}_${n}`, project_id: project }
          tx.emit('task.created', toJson({ id: about.subject_id }), about)
        }
      }),
    'fan out': () => storage.write(actor, fanOut),
    pick: async () => {
      const before = picked.map(({ delivery }) => delivery.id)
      picked = []
      for (const webhook_id of sending) {
        const which = { webhook_id, activation: 0, busy: before, limit: AHEAD, now: now() }
        const ready = await storage.read(actor, (tx) => tx.all(store.readyDeliveries, which))
        picked.push(...ready.map((delivery, at) => attempted(delivery, webhook_id, at)))
      }
    },
    record: () => storage.write(actor, (tx) => record(tx, picked, RULES)),
    figures: () => registry.metrics(),
    count: () =>
      storage.read(actor, async (tx) => {
        for (const wanting of wants(project)) {
          await countWanted(tx, wanting, { from_sequence: 1, to_sequence: 1e9 }, 10_000)
        }
      }),
    replay: () =>
      storage.write(actor, async (tx) => {
        for (const wanting of wants(project)) {
          await tx.run(wantingOf, { id: webhook_id, ...wanting })
          const replay = {
            id: tx.operation_id,
            webhook_id,
            activation: 0,
            next_sequence: 1,
            to_sequence: 1e9,
          }
          await continueReplay(tx, replay)
        }
        await tx.run(wantingOf, { id: webhook_id, ...wants(project)[0] })
      }),
    disable: async () => {
      await storage.write(actor, (tx) => disableWebhook(tx, { id: disabled, reason: 'manual' }))
      await storage.write(actor, (tx) => cancelStale(tx, disabled))
    },
    forget: async () => {
      const between = { after: '', before: 'dlv_z', limit: 200 }
      const some = await storage.read(actor, (tx) => tx.all(old.deliveriesBetween, between))
      await storage.read(actor, (tx) => tx.one(old.removedWebhook, {}))
      await storage.write(actor, (tx) => old.forget(tx, some.slice(-20)))
      await storage.write(actor, (tx) => old.forgetLogOf(tx, deleted, 200))
    },
    'leave the log': async () => {
      const oldest = await storage.read(actor, (tx) => tx.all(oldestEvents, { limit: 500 }))
      const [first = 1, last = 1] = [oldest[0]?.sequence, oldest.at(-1)?.sequence]
      await storage.write(actor, (tx) => leaveLog(tx, { first, last }))
    },
  }
}

/** What webhooks can want, by each way in which events are looked up. */
const wants = (project: string) =>
  [
    { events: '["*"]', project_ids: null },
    { events: '["task.created"]', project_ids: null },
    { events: '["*"]', project_ids: JSON.stringify([project]) },
    { events: '["task.created"]', project_ids: JSON.stringify([project]) },
  ] as const

const wantingOf = commandOfAll(
  (db, $: { id: string; events: string; project_ids: string | null }) =>
    db
      .updateTable('webhooks')
      .set({ events: $.events, project_ids: $.project_ids })
      .where('id', '=', $.id),
)

/** Every fourth attempt fails. */
function attempted(delivery: store.Ready, webhook_id: string, at: number): Attempt {
  const failed = at % 4 === 0
  return {
    webhook_id,
    activation: 0,
    delivery,
    number: delivery.attempt_count + 1,
    started: Date.now(),
    url: 'http://127.0.0.1/hook',
    headers: { 'Content-Type': 'application/json', 'X-Service-Delivery': delivery.id },
    broken: false,
    status: failed ? 500 : 200,
    body: 'ok',
    error: failed ? 'http_status' : null,
    duration_ms: 12,
    retry_after: null,
  }
}
