import { Type } from 'typebox'
import { DRY_RUN_SECRET, endpoint } from '#wire/endpoint.ts'
import { EVENT_KINDS } from '#wire/event-kinds.ts'
import { type FieldError, fieldError } from '#wire/field-error.ts'
import { CREATED_AT, CREATED_BY_ID } from '#wire/record-fields.ts'
import {
  FieldOf,
  Flag,
  IdReference,
  Integer,
  List,
  ListQuery,
  Named,
  Nullable,
  Optional,
  PageOf,
  PathId,
  RecordId,
  RequestBody,
  SingleLineText,
  type Static,
  StringEnum,
  Timestamp,
} from '#wire/schema-builders.ts'

/* The fields of a webhook that people write, each with what it means in a record or a body. */

const SigningSecret = (description: string) =>
  Type.String({ minLength: 8, maxLength: 256, description })
export const WebhookUrl = (description: string) =>
  Type.String({
    format: 'iri',
    maxLength: 2_048,
    examples: ['https://example.com/hook'],
    description,
  })
const WebhookNote = (description: string) => Nullable(SingleLineText(0, 200), { description })
const WebhookEventType = StringEnum([...EVENT_KINDS, '*'], {
  title: 'WebhookEventType',
  'x-open': true,
  description: 'A type of event, or `*` for all types. More types may be added.',
})
const WebhookEvents = (description: string) =>
  List(WebhookEventType, {
    minItems: 1,
    maxItems: EVENT_KINDS.length,
    uniqueItems: true,
    description,
  })
const WebhookProjects = (description: string) =>
  Nullable(List(IdReference('prj'), { minItems: 1, maxItems: 100, uniqueItems: true }), {
    description,
  })

const TimeOfAttempt = (description: string) => Nullable(Timestamp(), { description })

const DISABLED_REASONS =
  '`manual`: somebody disabled it. `gone`: the receiver replied 410. ' +
  '`failures`: no attempt succeeded for 72 hours. More values may be added.'
const DisabledReason = StringEnum(['manual', 'gone', 'failures'], {
  title: 'WebhookDisabledReason',
  'x-open': true,
  description: DISABLED_REASONS,
})

const WebhookStatus = StringEnum(['active', 'failing', 'disabled'], {
  title: 'WebhookStatus',
  description:
    '`active`: events are sent. `failing`: they are sent, and the last attempt failed. ' +
    '`disabled`: no events are sent.',
})

/** A webhook: a URL that receives events (docs/spec/api.md#webhook). */
export type Webhook = Static<typeof Webhook>
export const Webhook = Type.Object(
  {
    id: RecordId('whk'),
    url: WebhookUrl('The address that events are sent to.'),
    description: WebhookNote('A note for people. Null if there is none.'),
    events: WebhookEvents(
      'The types of events that are sent, or `["*"]`: all types, future ones too.',
    ),
    project_ids: WebhookProjects(
      'The projects whose events are sent. Null means those of all projects and of members.',
    ),
    is_active: Flag({ description: 'Whether events are sent.' }),
    status: FieldOf(WebhookStatus, 'Whether events are sent, and arrive.'),
    disabled_reason: Nullable(DisabledReason, {
      description: `Why no events are sent; null if they are. ${DISABLED_REASONS}`,
    }),
    failure_count: Integer(0, Number.MAX_SAFE_INTEGER, {
      description: 'How many attempts have failed since the last that succeeded.',
    }),
    last_delivery_at: TimeOfAttempt('When the last attempt began. Null before the first.'),
    last_success_at: TimeOfAttempt('When the last attempt that succeeded began. Null if none did.'),
    last_failure_at: TimeOfAttempt('When the last attempt that failed began. Null if none did.'),
    secret_hint: Type.String({ description: 'The last four characters of the secret.' }),
    previous_secret_expires_at: Nullable(Timestamp(), {
      description: 'Until when the previous secret also signs what is sent. Null if it does not.',
    }),
    created_by_id: CREATED_BY_ID,
    created_at: CREATED_AT,
    updated_at: Timestamp({
      description: 'When somebody last changed the webhook. Attempts do not move it.',
    }),
  },
  {
    title: 'Webhook',
    description: 'A webhook: an address to which Docket sends events.',
    additionalProperties: false,
  },
)

/** The reply that creates a webhook or rotates its secret. */
export type WebhookWithSecret = Static<typeof WebhookWithSecret>
const WebhookWithSecret = Type.Object(
  {
    ...Webhook.properties,
    secret: SigningSecret(
      `The secret that signs what is sent. No later reply has it. In a dry run it is \`${DRY_RUN_SECRET}\`.`,
    ),
  },
  {
    title: 'WebhookWithSecret',
    description: 'A webhook with the secret that it has got.',
    additionalProperties: false,
  },
)

/** `*` stands for every kind, so it must be alone. */
function validateEvents({ events }: Readonly<Record<string, unknown>>): FieldError[] {
  const isMixed = Array.isArray(events) && events.length > 1 && events.includes('*')
  return isMixed
    ? [fieldError('events', 'invalid_value', 'must contain event types, or only `*`')]
    : []
}

const WebhookParams = PathId('whk')
const COMMON = { limit: 'workspace', tag: 'Webhooks' } as const

export const listWebhooks = endpoint({
  ...COMMON,
  method: 'GET',
  path: '/api/v1/webhooks',
  scope: 'webhooks:read',
  operationId: 'listWebhooks',
  summary: 'List webhooks',
  query: ListQuery(['created_at'], {
    is_active: Optional(
      Flag({
        description: '`true`: only webhooks that are sent events. `false`: only disabled ones.',
      }),
    ),
  }),
  reply: PageOf(Webhook),
  roles: 'Owners and admins.',
  errors: ['insufficient_role'],
})

export const createWebhook = endpoint({
  ...COMMON,
  limit: 'webhook',
  method: 'POST',
  path: '/api/v1/webhooks',
  grantsLastingAccess: true,
  scope: 'webhooks:write',
  operationId: 'createWebhook',
  summary: 'Create a webhook',
  description:
    'The webhook gets the events that happen from now on. Copy `secret` from the reply: no later reply shows it.',
  body: Named(
    'WebhookCreate',
    RequestBody(
      {
        url: WebhookUrl(
          'The address to send events to: `https`, without user name and fragment. ' +
            'Private networks are rejected, unless your operator allows them.',
        ),
        events: WebhookEvents(
          'The types of events to send, or only `["*"]`: all types, future ones too.',
        ),
        description: Optional(WebhookNote('A note for people. Default: null.')),
        project_ids: Optional(
          WebhookProjects(
            'The projects whose events to send; with a list, events about members are left out. ' +
              'Default: null, all projects and members.',
          ),
        ),
        is_active: Optional(
          Flag({ default: true, description: 'Whether events are sent. Default: `true`.' }),
        ),
        secret: Optional(
          SigningSecret(
            'The secret that signs what is sent, taken literally. Default: a new one that begins with `whsec_`.',
          ),
        ),
      },
      Webhook,
      [],
      [],
      validateEvents,
    ),
    { description: 'A new webhook.' },
  ),
  reply: WebhookWithSecret,
  status: 201,
  location: '/api/v1/webhooks/:id',
  dryRun: true,
  hasSecretReply: true,
  roles: 'Owners and admins.',
  errors: ['insufficient_role', 'limit_reached'],
})

export const getWebhook = endpoint({
  ...COMMON,
  method: 'GET',
  path: '/api/v1/webhooks/:id',
  scope: 'webhooks:read',
  operationId: 'getWebhook',
  summary: 'Get a webhook',
  params: WebhookParams,
  reply: Webhook,
  conditions: 'compared',
  roles: 'Owners and admins.',
  errors: ['insufficient_role'],
})

export const updateWebhook = endpoint({
  ...COMMON,
  limit: 'webhook',
  method: 'PATCH',
  path: '/api/v1/webhooks/:id',
  grantsLastingAccess: true,
  scope: 'webhooks:write',
  operationId: 'updateWebhook',
  summary: 'Update a webhook',
  description:
    'Changes only what you send. A webhook that you enable again does not get the events it missed: ' +
    'replay them.',
  params: WebhookParams,
  body: Named(
    'WebhookUpdate',
    RequestBody(
      {
        url: Optional(
          WebhookUrl(
            'The address to send events to, also at the next attempts of pending deliveries.',
          ),
        ),
        description: Optional(WebhookNote('A note for people. Null removes it.')),
        events: Optional(
          WebhookEvents(
            'Replaces the types of events to send. `["*"]` means all, future ones too.',
          ),
        ),
        project_ids: Optional(
          WebhookProjects(
            'Replaces the projects whose events to send. Null means all projects and members.',
          ),
        ),
        is_active: Optional(
          Flag({
            description:
              '`false` disables the webhook and cancels its pending deliveries. ' +
              '`true` enables it again and resets `failure_count`.',
          }),
        ),
        secret: Optional(
          SigningSecret(
            'A new secret, which replaces the present one at once. Rotate the secret to have both for a while.',
          ),
        ),
      },
      Webhook,
      [],
      [],
      validateEvents,
    ),
    { description: 'The changes of a webhook. Fields that you leave out stay as they are.' },
  ),
  reply: Webhook,
  dryRun: true,
  conditions: 'compared',
  roles: 'Owners and admins.',
  errors: ['insufficient_role'],
})

export const deleteWebhook = endpoint({
  ...COMMON,
  method: 'DELETE',
  path: '/api/v1/webhooks/:id',
  grantsLastingAccess: false,
  scope: 'webhooks:delete',
  operationId: 'deleteWebhook',
  summary: 'Delete a webhook',
  description:
    'Cancels its pending deliveries and removes all its deliveries. It cannot be restored.',
  params: WebhookParams,
  dryRun: true,
  conditions: 'compared',
  roles: 'Owners and admins.',
  errors: ['insufficient_role'],
})

export const rotateWebhookSecret = endpoint({
  ...COMMON,
  limit: 'webhook',
  method: 'POST',
  path: '/api/v1/webhooks/:id/rotate-secret',
  grantsLastingAccess: true,
  scope: 'webhooks:write',
  operationId: 'rotateWebhookSecret',
  summary: 'Rotate a webhook secret',
  description:
    'Gives the webhook a new secret. Until the overlap ends, requests are signed with the previous one, too. ' +
    'Copy `secret` from the reply: no later reply shows it.',
  params: WebhookParams,
  body: Named(
    'WebhookSecretRotation',
    RequestBody(
      {
        secret: Optional(
          SigningSecret(
            'The new secret, taken literally. Default: a new one that begins with `whsec_`.',
          ),
        ),
        overlap_seconds: Optional(
          Integer(0, 86_400, {
            default: 86_400,
            description:
              'For how many seconds the previous secret signs, too; 0 ends it at once. Default: 86,400, one day.',
          }),
        ),
      },
      Webhook,
    ),
    { description: 'How to rotate the secret of a webhook.' },
  ),
  bodyOptional: true,
  reply: WebhookWithSecret,
  hasSecretReply: true,
  roles: 'Owners and admins.',
  errors: ['insufficient_role'],
})
