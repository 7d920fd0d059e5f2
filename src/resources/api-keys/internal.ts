import { Type } from 'typebox'
import { endpoint } from '#wire/endpoint.ts'
import { type Fault, fault } from '#wire/fault.ts'
import {
  Body,
  Fields,
  Id,
  Line,
  Nullable,
  OneOf,
  Optional,
  PageOf,
  PagingOnly,
  SetOf,
  type Static,
  Timestamp,
} from '#wire/schema.ts'
import { SCOPES } from '#wire/scopes.ts'

const SESSION = { scope: 'session', limit: 'session', tag: 'API keys' } as const

/** An API key as it is shown (contract 6.9). */
export type ApiKey = Static<typeof ApiKey>
export const ApiKey = Type.Object(
  {
    id: Id('key'),
    name: Line(1, 100),
    user_id: Id('usr'),
    hint: Type.String({ description: 'The first eight characters of the key.' }),
    scopes: SetOf(OneOf(SCOPES), SCOPES.length),
    expires_at: Nullable(Timestamp()),
    last_used_at: Nullable(Timestamp(), { description: 'At most a minute behind.' }),
    created_at: Timestamp(),
  },
  { title: 'ApiKey', additionalProperties: false },
)

export const listKeys = endpoint({
  ...SESSION,
  method: 'GET',
  path: '/internal/api-keys',
  summary: 'List API keys: for owners and admins those of everybody, for others their own',
  query: PagingOnly,
  reply: PageOf(ApiKey),
})

export const createKey = endpoint({
  ...SESSION,
  method: 'POST',
  path: '/internal/api-keys',
  summary: 'Create an API key for oneself; it is shown this once',
  body: Body(
    {
      name: Line(1, 100),
      scopes: Optional(SetOf(OneOf(SCOPES), SCOPES.length, { minItems: 1 })),
      preset: Optional(OneOf(['full', 'read_only'])),
      expires_at: Optional(Nullable(Timestamp())),
    },
    ApiKey,
    ['api_key'],
    [['scopes', 'preset']],
    together,
  ),
  reply: Type.Object(
    { ...ApiKey.properties, api_key: Type.String({ description: 'The key itself.' }) },
    { additionalProperties: false },
  ),
  status: 201,
  secret: true,
})

export const deleteKey = endpoint({
  ...SESSION,
  method: 'DELETE',
  path: '/internal/api-keys/:id',
  summary: 'End an API key at once',
  params: Fields({ id: Id('key') }),
})

/** What a key may do is always said. */
function together(given: Readonly<Record<string, unknown>>): Fault[] {
  if ('scopes' in given || 'preset' in given) return []
  return [fault('scopes', 'required', 'is required, or a preset instead')]
}
