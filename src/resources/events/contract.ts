import { Type } from 'typebox'
import { endpoint } from '#wire/endpoint.ts'
import { EVENT_KINDS } from '#wire/events.ts'
import {
  Fields,
  Id,
  Nullable,
  OneOf,
  OneOrMore,
  Optional,
  PageOf,
  PagingOnly,
  type Static,
  Timestamp,
  Whole,
} from '#wire/schema.ts'

/** The envelope of an event (contract 8.1): what webhooks are sent and the log keeps. */
export type Event = Static<typeof Event>
export const Event = Type.Object(
  {
    id: Id('evt', { description: 'The same in all attempts and replays: deduplicate by it.' }),
    type: OneOf(EVENT_KINDS),
    timestamp: Timestamp(),
    workspace_id: Id('wsp'),
    project_id: Nullable(Id('prj')),
    sequence: Whole(1, Number.MAX_SAFE_INTEGER, {
      description: 'Rises by exactly 1 in the workspace, in the order of commits.',
    }),
    operation_id: Id('opr'),
    api_version: OneOf(['v1']),
    actor: Fields({
      type: OneOf(['user', 'api_key', 'app', 'system']),
      user_id: Nullable(Id('usr')),
      name: Type.String(),
      credential_id: Nullable(Type.String()),
    }),
    data: Type.Record(Type.String(), Type.Unknown(), {
      description: 'The whole record after the operation.',
    }),
    changes: Type.Record(Type.String(), Type.Unknown(), {
      description: 'Fields that the operation changed: `{"title": {"from": …, "to": …}}`.',
    }),
  },
  { title: 'Event', additionalProperties: false },
)

export const listEvents = endpoint({
  method: 'GET',
  path: '/api/v1/events',
  scope: 'events:read',
  limit: 'workspace',
  tag: 'Events',
  summary: 'Read the event log',
  description:
    'In order of `sequence`, without gaps. To follow: send the last sequence seen as ' +
    '`after_sequence`, page while `has_more`, then ask again. Answers 410 `events_expired` when ' +
    'events after that one are no longer kept.',
  query: Fields({
    ...PagingOnly.properties,
    after_sequence: Optional(Whole(0, Number.MAX_SAFE_INTEGER)),
    type: OneOrMore(OneOf(EVENT_KINDS)),
    project_id: Optional(Id('prj')),
  }),
  reply: PageOf(Event),
})
