import { Type } from 'typebox'
import { WebhookUrl } from '#resources/webhooks/contract.ts'
import { endpoint } from '#wire/endpoint.ts'
import {
  Flag,
  Id,
  List,
  Nullable,
  Optional,
  PathId,
  Pattern,
  type Static,
  StrictObject,
  Timestamp,
} from '#wire/schema-builders.ts'

const SESSION = { scope: 'session', limit: 'session', tag: 'Inbox' } as const

/** A person may have this many devices in a workspace; the oldest gives way to another one. */
export const MAX_PUSH_DEVICES = 5

/** What a browser needs to receive notifications, and the devices that do. */
export type PushDevices = Static<typeof PushDevices>
export const PushDevices = Type.Object(
  {
    public_key: Type.String({
      description: 'The key of the installation, to which browsers bind their subscription.',
    }),
    devices: List(
      StrictObject({
        id: Id('psh'),
        current: Flag({ description: 'Whether it is that of the session that asks.' }),
        user_agent: Type.String({ description: 'The browser, as it called itself.' }),
        created_at: Timestamp(),
        last_used_at: Nullable(Timestamp(), { description: 'When something was last sent to it.' }),
      }),
    ),
  },
  { title: 'PushDevices', additionalProperties: false },
)

export const listPushDevices = endpoint({
  ...SESSION,
  method: 'GET',
  path: '/internal/push',
  summary: 'List the devices that receive your notifications',
  reply: PushDevices,
})

export const putPushDevice = endpoint({
  ...SESSION,
  method: 'PUT',
  path: '/internal/push',
  // A device receives texts of tasks and names of people for weeks, also while nobody uses the session.
  grantsLastingAccess: true,
  summary: 'Receive notifications of the workspace on this device',
  description: 'The body is the `PushSubscription` of the browser. It replaces a former one.',
  body: StrictObject({
    endpoint: WebhookUrl('The address of the push service.'),
    expirationTime: Optional(Nullable(Type.Number())),
    replaces: Optional(
      WebhookUrl('The address that the browser has renewed. 404 if no device has it.'),
    ),
    keys: StrictObject({
      // 65 bytes that begin with 4: an uncompressed point.
      p256dh: Pattern('^B[A-Za-z0-9_-]{86}$', 'the public key of a subscription'),
      auth: Pattern('^[A-Za-z0-9_-]{22}$', 'the secret of a subscription'),
    }),
  }),
})

export const deletePushDevice = endpoint({
  ...SESSION,
  method: 'DELETE',
  path: '/internal/push/:id',
  grantsLastingAccess: false,
  summary: 'Send no more notifications to a device',
  params: PathId('psh'),
})

export const dropWaitingPushes = endpoint({
  ...SESSION,
  method: 'DELETE',
  path: '/internal/push/waiting',
  grantsLastingAccess: false,
  summary: 'Push nothing of what is about to be pushed',
  description:
    'A page that is in sight sends it when it has shown a notification. The summary of quiet hours is still pushed if anything is unread by then.',
})
