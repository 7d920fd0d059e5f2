import { Type } from 'typebox'
import { Member } from '#resources/members/contract.ts'
import { endpoint } from '#wire/endpoint.ts'
import { CREATED_AT, UPDATED_AT } from '#wire/record-fields.ts'
import {
  FieldOf,
  Integer,
  List,
  Nullable,
  RecordId,
  SingleLineText,
  type Static,
  StrictObject,
  StringEnum,
  Timestamp,
} from '#wire/schema-builders.ts'
import { SCOPES } from '#wire/scopes.ts'

/** A workspace, with the rate limit of its plan (docs/spec/api.md#internal-resources). */
export type Workspace = Static<typeof Workspace>
export const Workspace = Type.Object(
  {
    id: RecordId('wsp'),
    name: SingleLineText(1, 100, { description: 'The name of the workspace.' }),
    plan: FieldOf(
      StringEnum(['free', 'paid'], {
        title: 'Plan',
        description: 'The plan of a workspace: `free` or `paid`, which allows more requests.',
      }),
      'The plan, which decides `requests_per_minute`.',
    ),
    timezone: Type.String({
      description:
        'The IANA name of the time zone that decides on which day `due_at` and today fall.',
      examples: ['Europe/Zurich'],
    }),
    requests_per_minute: Integer(1, Number.MAX_SAFE_INTEGER, {
      description:
        'The rate limit: how many requests all API keys and applications together may send in a minute. The web app may send as many.',
    }),
    created_at: CREATED_AT,
    updated_at: UPDATED_AT,
  },
  {
    title: 'Workspace',
    description: 'A workspace: people and their projects.',
    additionalProperties: false,
  },
)

const Credential = StrictObject(
  {
    type: FieldOf(
      StringEnum(['api_key', 'oauth', 'session'], {
        title: 'CredentialType',
        description:
          '`api_key`: an API key. `oauth`: an access token of an OAuth application. ' +
          '`session`: a session of the web app.',
      }),
      'The kind of credential.',
    ),
    id: Type.String({ description: 'The id of the API key, the application or the session.' }),
    name: Nullable(Type.String(), {
      description: 'The name of the API key or the application. Null for a session.',
    }),
    scopes: List(
      StringEnum(SCOPES, {
        title: 'Scope',
        description:
          'What a credential may do with records of one kind: `read` them, `write` (create and change) or `delete` them.',
      }),
      { description: 'What the credential may do, as far as your role allows it.' },
    ),
    expires_at: Nullable(Timestamp(), {
      description: 'When the credential expires. Null if it does not.',
    }),
  },
  { title: 'Credential', description: 'What a request is authenticated by.' },
)

/** The authenticated user, the workspace and the credential. */
export type Me = Static<typeof Me>
export const Me = Type.Object(
  {
    user: FieldOf(Member, 'You: the person to whom the credential belongs.'),
    workspace: FieldOf(Workspace, 'The workspace in which the credential is valid.'),
    credential: FieldOf(Credential, 'The credential that the request was sent with.'),
  },
  {
    title: 'Me',
    description: 'Who calls the API, in which workspace and with which credential.',
    additionalProperties: false,
  },
)

export const getMe = endpoint({
  method: 'GET',
  path: '/api/v1/me',
  scope: 'any',
  limit: 'workspace',
  tag: 'Account',
  operationId: 'getMe',
  summary: 'Get the current user and workspace',
  description:
    'Also shows the role of the user, and the scopes of the credential. Every credential may call it.',
  reply: Me,
})
