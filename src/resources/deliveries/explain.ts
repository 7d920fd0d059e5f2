import type { Operation } from '#core/route.ts'
import type { ReadTx } from '#core/transaction.ts'
import { firstIdAt, timeOfId } from '#lib/id.ts'
import type { loadWebhook } from '#resources/webhooks/load.ts'
import type { DeliveryWait, ExplainedDelivery, explainWebhook, WebhookCheck } from './contract.ts'
import {
  deliveriesOfEvent,
  eventById,
  fannedOutSequence,
  firstInLane,
  replayBefore,
} from './store.ts'

const MAX_DELIVERIES = 20

type ExplainedWebhook = Awaited<ReturnType<typeof loadWebhook>>
type LoggedEventRow = NonNullable<Awaited<ReturnType<typeof loadEvent>>>
type DeliveryOfEvent = Awaited<ReturnType<typeof loadDeliveries>>[number]

/** Explains why an event went to a webhook, waits, or did not go. */
export const explain: Operation<typeof explainWebhook, ExplainedWebhook> = async (
  tx,
  webhook,
  { query: { event_id } },
) => {
  const deliveries = await loadDeliveries(tx, webhook, event_id)
  const [newest] = deliveries
  const about = { webhook_id: webhook.id, event_id, deliveries }
  if (newest) {
    const { event_type, sequence } = newest
    // Once its attempts have ended, it does not matter what the webhook is set to.
    const hasEnded = newest.status === 'succeeded' || newest.status === 'failed'
    const active = hasEnded ? passed('active', QUEUED) : activeCheck(webhook)
    const checks = stopAtRefusal([...QUEUED_CHECKS, active, arrivalCheck(newest)])
    return { ...about, event_type, sequence, is_matched: true, checks, waits_for: null }
  }
  const event = await loadEvent(tx, event_id)
  if (!event) {
    const checks = stopAtRefusal([refused('event', NO_EVENT)])
    return {
      ...about,
      event_type: null,
      sequence: null,
      is_matched: false,
      checks,
      waits_for: null,
    }
  }
  const { type: event_type, sequence } = event
  const filters = filterChecks(webhook, event)
  const is_matched = filters.every(({ outcome }) => outcome === 'passed')
  const waits_for =
    is_matched && webhook.is_active === 1 ? await waitOfEvent(tx, webhook, sequence) : null
  const delivery: WebhookCheck = waits_for
    ? { name: 'delivery', outcome: 'waiting', message: WAITING }
    : refused('delivery', NOT_QUEUED)
  const checks = stopAtRefusal([...filters, activeCheck(webhook), delivery])
  return { ...about, event_type, sequence, is_matched, checks, waits_for }
}

const NO_EVENT = 'Neither the log nor a delivery to this webhook has an event with this id.'
const QUEUED = 'The event matched the webhook when it was queued.'
const WAITING = 'It is not delivered yet.'
const NOT_QUEUED =
  'There is no delivery: the webhook was set differently when the event happened, or the delivery is no longer kept.'

const passed = (name: WebhookCheck['name'], message: string): WebhookCheck => ({
  name,
  outcome: 'passed',
  message,
})

const refused = (name: WebhookCheck['name'], message: string): WebhookCheck => ({
  name,
  outcome: 'refused',
  message,
})

const QUEUED_CHECKS: readonly WebhookCheck[] = (
  ['event', 'enabled', 'type', 'project'] as const
).map((name) => passed(name, QUEUED))

const ALL_CHECKS = ['event', 'enabled', 'type', 'project', 'active', 'delivery'] as const

/** Nothing is checked after the first refusal. */
function stopAtRefusal(checks: readonly WebhookCheck[]): WebhookCheck[] {
  const end = checks.findIndex(({ outcome }) => outcome === 'refused')
  const reached = end < 0 ? checks : checks.slice(0, end + 1)
  const rest = ALL_CHECKS.slice(reached.length)
  return [
    ...reached,
    ...rest.map((name) => ({ name, outcome: 'not_reached' as const, message: '' })),
  ]
}

function filterChecks(
  { events, project_ids, enabled_after_sequence }: ExplainedWebhook,
  { type, sequence, project_id, former_project_id }: LoggedEventRow,
): WebhookCheck[] {
  const wanted: string[] = JSON.parse(events)
  const entry = wanted.find((one) => one === type || one === '*')
  return [
    passed('event', 'The log has the event.'),
    sequence > enabled_after_sequence
      ? passed('enabled', 'It happened after the webhook was last enabled.')
      : refused(
          'enabled',
          'It happened before the webhook was last enabled. Replay it to send it anyway.',
        ),
    entry === undefined
      ? refused('type', `\`events\` does not have \`${type}\`.`)
      : passed('type', `\`events\` has \`${entry}\`.`),
    projectCheck(project_ids, project_id, former_project_id),
  ]
}

function projectCheck(
  project_ids: string | null,
  project_id: string | null,
  former_project_id: string | null,
): WebhookCheck {
  if (project_ids === null) return passed('project', 'The webhook has no `project_ids`.')
  const wanted: string[] = JSON.parse(project_ids)
  if (project_id !== null && wanted.includes(project_id))
    return passed('project', `\`project_ids\` has its project \`${project_id}\`.`)
  if (former_project_id !== null && wanted.includes(former_project_id))
    return passed(
      'project',
      `\`project_ids\` has \`${former_project_id}\`, its project before the operation.`,
    )
  return project_id === null
    ? refused('project', 'It belongs to no project, and the webhook has `project_ids`.')
    : refused('project', `\`project_ids\` does not have its project \`${project_id}\`.`)
}

const activeCheck = ({ is_active, disabled_reason }: ExplainedWebhook): WebhookCheck =>
  is_active === 1
    ? passed('active', 'The webhook is active.')
    : refused('active', `The webhook is disabled: \`${disabled_reason}\`.`)

const arrivalCheck = ({ status, attempts }: DeliveryOfEvent): WebhookCheck => {
  if (status === 'succeeded') return passed('delivery', 'It was delivered.')
  if (status === 'pending') return { name: 'delivery', outcome: 'waiting', message: WAITING }
  return status === 'failed'
    ? refused('delivery', `All ${attempts.length} attempts failed.`)
    : refused('delivery', 'It was canceled, because the webhook was disabled first.')
}

const loadEvent = (tx: ReadTx, id: string) =>
  tx.one(eventById, {
    id,
    from_operation_id: firstIdAt('opr', timeOfId(id)),
    to_operation_id: firstIdAt('opr', timeOfId(id) + 1),
  })

/** What an event that matches waits for; null if it will not be queued. */
async function waitOfEvent(
  tx: ReadTx,
  { id, activation }: ExplainedWebhook,
  sequence: number,
): Promise<DeliveryWait | null> {
  const { fanned_out_sequence = 0 } = (await tx.one(fannedOutSequence, {})) ?? {}
  if (sequence > fanned_out_sequence)
    return { reason: 'queue', delivery_id: null, next_attempt_at: null }
  const replay = await tx.one(replayBefore, { webhook_id: id, activation, sequence })
  return replay ? { reason: 'replay', delivery_id: null, next_attempt_at: null } : null
}

async function loadDeliveries(
  tx: ReadTx,
  webhook: ExplainedWebhook,
  event_id: string,
): Promise<ExplainedDelivery[]> {
  const about = { webhook_id: webhook.id, event_id, limit: MAX_DELIVERIES }
  const explained: ExplainedDelivery[] = []
  for (const { json, ...row } of await tx.all(deliveriesOfEvent, about)) {
    const delivery: Omit<ExplainedDelivery, 'waits_for'> = JSON.parse(json)
    explained.push({ ...delivery, waits_for: await waitOfDelivery(tx, webhook, row) })
  }
  return explained
}

interface QueuedDelivery {
  status: string
  blocked: number
  lane: string | null
  due_at: string
  activation: number
}

async function waitOfDelivery(
  tx: ReadTx,
  { id, activation }: ExplainedWebhook,
  { status, blocked, lane, due_at, ...delivery }: QueuedDelivery,
): Promise<DeliveryWait | null> {
  if (status !== 'pending') return null
  if (delivery.activation !== activation)
    return { reason: 'cancellation', delivery_id: null, next_attempt_at: null }
  if (blocked === 1 && lane !== null) {
    const first = await tx.one(firstInLane, { webhook_id: id, lane })
    return {
      reason: 'earlier_delivery',
      delivery_id: first?.id ?? null,
      next_attempt_at: first?.due_at ?? null,
    }
  }
  return { reason: due_at > tx.now ? 'retry' : 'turn', delivery_id: null, next_attempt_at: due_at }
}
