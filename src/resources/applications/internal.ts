import { Type } from 'typebox'
import { endpoint } from '#wire/endpoint.ts'
import { type FieldError, fieldError } from '#wire/field-error.ts'
import {
  MAX_REDIRECT_URI_LENGTH,
  type OAuthClientType,
  validateRedirectUri,
} from '#wire/redirect-uri.ts'
import {
  Id,
  MultilineText,
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
import { hasBidiControls } from '#wire/text-parser.ts'

const SESSION = { scope: 'session', limit: 'session', tag: 'Applications' } as const
const TYPES = ['confidential', 'public'] as const
const DISTRIBUTIONS = ['private', 'public'] as const

const RedirectUris = UniqueList(
  Type.String({ minLength: 1, maxLength: MAX_REDIRECT_URI_LENGTH }),
  10,
  {
    minItems: 1,
    description: 'Where browsers may come back to: compared character by character.',
  },
)
const Scopes = UniqueList(StringEnum(SCOPES), SCOPES.length, { minItems: 1 })

/** An OAuth client, which asks people for permission to act for them (docs/spec/api.md#internal-resources). */
export type Application = Static<typeof Application>
export const Application = Type.Object(
  {
    id: Id('app', { description: 'It is also its client_id.' }),
    name: SingleLineText(1, 100),
    description: Nullable(MultilineText(0, 2_000)),
    homepage_url: Nullable(Type.String({ maxLength: 2_048 })),
    type: StringEnum(TYPES, { description: 'Confidential: it has a secret. Public: it has none.' }),
    distribution: StringEnum(DISTRIBUTIONS, {
      description: 'Private: for this workspace alone. Public: for any of the installation.',
    }),
    redirect_uris: RedirectUris,
    scopes: Scopes,
    secret_hint: Nullable(Type.String({ description: 'The last four characters of its secret.' })),
    created_by_id: Id('usr'),
    created_at: Timestamp(),
    updated_at: Timestamp(),
  },
  { title: 'Application', additionalProperties: false },
)

const { name, description, homepage_url, type, distribution } = Application.properties
const Secret = { client_secret: Type.String({ description: 'The secret itself, this once.' }) }
const params = StrictObject({ id: Id('app') })

export const listApplications = endpoint({
  ...SESSION,
  method: 'GET',
  path: '/internal/apps',
  summary: 'List the applications of the workspace',
  query: PagingQuery,
  reply: PageOf(Application),
})

export const createApplication = endpoint({
  ...SESSION,
  limit: 'access',
  method: 'POST',
  path: '/internal/apps',
  grantsLastingAccess: true,
  summary: 'Register an application; its secret is shown only once',
  body: RequestBody(
    {
      name,
      type,
      redirect_uris: RedirectUris,
      scopes: Scopes,
      distribution: Optional(distribution),
      description: Optional(description),
      homepage_url: Optional(homepage_url),
    },
    Application,
    ['client_secret'],
    [],
    validateAddresses,
  ),
  reply: Type.Object(
    { ...Application.properties, client_secret: Optional(Secret.client_secret) },
    { additionalProperties: false },
  ),
  status: 201,
  hasSecretReply: true,
})

export const getApplication = endpoint({
  ...SESSION,
  method: 'GET',
  path: '/internal/apps/:id',
  summary: 'Get an application',
  params,
  reply: Application,
})

export const updateApplication = endpoint({
  ...SESSION,
  limit: 'access',
  method: 'PATCH',
  path: '/internal/apps/:id',
  grantsLastingAccess: true,
  summary: 'Change an application, but not its type',
  description: 'What it may no longer do ends for whom it acts already, too.',
  params,
  body: RequestBody(
    {
      name: Optional(name),
      redirect_uris: Optional(RedirectUris),
      scopes: Optional(Scopes),
      distribution: Optional(distribution),
      description: Optional(description),
      homepage_url: Optional(homepage_url),
    },
    Application,
    ['client_secret'],
    [],
    validateTexts,
  ),
  reply: Application,
})

export const deleteApplication = endpoint({
  ...SESSION,
  method: 'DELETE',
  path: '/internal/apps/:id',
  grantsLastingAccess: false,
  summary: 'Delete an application and revoke its authorizations',
  params,
})

export const rotateApplicationSecret = endpoint({
  ...SESSION,
  limit: 'access',
  method: 'POST',
  path: '/internal/apps/:id/rotate-secret',
  grantsLastingAccess: true,
  summary: 'Rotate the secret of an application; the old one stops working at once',
  params,
  body: StrictObject({}),
  bodyOptional: true,
  reply: Type.Object({ ...Application.properties, ...Secret }, { additionalProperties: false }),
  hasSecretReply: true,
})

/** The permission that a member has given an application in this workspace. */
export type ApplicationGrant = Static<typeof ApplicationGrant>
export const ApplicationGrant = Type.Object(
  {
    id: Id('grt'),
    user: StrictObject({ id: Id('usr'), name: Type.String() }),
    scopes: UniqueList(StringEnum(SCOPES), SCOPES.length),
    created_at: Timestamp(),
    last_used_at: Nullable(Timestamp(), { description: 'At most a minute behind.' }),
  },
  { title: 'Authorization', additionalProperties: false },
)

export const listApplicationGrants = endpoint({
  ...SESSION,
  method: 'GET',
  path: '/internal/apps/:id/grants',
  summary: 'List the authorizations of an application',
  params,
  query: PagingQuery,
  reply: PageOf(ApplicationGrant),
})

/** A body before its fields have been validated. */
type UncheckedApplication = Readonly<Record<string, unknown>>

function validateAddresses(body: UncheckedApplication): FieldError[] {
  const { type, redirect_uris } = body
  const knownType = TYPES.find((one) => one === type)
  return [
    ...(knownType && Array.isArray(redirect_uris)
      ? validateRedirectUris(redirect_uris, knownType)
      : []),
    ...validateTexts(body),
  ]
}

/** Validates redirect URIs; which of them are allowed depends on the type of the application. */
export function validateRedirectUris(
  uris: readonly unknown[],
  type: OAuthClientType,
): FieldError[] {
  return uris.flatMap((uri, index) => {
    const problem =
      typeof uri === 'string' && uri !== '' ? validateRedirectUri(uri, type) : undefined
    return problem === undefined
      ? []
      : [fieldError(`redirect_uris[${index}]`, 'invalid_format', problem)]
  })
}

/** People decide by the name of an application, so it must not mislead. */
export function validateApplicationName(name: string): FieldError[] {
  if (!hasBidiControls(name)) return []
  const why = 'must not contain characters that change the direction of text'
  return [fieldError('name', 'invalid_characters', why)]
}

function validateTexts({ name, homepage_url }: UncheckedApplication): FieldError[] {
  const errors = typeof name === 'string' ? validateApplicationName(name) : []
  const isAddress =
    typeof homepage_url !== 'string' ||
    (/^https?:\/\/[^\s/]+/i.test(homepage_url) && URL.canParse(homepage_url))
  if (!isAddress) {
    const why = 'must be a URL that starts with https://'
    errors.push(fieldError('homepage_url', 'invalid_format', why))
  }
  return errors
}
