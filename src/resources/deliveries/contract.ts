import { Type } from 'typebox'
import { endpoint } from '#wire/endpoint.ts'
import { EVENT_KINDS, FAILURES } from '#wire/events.ts'
import { type Fault, fault } from '#wire/fault.ts'
import {
  Fields,
  Flag,
  Id,
  List,
  ListQuery,
  Nullable,
  OneOf,
  OneOrMore,
  Optional,
  PageOf,
  type Static,
  Timestamp,
  Whole,
} from '#wire/schema.ts'

const MOST = Number.MAX_SAFE_INTEGER
const STATUSES = ['pending', 'succeeded', 'failed', 'canceled'] as const
const DELIVERED = [...EVENT_KINDS, 'webhook.test'] as const

const FIELDS = {
  id: Id('dlv'),
  webhook_id: Id('whk'),
  event_id: Id('evt', { description: 'The same in redeliveries and replays of the event.' }),
  event_type: OneOf(DELIVERED),
  sequence: Nullable(Whole(1, MOST), { description: 'Of the event; null for a test.' }),
  status: OneOf(STATUSES),
  attempt_count: Whole(0, MOST),
  next_attempt_at: Nullable(Timestamp(), {
    description: 'Null when it is over, and while it waits for an earlier event of its subject.',
  }),
  last_attempt_at: Nullable(Timestamp()),
  response_status: Nullable(Whole(100, 999), { description: 'Of the last attempt.' }),
  duration_ms: Nullable(Whole(0, MOST), { description: 'Of the last attempt.' }),
  error: Nullable(OneOf(FAILURES), { description: 'Why the last attempt failed.' }),
  is_test: Flag(),
  redelivery_of_id: Nullable(Id('dlv')),
  created_at: Timestamp(),
  completed_at: Nullable(Timestamp()),
}

/** An event on its way to one webhook (contract 7.3). */
export type Delivery = Static<typeof Delivery>
export const Delivery = Type.Object(FIELDS, { title: 'Delivery', additionalProperties: false })

/** The same with all that was sent and answered. */
export type DeliveryDetails = Static<typeof DeliveryDetails>
export const DeliveryDetails = Type.Object(
  {
    ...FIELDS,
    request: Nullable(
      Fields({
        url: Type.String(),
        headers: Type.Record(Type.String(), Type.String()),
        body: Type.String({ description: 'The exact text that was sent and signed.' }),
      }),
      { description: 'As the last attempt sent it; null before the first.' },
    ),
    attempts: List(
      Fields({
        number: Whole(1, MOST),
        started_at: Timestamp(),
        duration_ms: Whole(0, MOST),
        response_status: Nullable(Whole(100, 999)),
        response_body: Nullable(Type.String(), { description: 'Its first 2 KiB.' }),
        error: Nullable(OneOf(FAILURES)),
      }),
    ),
  },
  { title: 'DeliveryDetails', additionalProperties: false },
)

const OneWebhook = Fields({ id: Id('whk') })
const OneDelivery = Fields({ id: Id('dlv') })
const common = { limit: 'workspace', tag: 'Deliveries' } as const

export const listDeliveries = endpoint({
  ...common,
  method: 'GET',
  path: '/api/v1/webhooks/:id/deliveries',
  scope: 'webhooks:read',
  summary: 'List the deliveries of a webhook',
  description: 'Kept for 30 days, and while they are pending.',
  params: OneWebhook,
  query: ListQuery(['-created_at'], {
    status: OneOrMore(OneOf(STATUSES)),
    event_type: OneOrMore(OneOf(DELIVERED)),
    event_id: Optional(Id('evt')),
  }),
  reply: PageOf(Delivery),
})

export const getDelivery = endpoint({
  ...common,
  method: 'GET',
  path: '/api/v1/deliveries/:id',
  scope: 'webhooks:read',
  summary: 'Get a delivery, with all that was sent and answered',
  params: OneDelivery,
  reply: DeliveryDetails,
})

export const redeliver = endpoint({
  ...common,
  method: 'POST',
  path: '/api/v1/deliveries/:id/redeliver',
  scope: 'webhooks:write',
  summary: 'Deliver once more',
  description:
    'A new delivery of the same event, with the same bytes, also when the log has lost it.',
  params: OneDelivery,
  body: Fields({}),
  bodyOptional: true,
  reply: Delivery,
  status: 202,
})

export const testWebhook = endpoint({
  ...common,
  method: 'POST',
  path: '/api/v1/webhooks/:id/test',
  scope: 'webhooks:write',
  summary: 'Send a test to a webhook',
  description: 'An event of type `webhook.test`, which is in no log. There is one attempt.',
  params: OneWebhook,
  body: Fields({}),
  bodyOptional: true,
  reply: Delivery,
  status: 202,
})

export const replayEvents = endpoint({
  ...common,
  method: 'POST',
  path: '/api/v1/webhooks/:id/replay',
  scope: 'webhooks:write',
  summary: 'Send events of the log once more',
  description:
    'Queues, in order, every event of the range that the webhook wants: at most 10,000. Answers 410 ' +
    '`events_expired` when the log does not go back so far.',
  params: OneWebhook,
  body: Type.Object(
    {
      from_sequence: Whole(0, MOST),
      to_sequence: Optional(Whole(0, MOST, { description: 'Not said: the newest event.' })),
    },
    { additionalProperties: false, 'x-together': endAfterStart },
  ),
  reply: Fields({
    queued: Whole(0, 10_000),
    from_sequence: Whole(0, MOST),
    to_sequence: Whole(0, MOST),
  }),
  status: 202,
})

function endAfterStart(given: Readonly<Record<string, unknown>>): Fault[] {
  const { from_sequence: from, to_sequence: to } = given
  const isTurned = typeof from === 'number' && typeof to === 'number' && to < from
  return isTurned ? [fault('to_sequence', 'invalid_range', 'must not be before from_sequence')] : []
}
