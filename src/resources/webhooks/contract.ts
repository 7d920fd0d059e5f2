import { Type } from 'typebox'
import { endpoint } from '#wire/endpoint.ts'
import { EVENT_KINDS } from '#wire/events.ts'
import { type Fault, fault } from '#wire/fault.ts'
import {
  Body,
  Fields,
  Flag,
  Id,
  Line,
  List,
  ListQuery,
  Nullable,
  OneOf,
  Optional,
  PageOf,
  Reference,
  type Static,
  Timestamp,
  Whole,
} from '#wire/schema.ts'

const MOMENT = Nullable(Timestamp())
const Secret = Type.String({ minLength: 8, maxLength: 256 })

/** An address that is told of events (contract 6.7). */
export type Webhook = Static<typeof Webhook>
export const Webhook = Type.Object(
  {
    id: Id('whk'),
    url: Type.String({ format: 'iri', maxLength: 2_048, examples: ['https://example.com/hook'] }),
    description: Nullable(Line(0, 200)),
    events: List(OneOf([...EVENT_KINDS, '*']), {
      minItems: 1,
      maxItems: EVENT_KINDS.length,
      uniqueItems: true,
      description: 'Kinds of event, or `["*"]`: all of them, future ones too.',
    }),
    project_ids: Nullable(
      List(Reference('prj'), { minItems: 1, maxItems: 100, uniqueItems: true }),
      { description: 'Null: all projects, and the events of members.' },
    ),
    is_active: Flag({ default: true }),
    status: OneOf(['active', 'failing', 'disabled']),
    disabled_reason: Nullable(OneOf(['manual', 'gone', 'failures'])),
    failure_count: Whole(0, Number.MAX_SAFE_INTEGER, {
      description: 'Failed attempts since the last that succeeded.',
    }),
    last_delivery_at: MOMENT,
    last_success_at: MOMENT,
    last_failure_at: MOMENT,
    secret: Optional(
      Nullable(Secret, {
        description:
          'Signs deliveries. Shown in the replies of create and rotate-secret only; null in a dry run.',
      }),
    ),
    secret_hint: Type.String({ description: 'Last four characters of the secret.' }),
    previous_secret_expires_at: Nullable(Timestamp(), {
      description: 'Until then deliveries are signed with the secret before, too.',
    }),
    created_by_id: Id('usr'),
    created_at: Timestamp(),
    updated_at: Timestamp({ description: 'Moves with the configuration only.' }),
  },
  { title: 'Webhook', additionalProperties: false },
)

const { url, description, events, project_ids, is_active } = Webhook.properties

/** `*` means every kind: beside another it would be unclear what is wanted. */
function starAlone({ events }: Readonly<Record<string, unknown>>): Fault[] {
  const mixed = Array.isArray(events) && events.length > 1 && events.includes('*')
  return mixed ? [fault('events', 'invalid_value', 'must hold "*" alone, or kinds of event')] : []
}

const OneWebhook = Fields({ id: Id('whk') })
const common = { limit: 'workspace', tag: 'Webhooks' } as const

export const listWebhooks = endpoint({
  ...common,
  method: 'GET',
  path: '/api/v1/webhooks',
  scope: 'webhooks:read',
  summary: 'List webhooks',
  query: ListQuery(['created_at'], { is_active: Optional(Flag()) }),
  reply: PageOf(Webhook),
})

export const createWebhook = endpoint({
  ...common,
  method: 'POST',
  path: '/api/v1/webhooks',
  scope: 'webhooks:write',
  summary: 'Create a webhook',
  description: 'It is sent the events that are committed after it. The secret is shown only here.',
  body: Body(
    {
      url,
      events,
      description: Optional(description),
      project_ids: Optional(project_ids),
      is_active: Optional(is_active),
      secret: Optional(Secret),
    },
    Webhook,
    [],
    [],
    starAlone,
  ),
  reply: Webhook,
  status: 201,
  location: '/api/v1/webhooks/:id',
  dryRun: true,
  secret: true,
})

export const getWebhook = endpoint({
  ...common,
  method: 'GET',
  path: '/api/v1/webhooks/:id',
  scope: 'webhooks:read',
  summary: 'Get a webhook',
  params: OneWebhook,
  reply: Webhook,
  conditions: 'compared',
})

export const updateWebhook = endpoint({
  ...common,
  method: 'PATCH',
  path: '/api/v1/webhooks/:id',
  scope: 'webhooks:write',
  summary: 'Update a webhook',
  description:
    'A `secret` replaces the present one at once. `is_active: true` enables it again; what happened ' +
    'meanwhile is not sent by itself.',
  params: OneWebhook,
  body: Body(
    {
      url: Optional(url),
      description: Optional(description),
      events: Optional(events),
      project_ids: Optional(project_ids),
      is_active: Optional(is_active),
      secret: Optional(Secret),
    },
    Webhook,
    [],
    [],
    starAlone,
  ),
  reply: Webhook,
  dryRun: true,
  conditions: 'compared',
})

export const deleteWebhook = endpoint({
  ...common,
  method: 'DELETE',
  path: '/api/v1/webhooks/:id',
  scope: 'webhooks:delete',
  summary: 'Delete a webhook',
  params: OneWebhook,
  dryRun: true,
  conditions: 'compared',
})

export const rotateSecret = endpoint({
  ...common,
  method: 'POST',
  path: '/api/v1/webhooks/:id/rotate-secret',
  scope: 'webhooks:write',
  summary: 'Give a webhook another secret',
  description: 'Until the overlap ends deliveries are signed with both secrets.',
  params: OneWebhook,
  body: Body(
    { secret: Optional(Secret), overlap_seconds: Optional(Whole(0, 86_400, { default: 86_400 })) },
    Webhook,
  ),
  bodyOptional: true,
  reply: Webhook,
  secret: true,
})
