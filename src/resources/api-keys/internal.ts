import { Type } from 'typebox'
import { endpoint } from '#wire/endpoint.ts'
import { type FieldError, fieldError } from '#wire/field-error.ts'
import {
  Id,
  Integer,
  Nullable,
  Optional,
  PageOf,
  PagingQuery,
  RequestBody,
  SingleLineText,
  type Static,
  StrictObject,
  StringEnum,
  Timestamp,
  UniqueList,
} from '#wire/schema-builders.ts'
import { SCOPES } from '#wire/scopes.ts'
import { SupervisionChanges, SupervisionFields } from '#wire/supervision.ts'

const SESSION = { scope: 'session', limit: 'session', tag: 'API keys' } as const

const KeyRateLimit = Nullable(Integer(1, Number.MAX_SAFE_INTEGER), {
  description:
    'How many requests per minute the key may send at most, below the limit of the workspace; beyond it ' +
    '429 `key_rate_limited`. Null: only the limit of the workspace applies.',
})

/** An API key without the key itself (docs/spec/api.md#internal-resources). */
export type ApiKey = Static<typeof ApiKey>
export const ApiKey = Type.Object(
  {
    id: Id('key'),
    name: SingleLineText(1, 100),
    user_id: Id('usr'),
    hint: Type.String({ description: 'The first eight characters of the key.' }),
    scopes: UniqueList(StringEnum(SCOPES), SCOPES.length),
    expires_at: Nullable(Timestamp()),
    rate_limit: KeyRateLimit,
    ...SupervisionFields,
    last_used_at: Nullable(Timestamp(), { description: 'At most a minute behind.' }),
    created_at: Timestamp(),
  },
  { title: 'ApiKey', additionalProperties: false },
)

export const listKeys = endpoint({
  ...SESSION,
  method: 'GET',
  path: '/internal/api-keys',
  summary: 'List API keys: your own, or all for owners and admins',
  query: PagingQuery,
  reply: PageOf(ApiKey),
})

export const createKey = endpoint({
  ...SESSION,
  limit: 'access',
  method: 'POST',
  path: '/internal/api-keys',
  grantsLastingAccess: true,
  summary: 'Create an API key; it is shown only once',
  body: RequestBody(
    {
      name: SingleLineText(1, 100),
      scopes: Optional(UniqueList(StringEnum(SCOPES), SCOPES.length, { minItems: 1 })),
      preset: Optional(StringEnum(['full', 'read_only'])),
      expires_at: Optional(Nullable(Timestamp())),
      rate_limit: Optional(KeyRateLimit),
      supervision: SupervisionChanges.supervision,
    },
    ApiKey,
    ['api_key'],
    [['scopes', 'preset']],
    validateScopesGiven,
  ),
  reply: Type.Object(
    { ...ApiKey.properties, api_key: Type.String({ description: 'The key itself.' }) },
    { additionalProperties: false },
  ),
  status: 201,
  hasSecretReply: true,
})

export const updateKey = endpoint({
  ...SESSION,
  limit: 'access',
  method: 'PATCH',
  path: '/internal/api-keys/:id',
  grantsLastingAccess: false,
  summary: 'Change the rate limit of an API key or how it is supervised, pause or resume it',
  params: StrictObject({ id: Id('key') }),
  body: RequestBody({ rate_limit: Optional(KeyRateLimit), ...SupervisionChanges }, ApiKey),
  reply: ApiKey,
})

export const deleteKey = endpoint({
  ...SESSION,
  method: 'DELETE',
  path: '/internal/api-keys/:id',
  grantsLastingAccess: false,
  summary: 'Revoke an API key',
  params: StrictObject({ id: Id('key') }),
})

/** A new key needs its scopes, either as a list or as a preset. */
function validateScopesGiven(body: Readonly<Record<string, unknown>>): FieldError[] {
  if ('scopes' in body || 'preset' in body) return []
  return [fieldError('scopes', 'required', 'is required, unless you send `preset`')]
}
