import { Type } from 'typebox'
import { endpoint } from '#wire/endpoint.ts'
import {
  FieldOf,
  Id,
  Integer,
  List,
  Nullable,
  PathId,
  RecordId,
  type Static,
  StrictObject,
  StringEnum,
  Timestamp,
} from '#wire/schema-builders.ts'

const MAX_INTEGER = Number.MAX_SAFE_INTEGER

/** The checks of a request in their order (docs/spec/api.md#order-of-checks). */
export const CHECK_NAMES = [
  'credential',
  'origin',
  'rate_limit',
  'scope',
  'body',
  'parameters',
  'action_limit',
  'idempotency',
  'record',
  'role',
  'precondition',
  'fields',
  'state',
] as const

export type RequestCheckName = (typeof CHECK_NAMES)[number]

/** A check of a request, and how it ended. */
export type RequestCheck = Static<typeof RequestCheck>
const RequestCheck = StrictObject(
  {
    name: StringEnum(CHECK_NAMES, {
      title: 'RequestCheckName',
      'x-open': true,
      description:
        'What was checked. `credential`: it is valid. `origin`: the page of a session may send it. ' +
        '`rate_limit`: requests are left. `scope`: the credential may do it. `body`: it can be read. ' +
        '`parameters`: query and headers are valid. `action_limit`: it is not one of too many actions of its kind. ' +
        '`idempotency`: the key was not used before. `record`: it exists for this person. `role`: the person may do it. ' +
        '`precondition`: `If-Match`. `fields`: the body is valid. `state`: the records allow it. More may be added.',
    }),
    outcome: StringEnum(['passed', 'refused', 'replayed', 'not_reached', 'unknown'], {
      title: 'RequestCheckOutcome',
      'x-open': true,
      description:
        '`passed`: also if there was nothing to check. `refused`: the reply is its error. `replayed`: the reply is ' +
        'that of an earlier request with the same `Idempotency-Key`. `not_reached`: the request had ended before. ' +
        '`unknown`: the server failed, or the client left. More values may be added.',
    }),
  },
  { title: 'RequestCheck', description: 'A check of a request, and how it ended.' },
)

/** What the server did with a request. */
export type RequestDetails = Static<typeof RequestDetails>
export const RequestDetails = StrictObject(
  {
    id: RecordId('req'),
    created_at: Timestamp({ description: 'When it arrived.' }),
    method: Type.String({ description: 'Its method.' }),
    route: Type.String({
      description: 'The pattern of its path.',
      examples: ['/api/v1/tasks/:id'],
    }),
    actor: StrictObject(
      {
        type: StringEnum(['user', 'api_key', 'app'], {
          title: 'RequestActorType',
          'x-open': true,
          description: 'A session, an API key or an application. More values may be added.',
        }),
        user_id: Id('usr', { description: 'The person for whom the credential acts.' }),
        role: Type.String({ description: 'The role that the person had then.' }),
        credential_id: Nullable(Type.String(), {
          description: 'The API key or the application. Null for a session.',
        }),
      },
      { title: 'RequestActor', description: 'Who sent a request, as the server understood it.' },
    ),
    status: Integer(100, 599, {
      description: 'The status of the reply; 499 if the client left before it was complete.',
    }),
    error_code: Nullable(Type.String(), {
      description: 'The code of the error reply. Null if there was no error.',
    }),
    checks: List(RequestCheck, { description: 'All checks, in their order.' }),
    rate_limit: Nullable(
      StrictObject(
        {
          limit: Integer(0, MAX_INTEGER, { description: '`X-RateLimit-Limit` of the reply.' }),
          remaining: Integer(0, MAX_INTEGER, {
            description: '`X-RateLimit-Remaining` of the reply.',
          }),
          resets_at: Timestamp({ description: 'When the window ended in which it counted.' }),
        },
        { title: 'RequestRateLimit', description: 'The limit that was nearest.' },
      ),
      { description: 'The limit that was nearest. Null if the request did not count.' },
    ),
    idempotency: FieldOf(
      StringEnum(['none', 'first', 'replayed', 'reused', 'not_reached'], {
        title: 'RequestIdempotency',
        'x-open': true,
        description:
          '`none`: no `Idempotency-Key`, or a request that ignores it. `first`: no reply was stored for the key. ' +
          '`replayed`: the stored reply was sent again. `reused`: the key belongs to another request. ' +
          '`not_reached`: the key was not looked up. More values may be added.',
      }),
      'What its `Idempotency-Key` did.',
    ),
    operation_id: Nullable(Id('opr'), {
      description:
        'The operation, of a replay the one of the first request. Null if there is none.',
    }),
    event_count: Nullable(Integer(0, MAX_INTEGER), {
      description: 'How many events the operation caused. Null without an operation.',
    }),
  },
  { title: 'RequestDetails', description: 'What the server did with a request.' },
)

export const getRequest = endpoint({
  limit: 'workspace',
  tag: 'Requests',
  method: 'GET',
  path: '/api/v1/requests/:id',
  scope: 'any',
  operationId: 'getRequest',
  summary: 'Get what became of a request',
  description:
    'Which check refused it, and how far it came: for a request to `/api/v1` that you sent with a valid credential, ' +
    'with any of yours. Owners and admins can read those of others. Nothing that was sent is kept, and the rest only ' +
    'in the memory of the process that replied: its newest 10,000 refused requests of the last 7 days, and as many ' +
    'others. For any other id the reply is 404.',
  params: PathId('req'),
  reply: RequestDetails,
})
