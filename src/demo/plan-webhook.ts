import type { WriteTx } from '#core/transaction.ts'
import { createWebhookAs } from '#resources/webhooks/operations.ts'
import { dueWebhooks, readyDeliveries } from '#webhooks/dispatch/store.ts'
import { fanOut } from '#webhooks/queue/fan-out.ts'
import { recordAttempts } from '#webhooks/results/record.ts'
import { createAttemptRunner, type DeliveryAttempt } from '#webhooks/sending/attempt.ts'
import type { AttemptResult } from '#webhooks/sending/attempt-result.ts'
import { DEMO_WEBHOOK_EVENTS, type DemoContext, type DemoStep } from './demo-step.ts'

/** Nothing is ever sent to this name, and no server can have it (RFC 2606). */
const RECEIVER_URL = 'https://hooks.demo.example/team-chat'
const CREATED_ON = -13
const OUTAGE_ON = -5
const ARCHIVED_ON = -2
const SENDING_DELAY_MS = 600
/** When the attempts after a failure are due, with the most that their delays can grow. */
const RETRY_DELAYS_MS = [7_000, 400_000, 2_600_000, 11_300_000]
const RULES = {
  retrySeconds: [5, 300, 1_800, 7_200, 18_000],
  disableAfterSeconds: 259_200,
  disableAfterAttempts: 20,
}
const MAX_DELIVERIES = 50

/**
 * A webhook with a log of deliveries: most succeeded, some were retried during an outage, and a reply
 * 410 disabled it. It stays disabled, so the demo never sends a request.
 */
export function planWebhook(
  { calendar, people, projects }: DemoContext,
  history: readonly DemoStep[],
): DemoStep[] {
  const createdAt = calendar.timeOn(CREATED_ON, '10:58:00')
  const outage = {
    from: calendar.timeOn(OUTAGE_ON, '12:50:00'),
    to: calendar.timeOn(OUTAGE_ON, '15:50:00'),
  }
  const archivedAt = calendar.timeOn(ARCHIVED_ON, '12:30:00')
  const create: DemoStep = {
    at: createdAt,
    by: 'jonas',
    run: (tx) =>
      createWebhookAs(
        tx,
        {
          url: RECEIVER_URL,
          description: 'Posts to the team chat what was created, completed and discussed',
          events: [...DEMO_WEBHOOK_EVENTS],
          project_ids: [projects.website.id],
        },
        people.jonas,
      ),
  }
  const reply = (at: number): AttemptResult => {
    const duration_ms = 80 + (Math.floor(at / 1_000) % 160)
    const result = { duration_ms, retry_after: null }
    if (at >= archivedAt) {
      const body = '{"error":"channel_archived"}'
      return { ...result, status: 410, body, error: 'http_status' }
    }
    if (at >= outage.from && at < outage.to) {
      return { ...result, status: 503, body: 'Service Unavailable', error: 'http_status' }
    }
    return { ...result, status: 200, body: '{"ok":true}', error: null }
  }
  const causes = history.filter(({ at, event }) => event !== undefined && at > createdAt)
  const sendings = causes.flatMap(({ at }) => {
    const isDuringOutage = at >= outage.from && at < outage.to
    const delays = [0, ...(isDuringOutage ? RETRY_DELAYS_MS : [])]
    return delays.map((delay) => at + SENDING_DELAY_MS + delay)
  })
  return [
    create,
    ...sendings.map((at): DemoStep => ({ at, by: 'docket', run: (tx) => deliver(tx, reply) })),
  ]
}

/** Delivers as the dispatcher does, but lets `reply` answer instead of the receiver. */
async function deliver(tx: WriteTx, reply: (at: number) => AttemptResult): Promise<void> {
  await fanOut(tx)
  const { workspace_id } = tx.actor
  const runAttempt = createAttemptRunner(
    {
      send: async () => reply(tx.nowMs),
      decrypt: (sealed) => tx.decrypt(sealed),
      log: {
        error: (_, message) => {
          throw new Error(message)
        },
      },
    },
    { now: () => tx.nowMs },
  )
  const attempts: DeliveryAttempt[] = []
  for (const webhook of await tx.all(dueWebhooks, { now: tx.now })) {
    const { id: webhook_id, activation } = webhook
    const limits = { now: tx.now, busy: [], limit: MAX_DELIVERIES }
    const ready = await tx.all(readyDeliveries, { webhook_id, activation, ...limits })
    for (const delivery of ready) {
      attempts.push(await runAttempt(workspace_id, webhook, delivery))
    }
  }
  await recordAttempts(tx, attempts, RULES)
}
