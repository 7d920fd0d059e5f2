import type { TSchema } from 'typebox'
import type { EventKind } from '#wire/event-kinds.ts'
import type {
  OpenApiDocument,
  OpenApiParameter,
  OpenApiSchema,
} from '../api-reference/openapi/openapi-types.ts'
import { eventExampleOf } from './recorded-examples.ts'
import type { SchemaConverter } from './schema-converter.ts'

/** The schemas of events, and for each kind the record in `data` and when the event is sent. */
export interface EventSchemas {
  readonly envelope: TSchema
  readonly test: TSchema
  readonly kinds: Readonly<Record<EventKind, readonly [record: TSchema, summary: string]>>
}

const DATA_DESCRIPTION = 'The whole record after the operation.'

/** The name of a schema: "TaskCreatedEvent" for `task.created`. */
const eventName = (kind: string) =>
  `${kind.replace(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase())}Event`

/**
 * The events as webhooks of the document, by kind. Adds a schema for each kind to the components:
 * that of all events, narrowed to the record of this kind.
 */
export function createEventWebhooks(
  { envelope, test, kinds }: EventSchemas,
  converter: SchemaConverter,
): NonNullable<OpenApiDocument['webhooks']> {
  const event = converter.convert(envelope, 'reply')
  for (const [kind, [record]] of Object.entries(kinds)) {
    converter.components[eventName(kind)] = {
      description: `An event of type \`${kind}\`.`,
      allOf: [
        event,
        {
          type: 'object',
          properties: {
            type: { type: 'string', enum: [kind], description: 'The type of the event.' },
            data: { ...converter.convert(record, 'reply'), description: DATA_DESCRIPTION },
          },
        },
      ],
    }
  }
  const webhooks = Object.entries(kinds).map(([kind, [, summary]]) => [
    kind,
    webhook(kind, summary, { $ref: `#/components/schemas/${eventName(kind)}` }),
  ])
  return {
    ...Object.fromEntries(webhooks),
    'webhook.test': webhook(
      'webhook.test',
      'Somebody sent a test event to the webhook.',
      converter.convert(test, 'reply'),
      'Docket sends it to the URL of the webhook that is tested.',
    ),
  }
}

const webhook = (
  kind: string,
  summary: string,
  schema: OpenApiSchema,
  description = SUBSCRIPTION_DESCRIPTION,
) => ({
  post: {
    operationId: `on${eventName(kind)}`,
    summary,
    description: `${description} Verify the signature against the raw body before you use it.`,
    tags: [EVENTS_TAG.name],
    security: [],
    parameters: DELIVERY_HEADERS,
    requestBody: {
      required: true,
      content: { 'application/json': { schema, example: eventExampleOf(kind) } },
    },
    responses: {
      '2XX': { description: 'Received. Docket retries after any other status but 410.' },
    },
  },
})

const SUBSCRIPTION_DESCRIPTION =
  'Docket sends it to the URL of each webhook whose `events` have this type or `*`.'

const header = (name: string, description: string, ...examples: string[]): OpenApiParameter => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string', ...(examples.length > 0 && { examples }) },
})

/** Groups the webhooks, apart from the operations on webhooks: generators make a class of each. */
export const EVENTS_TAG = {
  name: 'Webhook events',
  description: 'What Docket sends to your webhooks.',
}

/** The headers of a delivery (docs/spec/api.md#webhook-delivery). */
const DELIVERY_HEADERS: readonly OpenApiParameter[] = [
  header(
    'webhook-id',
    'The `id` of the event, the same in all attempts, redeliveries and replays: deduplicate by it.',
  ),
  header(
    'webhook-timestamp',
    'When this attempt was signed, in Unix seconds. Reject old ones.',
    '1772445600',
  ),
  header(
    'webhook-signature',
    'The signatures as Standard Webhooks defines them, separated by spaces: two while a secret is rotated.',
  ),
  header(
    'X-Service-Signature',
    '`sha256=` and the HMAC-SHA256 of the body in lower-case hexadecimal, by the whole secret as text.',
  ),
  {
    ...header(
      'X-Service-Signature-Previous',
      'The same by the previous secret, while a secret is rotated.',
    ),
    required: false,
  },
  header('X-Service-Event', 'The `type` of the event.', 'task.created'),
  header('X-Service-Delivery', 'The `id` of the delivery, the same in all its attempts.'),
  header('X-Service-Attempt', 'The number of this attempt, from 1.', '1'),
]
