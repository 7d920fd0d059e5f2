import { Type } from 'typebox'
import { endpoint } from '#wire/endpoint.ts'
import { EVENT_KINDS } from '#wire/event-kinds.ts'
import {
  CommaSeparated,
  FieldOf,
  Id,
  Integer,
  Nullable,
  Optional,
  PageOf,
  PagingQuery,
  type Static,
  StrictObject,
  StringEnum,
  Timestamp,
} from '#wire/schema-builders.ts'

const EventType = StringEnum(EVENT_KINDS, {
  title: 'EventType',
  'x-open': true,
  description:
    'What happened to which kind of record. `task.updated` is every change of a task but completing ' +
    'and assigning it. More types may be added.',
})
const MAX_INTEGER = Number.MAX_SAFE_INTEGER

const Actor = StrictObject(
  {
    type: StringEnum(['user', 'api_key', 'app', 'system'], {
      title: 'ActorType',
      'x-open': true,
      description:
        '`user`: a person in the web app. `api_key`, `app`: an API key or an OAuth application of a person. ' +
        '`system`: the server or its command line. More values may be added.',
    }),
    user_id: Nullable(Id('usr'), { description: 'The person. Null for `system`.' }),
    name: Type.String({
      description: 'The name that the person had at that time; `Docket` for `system`.',
    }),
    credential_id: Nullable(Type.String(), {
      description: 'The API key or the OAuth application. Null for `user` and `system`.',
    }),
  },
  { title: 'EventActor', description: 'Who caused an event.' },
)

/** What a field was and became. */
const FieldChange = Type.Object(
  {
    from: Type.Unknown({ description: 'The value before.' }),
    to: Type.Unknown({ description: 'The value after.' }),
    truncated: Optional(
      Type.Boolean({
        description:
          '`true` if a description of more than 2,048 characters was left out: that side is null.',
      }),
    ),
  },
  { title: 'FieldChange', description: 'The value of a field before and after an operation.' },
)

/** The envelope of an event (docs/spec/api.md#event-envelope), as the log stores it and webhooks receive it. */
export type EventEnvelope = Static<typeof EventEnvelope>
export const EventEnvelope = Type.Object(
  {
    id: Id('evt', {
      description: 'The id of the event. All its deliveries have the same: deduplicate by it.',
    }),
    type: EventType,
    timestamp: Timestamp({ description: 'When it happened.' }),
    workspace_id: Id('wsp', { description: 'The workspace in which it happened.' }),
    project_id: Nullable(Id('prj'), {
      description: 'The project of the record. Null for events about members.',
    }),
    sequence: Integer(1, MAX_INTEGER, {
      description:
        'Numbers the events of the workspace without gaps, in the order in which they happened.',
    }),
    operation_id: Id('opr', {
      description:
        'The operation that caused it, the `X-Operation-Id` of its reply. An operation can cause several events.',
    }),
    api_version: StringEnum(['v1'], { description: 'The version of the API that `data` follows.' }),
    actor: FieldOf(Actor, 'Who caused it, and with which credential.'),
    data: Type.Record(Type.String(), Type.Unknown(), {
      description: 'The whole record after the operation, as an owner of the workspace sees it.',
    }),
    changes: Type.Record(Type.String(), FieldChange, {
      description:
        'The fields that the operation changed, by name. Empty except for `task.completed`, ' +
        '`task.assigned` and the types that end in `.updated`.',
    }),
  },
  {
    title: 'Event',
    description: 'Something that happened, as the event log has it and webhooks receive it.',
    additionalProperties: false,
  },
)

/** The event that tests a webhook. It is in no log. */
export const WebhookTestEvent = Type.Object(
  {
    ...EventEnvelope.properties,
    type: StringEnum(['webhook.test'], { description: 'The type of the event.' }),
    sequence: Nullable(Integer(1, MAX_INTEGER), {
      description: 'Null, because a test is not in the event log.',
    }),
    operation_id: Nullable(Id('opr'), { description: 'Null, because a test changes nothing.' }),
    project_id: Nullable(Id('prj'), { description: 'Null, because a test is about no project.' }),
    data: StrictObject({}, { description: 'Empty, because a test is about no record.' }),
    changes: StrictObject({}, { description: 'Empty, because a test changes nothing.' }),
  },
  {
    title: 'WebhookTestEvent',
    description: 'The event that tests a webhook. It is not in the event log.',
    additionalProperties: false,
  },
)

const EventPage = StrictObject(
  {
    ...PageOf(EventEnvelope).properties,
    newest_sequence: Integer(0, MAX_INTEGER, {
      description:
        'The `sequence` of the newest event of the log, of any type and project, when this page was read. ' +
        'On the last page, the next `after_sequence`: all matching events up to it are behind you.',
    }),
  },
  { title: 'EventPage', description: 'One page of a list of `Event`.' },
)

export const listEvents = endpoint({
  method: 'GET',
  path: '/api/v1/events',
  scope: 'events:read',
  limit: 'workspace',
  tag: 'Events',
  operationId: 'listEvents',
  summary: 'List events',
  description:
    'Reads the event log in order of `sequence`. To follow it, send the last `sequence` that you have as ' +
    '`after_sequence`, read on while `has_more` is true, and ask again later. With a filter, send the ' +
    '`newest_sequence` of the last page instead, because the log may not have a matching event for longer ' +
    'than it keeps events. ' +
    'If the log no longer has the events after that one, the reply is 410 `events_expired`. ' +
    'If that one is beyond the newest event, it is 400 `invalid_parameter`: the database was restored ' +
    'to an earlier state.',
  query: StrictObject({
    ...PagingQuery.properties,
    after_sequence: Optional(
      Integer(0, MAX_INTEGER, {
        description:
          'Only events after this `sequence`. Without it the log begins with its oldest event.',
      }),
    ),
    type: CommaSeparated(EventType, { description: 'Only events of these types.' }),
    project_id: Optional(
      Id('prj', {
        description:
          'Only events about records that were in this project before or after the operation.',
      }),
    ),
  }),
  reply: EventPage,
  roles: 'Owners and admins.',
  errors: ['insufficient_role', 'events_expired'],
})

/** The first and the last event of the log (docs/spec/api.md#extensions). */
export type EventPosition = Static<typeof EventPosition>
export const EventPosition = Type.Object(
  {
    oldest_sequence: Nullable(Integer(1, MAX_INTEGER), {
      description: 'The `sequence` of the oldest event in the log. Null if the log has none.',
    }),
    newest_sequence: Integer(0, MAX_INTEGER, {
      description:
        'The `sequence` of the newest event, also if the log no longer has it. 0 before the first event.',
    }),
  },
  {
    title: 'EventPosition',
    description: 'Where the event log begins and ends.',
    additionalProperties: false,
  },
)

export const getEventPosition = endpoint({
  method: 'GET',
  path: '/api/v1/events/position',
  scope: 'events:read',
  limit: 'workspace',
  tag: 'Events',
  operationId: 'getEventPosition',
  summary: 'Get the position of the event log',
  description:
    'The oldest and the newest `sequence`. To follow only what happens from now on, list events with ' +
    '`after_sequence` set to `newest_sequence`.',
  reply: EventPosition,
  roles: 'Owners and admins.',
  errors: ['insufficient_role'],
})
