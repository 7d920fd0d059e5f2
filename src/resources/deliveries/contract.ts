import { Type } from 'typebox'
import { endpoint } from '#wire/endpoint.ts'
import { DELIVERY_FAILURES, EVENT_KINDS } from '#wire/event-kinds.ts'
import { type FieldError, fieldError } from '#wire/field-error.ts'
import { CREATED_AT } from '#wire/record-fields.ts'
import {
  CommaSeparated,
  FieldOf,
  Flag,
  Id,
  Integer,
  List,
  ListQuery,
  Nullable,
  Optional,
  PageOf,
  PathId,
  RecordId,
  type Static,
  StrictObject,
  StringEnum,
  Timestamp,
} from '#wire/schema-builders.ts'

const MAX_INTEGER = Number.MAX_SAFE_INTEGER
const STATUSES = ['pending', 'succeeded', 'failed', 'canceled'] as const
const EVENT_TYPES = [...EVENT_KINDS, 'webhook.test'] as const

const DeliveryStatus = StringEnum(STATUSES, {
  title: 'DeliveryStatus',
  description:
    '`pending`: to be attempted, perhaps again. `succeeded`: the receiver replied 2xx. ' +
    '`failed`: Docket gave up. `canceled`: the webhook was disabled first.',
})
const DeliveryFailure = StringEnum(DELIVERY_FAILURES, {
  title: 'DeliveryFailure',
  description:
    '`timeout`: no reply in time. `connection_failed`: no connection, or it broke. ' +
    '`tls_error`: no valid certificate. `dns_failed`: the host name has no address. ' +
    '`blocked_address`: Docket does not send to its address. ' +
    '`redirect`: a status 3xx. `http_status`: any other status than 2xx.',
})
const DeliveredEventType = StringEnum(EVENT_TYPES, {
  title: 'DeliveredEventType',
  'x-open': true,
  description: 'The type of the event; `webhook.test` for a test. More types may be added.',
})

const FIELDS = {
  id: RecordId('dlv'),
  webhook_id: Id('whk', { description: 'The webhook that the event goes to.' }),
  event_id: Id('evt', {
    description: 'The event. It keeps its id when it is redelivered or replayed.',
  }),
  event_type: DeliveredEventType,
  sequence: Nullable(Integer(1, MAX_INTEGER), {
    description: 'The `sequence` of the event. Null for a test.',
  }),
  status: FieldOf(DeliveryStatus, 'How far the delivery is.'),
  attempt_count: Integer(0, MAX_INTEGER, { description: 'How many attempts have ended.' }),
  next_attempt_at: Nullable(Timestamp(), {
    description:
      'When the next attempt is due. Null if there is none, and while an earlier event about the same record goes first.',
  }),
  last_attempt_at: Nullable(Timestamp(), {
    description: 'When the last attempt began. Null before the first.',
  }),
  response_status: Nullable(Integer(100, 999), {
    description: 'The status of the last reply. Null if the last attempt got none.',
  }),
  duration_ms: Nullable(Integer(0, MAX_INTEGER), {
    description: 'How long the last attempt took, in milliseconds. Null before the first.',
  }),
  error: Nullable(DeliveryFailure, {
    description: 'Why the last attempt failed. Null if it succeeded, and before the first.',
  }),
  is_test: Flag({ description: 'Whether the event is a test.' }),
  redelivery_of_id: Nullable(Id('dlv'), {
    description: 'The earlier delivery that this one repeats. Null if it is not a redelivery.',
  }),
  created_at: CREATED_AT,
  completed_at: Nullable(Timestamp(), {
    description: 'When it succeeded, failed or was canceled. Null while it is pending.',
  }),
}

/** The delivery of one event to one webhook (docs/spec/api.md#extensions). */
export type Delivery = Static<typeof Delivery>
export const Delivery = Type.Object(FIELDS, {
  title: 'Delivery',
  description: 'The delivery of one event to one webhook, by one or more attempts.',
  additionalProperties: false,
})

const DeliveryAttempt = StrictObject(
  {
    number: Integer(1, MAX_INTEGER, { description: 'The number of the attempt, from 1.' }),
    started_at: Timestamp({ description: 'When it began.' }),
    duration_ms: Integer(0, MAX_INTEGER, {
      description: 'How long it took, in milliseconds.',
    }),
    response_status: Nullable(Integer(100, 999), {
      description: 'The status of the reply. Null if there was none.',
    }),
    response_body: Nullable(Type.String(), {
      description: 'The first 2 KiB of the reply. Null if there was none.',
    }),
    error: Nullable(DeliveryFailure, {
      description: 'Why it failed. Null if it succeeded.',
    }),
  },
  { title: 'DeliveryAttempt', description: 'One attempt to deliver an event.' },
)

/** A delivery with its last request and all attempts. */
export type DeliveryDetails = Static<typeof DeliveryDetails>
export const DeliveryDetails = Type.Object(
  {
    ...FIELDS,
    request: Nullable(
      StrictObject(
        {
          url: Type.String({ description: 'The URL of the webhook at that time.' }),
          headers: Type.Record(Type.String(), Type.String(), {
            description: 'The headers by name, with the signatures.',
          }),
          body: Type.String({ description: 'The exact text that was sent and signed.' }),
        },
        { title: 'DeliveryRequest', description: 'A request to the URL of a webhook.' },
      ),
      { description: 'The request of the last attempt. Null before the first.' },
    ),
    attempts: List(DeliveryAttempt, { description: 'All attempts, in their order.' }),
  },
  {
    title: 'DeliveryDetails',
    description: 'A delivery with its last request and all its attempts.',
    additionalProperties: false,
  },
)

const WebhookParams = PathId('whk')
const DeliveryParams = PathId('dlv')
const COMMON = { limit: 'workspace', tag: 'Deliveries' } as const

export const listWebhookDeliveries = endpoint({
  ...COMMON,
  method: 'GET',
  path: '/api/v1/webhooks/:id/deliveries',
  scope: 'webhooks:read',
  operationId: 'listWebhookDeliveries',
  summary: 'List the deliveries of a webhook',
  description: 'Deliveries are kept for 30 days, and as long as they are pending.',
  params: WebhookParams,
  query: ListQuery(['-created_at'], {
    status: CommaSeparated(DeliveryStatus, {
      description: 'Only deliveries with one of these statuses.',
    }),
    event_type: CommaSeparated(DeliveredEventType, {
      description: 'Only deliveries of events of these types.',
    }),
    event_id: Optional(Id('evt', { description: 'Only deliveries of this event.' })),
  }),
  reply: PageOf(Delivery),
  roles: 'Owners and admins.',
  errors: ['insufficient_role'],
})

export const getDelivery = endpoint({
  ...COMMON,
  method: 'GET',
  path: '/api/v1/deliveries/:id',
  scope: 'webhooks:read',
  operationId: 'getDelivery',
  summary: 'Get a delivery and its attempts',
  description: 'Shows what was sent last, and what the receiver replied to each attempt.',
  params: DeliveryParams,
  reply: DeliveryDetails,
  roles: 'Owners and admins.',
  errors: ['insufficient_role'],
})

const WEBHOOK_CHECKS = ['event', 'enabled', 'type', 'project', 'active', 'delivery'] as const

/** A check of whether an event goes to a webhook, and how it ended. */
export type WebhookCheck = Static<typeof WebhookCheck>
const WebhookCheck = StrictObject(
  {
    name: StringEnum(WEBHOOK_CHECKS, {
      title: 'WebhookCheckName',
      'x-open': true,
      description:
        'What was checked. `event`: the log or a delivery has it. `enabled`: it happened after the webhook was last ' +
        'enabled. `type`: `events` names its type. `project`: `project_ids` has its project, before or after the ' +
        'operation. `active`: the webhook is not disabled. `delivery`: it has arrived. More may be added.',
    }),
    outcome: StringEnum(['passed', 'refused', 'waiting', 'not_reached'], {
      title: 'WebhookCheckOutcome',
      'x-open': true,
      description:
        '`passed`, `refused`, or `waiting`: it will be decided. `not_reached`: a check before it has refused. ' +
        'More values may be added.',
    }),
    message: Type.String({ description: 'Why, for people. Empty if it was not reached.' }),
  },
  { title: 'WebhookCheck', description: 'A check of whether an event goes to a webhook.' },
)

/** What sends an event next. */
export type DeliveryWait = Static<typeof DeliveryWait>
const DeliveryWait = StrictObject(
  {
    reason: StringEnum(['queue', 'replay', 'earlier_delivery', 'retry', 'turn', 'cancellation'], {
      title: 'DeliveryWaitReason',
      'x-open': true,
      description:
        '`queue`: to be queued. `replay`: to be queued by a replay under way. `earlier_delivery`: one about the same ' +
        'record goes first. `retry`: the next attempt is not due. `turn`: it is due, and sent as soon as others leave ' +
        'room. `cancellation`: the webhook was disabled, and it is about to be canceled. More values may be added.',
    }),
    delivery_id: Nullable(Id('dlv'), {
      description: 'Of `earlier_delivery`: the delivery that goes first.',
    }),
    next_attempt_at: Nullable(Timestamp(), {
      description:
        'When the next attempt is due, of `earlier_delivery` that of the delivery that goes first.',
    }),
  },
  { title: 'DeliveryWait', description: 'What a delivery waits for.' },
)

/** A delivery with its attempts and what it waits for. */
export type ExplainedDelivery = Static<typeof ExplainedDelivery>
const ExplainedDelivery = StrictObject(
  {
    ...FIELDS,
    attempts: List(DeliveryAttempt, { description: 'All attempts, in their order.' }),
    waits_for: Nullable(DeliveryWait, {
      description: 'What the next attempt waits for. Null if there is none.',
    }),
  },
  {
    title: 'ExplainedDelivery',
    description: 'A delivery with its attempts and what it waits for.',
  },
)

export const explainWebhook = endpoint({
  ...COMMON,
  method: 'GET',
  path: '/api/v1/webhooks/:id/why',
  scope: 'webhooks:read',
  operationId: 'explainWebhook',
  summary: 'Explain whether an event goes to a webhook',
  description:
    'Whether the event matches the webhook and by which filter it does not, each attempt to deliver it, and what it ' +
    'waits for. An event that was queued has matched, whatever the webhook is set to now; any other is compared with ' +
    'the present settings.',
  params: WebhookParams,
  query: StrictObject({ event_id: Id('evt', { description: 'The event.' }) }),
  reply: StrictObject(
    {
      webhook_id: Id('whk', { description: 'The webhook.' }),
      event_id: Id('evt', { description: 'The event.' }),
      event_type: Nullable(DeliveredEventType, {
        description: 'The type of the event. Null if no such event is kept.',
      }),
      sequence: Nullable(Integer(1, MAX_INTEGER), {
        description: 'The `sequence` of the event. Null for a test, and if no such event is kept.',
      }),
      is_matched: Flag({ description: 'Whether the webhook wants the event.' }),
      checks: List(WebhookCheck, { description: 'All checks, in their order.' }),
      waits_for: Nullable(DeliveryWait, {
        description: 'What its first delivery waits for. Null if there is one, or will be none.',
      }),
      deliveries: List(ExplainedDelivery, {
        description: 'Its deliveries to this webhook, the newest first, at most 20.',
      }),
    },
    { title: 'WebhookExplanation', description: 'Whether an event goes to a webhook, and why.' },
  ),
  roles: 'Owners and admins.',
  errors: ['insufficient_role'],
})

export const redeliver = endpoint({
  ...COMMON,
  method: 'POST',
  path: '/api/v1/deliveries/:id/redeliver',
  grantsLastingAccess: false,
  scope: 'webhooks:write',
  operationId: 'redeliver',
  summary: 'Redeliver an event',
  description:
    'Creates a new delivery of the same event with the same body, even if the event log no longer has it.',
  params: DeliveryParams,
  body: StrictObject({}),
  bodyOptional: true,
  reply: Delivery,
  status: 202,
  roles: 'Owners and admins.',
  errors: ['insufficient_role', 'webhook_disabled', 'limit_reached'],
})

export const testWebhook = endpoint({
  ...COMMON,
  method: 'POST',
  path: '/api/v1/webhooks/:id/test',
  grantsLastingAccess: false,
  scope: 'webhooks:write',
  operationId: 'testWebhook',
  summary: 'Send a test event',
  description:
    'Sends an event of type `webhook.test` to the webhook, once and without retries. It is not in the event log.',
  params: WebhookParams,
  body: StrictObject({}),
  bodyOptional: true,
  reply: Delivery,
  status: 202,
  roles: 'Owners and admins.',
  errors: ['insufficient_role', 'webhook_disabled'],
})

export const replayEvents = endpoint({
  ...COMMON,
  method: 'POST',
  path: '/api/v1/webhooks/:id/replay',
  grantsLastingAccess: false,
  scope: 'webhooks:write',
  operationId: 'replayEvents',
  summary: 'Replay events',
  description:
    'Sends the events of a range again, in order, as far as the webhook wants them: at most 10,000. ' +
    'If the log does not go back that far, the reply is 410 `events_expired`; ' +
    'if it begins after the newest event, 422 `validation_failed`.',
  params: WebhookParams,
  body: Type.Object(
    {
      from_sequence: Integer(1, MAX_INTEGER, {
        description: 'The `sequence` of the first event to send.',
      }),
      to_sequence: Optional(
        Integer(0, MAX_INTEGER, {
          description:
            'The `sequence` of the last event to send. Default: that of the newest event.',
        }),
      ),
    },
    {
      title: 'EventReplay',
      description: 'The range of events to send again.',
      additionalProperties: false,
      'x-together': validateRange,
    },
  ),
  reply: StrictObject(
    {
      queued: Integer(0, 10_000, { description: 'How many events will be sent.' }),
      from_sequence: Integer(1, MAX_INTEGER, { description: 'The first `sequence` of the range.' }),
      to_sequence: Integer(0, MAX_INTEGER, { description: 'The last `sequence` of the range.' }),
    },
    { title: 'EventReplayResult', description: 'The events that will be sent again.' },
  ),
  status: 202,
  roles: 'Owners and admins.',
  errors: ['insufficient_role', 'webhook_disabled', 'limit_reached', 'events_expired'],
})

function validateRange(body: Readonly<Record<string, unknown>>): FieldError[] {
  const { from_sequence: from, to_sequence: to } = body
  const isReversed = typeof from === 'number' && typeof to === 'number' && to < from
  return isReversed
    ? [fieldError('to_sequence', 'invalid_range', 'must not be before `from_sequence`')]
    : []
}
