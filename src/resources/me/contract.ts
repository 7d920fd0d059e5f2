import { Type } from 'typebox'
import { Member } from '#resources/members/contract.ts'
import { endpoint } from '#wire/endpoint.ts'
import {
  Fields,
  Id,
  Line,
  List,
  Nullable,
  OneOf,
  type Static,
  Timestamp,
  Whole,
} from '#wire/schema.ts'
import { SCOPES } from '#wire/scopes.ts'

/** A workspace with the limit of its plan (contract 6.9). */
export type Workspace = Static<typeof Workspace>
export const Workspace = Type.Object(
  {
    id: Id('wsp'),
    name: Line(1, 100),
    plan: OneOf(['free', 'paid']),
    timezone: Type.String({ examples: ['Europe/Zurich'] }),
    requests_per_minute: Whole(1, Number.MAX_SAFE_INTEGER),
    created_at: Timestamp(),
    updated_at: Timestamp(),
  },
  { title: 'Workspace', additionalProperties: false },
)

/** Who asks, where, and with what. */
export type Me = Static<typeof Me>
export const Me = Type.Object(
  {
    user: Member,
    workspace: Workspace,
    credential: Fields({
      type: OneOf(['api_key', 'oauth', 'session']),
      id: Type.String({ description: 'Id of the API key, the application or the session.' }),
      name: Nullable(Type.String()),
      scopes: List(OneOf(SCOPES)),
      expires_at: Nullable(Timestamp()),
    }),
  },
  { title: 'Me', additionalProperties: false },
)

export const getMe = endpoint({
  method: 'GET',
  path: '/api/v1/me',
  scope: 'any',
  limit: 'workspace',
  tag: 'Account',
  summary: 'Get the person, the workspace and the credential that ask',
  reply: Me,
})
