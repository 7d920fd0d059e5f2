import { Registry } from 'prom-client'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import { unscopedCommand } from '#db/core/statement.ts'
import { cancelStaleDeliveries, disableWebhook } from '#db/deliveries/delivery-queue.ts'
import * as old from '#db/deliveries/delivery-retention.ts'
import { continueReplay, countWantedEvents, nextReplay } from '#db/deliveries/replays.ts'
import { oldestEvents, trimEventLog } from '#db/events/event-retention.ts'
import { toJson } from '#lib/json.ts'
import * as store from '#webhooks/dispatch/store.ts'
import { findPendingWorkspaces } from '#webhooks/dispatch/store.ts'
import { loadBacklog } from '#webhooks/queue/backlog.ts'
import { fanOut } from '#webhooks/queue/fan-out.ts'
import { createDeliveryMetrics } from '#webhooks/results/metrics.ts'
import { recordAttempts } from '#webhooks/results/record.ts'
import type { DeliveryAttempt } from '#webhooks/sending/attempt.ts'

/** A workspace with a backlog, as a dispatcher sees it. */
export interface BacklogStore {
  storage: Storage
  workspace: string
  project: string
  /** The steps disable the last webhook and delete the one before. */
  webhooks: readonly string[]
}

const RULES = { retrySeconds: [5, 300], disableAfterSeconds: 259_200, disableAfterAttempts: 20 }
/** How many deliveries of a webhook the dispatcher reads ahead. */
const READ_AHEAD = 32
const EMITTED_EVENTS = 100

/** Everything that the server does with the deliveries of a workspace, by name. */
export function createDispatchSteps(backlog: BacklogStore): Record<string, () => Promise<unknown>> {
  const { storage, workspace, project, webhooks } = backlog
  const actor = { ...ANONYMOUS_ACTOR, workspace_id: workspace }
  const [webhook_id = ''] = webhooks
  const [deleted = '', disabled = ''] = webhooks.slice(-2)
  const sending = webhooks.slice(0, -2)
  const now = () => new Date().toISOString()
  const registry = new Registry()
  createDeliveryMetrics(registry, () => loadBacklog(storage))
  let attempts: DeliveryAttempt[] = []

  return {
    round: () => findPendingWorkspaces(storage, 'dsp_1'),
    look: () =>
      storage.read(actor, async (tx) => {
        await tx.one(store.dispatchState, { dispatcher_id: 'dsp_1', now: tx.now })
        await tx.all(store.dueWebhooks, { now: tx.now })
        await tx.one(nextReplay, {})
      }),
    claim: () =>
      storage.write(actor, async (tx) => {
        await tx.run(store.claimWorkspace, { dispatcher_id: 'dsp_1', now: tx.now })
        await tx.one(store.currentClaim, {})
      }),
    emit: () =>
      storage.write(actor, async (tx) => {
        for (let n = 0; n < EMITTED_EVENTS; n++) {
          const about = { subject_id: `tsk_${tx.nowMs}_${n}`, project_id: project }
          tx.emit('task.created', toJson({ id: about.subject_id }), about)
        }
      }),
    'fan out': () => storage.write(actor, fanOut),
    pick: async () => {
      const before = attempts.map(({ delivery }) => delivery.id)
      attempts = []
      for (const webhook_id of sending) {
        const which = { webhook_id, activation: 0, busy: before, limit: READ_AHEAD, now: now() }
        const ready = await storage.read(actor, (tx) => tx.all(store.readyDeliveries, which))
        attempts.push(...ready.map((delivery, at) => createAttempt(delivery, webhook_id, at)))
      }
    },
    record: () => storage.write(actor, (tx) => recordAttempts(tx, attempts, RULES)),
    figures: () => registry.metrics(),
    count: () =>
      storage.read(actor, async (tx) => {
        for (const filter of webhookFilters(project)) {
          await countWantedEvents(tx, filter, { from_sequence: 1, to_sequence: 1e9 }, 10_000)
        }
      }),
    replay: () =>
      storage.write(actor, async (tx) => {
        for (const filter of webhookFilters(project)) {
          await tx.run(updateFilter, { id: webhook_id, ...filter })
          const replay = {
            id: tx.operation_id,
            webhook_id,
            activation: 0,
            next_sequence: 1,
            to_sequence: 1e9,
          }
          await continueReplay(tx, replay)
        }
        await tx.run(updateFilter, { id: webhook_id, ...webhookFilters(project)[0] })
      }),
    disable: async () => {
      await storage.write(actor, (tx) => disableWebhook(tx, { id: disabled, reason: 'manual' }))
      await storage.write(actor, (tx) => cancelStaleDeliveries(tx, disabled))
    },
    forget: async () => {
      const between = { after: '', before: 'dlv_z', limit: 200 }
      const some = await storage.read(actor, (tx) => tx.all(old.deliveriesBetween, between))
      await storage.read(actor, (tx) => tx.one(old.removedWebhook, {}))
      await storage.write(actor, (tx) => old.deleteDeliveries(tx, some.slice(-20)))
      await storage.write(actor, (tx) => old.deleteLogOfRemovedWebhook(tx, deleted, 200))
    },
    'leave the log': async () => {
      const oldest = await storage.read(actor, (tx) => tx.all(oldestEvents, { limit: 500 }))
      const [first = 1, last = 1] = [oldest[0]?.sequence, oldest.at(-1)?.sequence]
      await storage.write(actor, (tx) => trimEventLog(tx, { first, last }))
    },
  }
}

/** Filters of webhooks, one for each way in which events are selected. */
const webhookFilters = (project: string) =>
  [
    { events: '["*"]', project_ids: null },
    { events: '["task.created"]', project_ids: null },
    { events: '["*"]', project_ids: JSON.stringify([project]) },
    { events: '["task.created"]', project_ids: JSON.stringify([project]) },
  ] as const

const updateFilter = unscopedCommand(
  (db, $: { id: string; events: string; project_ids: string | null }) =>
    db
      .updateTable('webhooks')
      .set({ events: $.events, project_ids: $.project_ids })
      .where('id', '=', $.id),
)

/** Creates the result of an attempt. Every fourth one fails. */
function createAttempt(
  delivery: store.ReadyDelivery,
  webhook_id: string,
  at: number,
): DeliveryAttempt {
  const failed = at % 4 === 0
  return {
    webhook_id,
    activation: 0,
    delivery,
    number: delivery.attempt_count + 1,
    startedAt: Date.now(),
    url: 'http://127.0.0.1/hook',
    headers: { 'Content-Type': 'application/json', 'X-Service-Delivery': delivery.id },
    isUnsendable: false,
    status: failed ? 500 : 200,
    body: 'ok',
    error: failed ? 'http_status' : null,
    duration_ms: 12,
    retry_after: null,
  }
}
