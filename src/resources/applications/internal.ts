import { Type } from 'typebox'
import { endpoint } from '#wire/endpoint.ts'
import { type Fault, fault } from '#wire/fault.ts'
import {
  type ApplicationType,
  faultOfRedirectUri,
  LONGEST_REDIRECT_URI,
} from '#wire/redirect-uri.ts'
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
  Text,
  Timestamp,
} from '#wire/schema.ts'
import { SCOPES } from '#wire/scopes.ts'

const SESSION = { scope: 'session', limit: 'session', tag: 'Applications' } as const
const TYPES = ['confidential', 'public'] as const
const DISTRIBUTIONS = ['private', 'public'] as const

const RedirectUris = SetOf(Type.String({ minLength: 1, maxLength: LONGEST_REDIRECT_URI }), 10, {
  minItems: 1,
  description: 'Where browsers may come back to: compared character by character.',
})
const Scopes = SetOf(OneOf(SCOPES), SCOPES.length, { minItems: 1 })

/** An application that may ask persons to act for them (contract 6.9). */
export type Application = Static<typeof Application>
export const Application = Type.Object(
  {
    id: Id('app', { description: 'It is also its client_id.' }),
    name: Line(1, 100),
    description: Nullable(Text(0, 2_000)),
    homepage_url: Nullable(Type.String({ maxLength: 2_048 })),
    type: OneOf(TYPES, { description: 'Confidential: it has a secret. Public: it has none.' }),
    distribution: OneOf(DISTRIBUTIONS, {
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
const params = Fields({ id: Id('app') })

export const listApplications = endpoint({
  ...SESSION,
  method: 'GET',
  path: '/internal/apps',
  summary: 'List the applications of the workspace',
  query: PagingOnly,
  reply: PageOf(Application),
})

export const createApplication = endpoint({
  ...SESSION,
  method: 'POST',
  path: '/internal/apps',
  summary: 'Register an application; the secret of a confidential one is shown this once',
  body: Body(
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
    faultsOfAddresses,
  ),
  reply: Type.Object(
    { ...Application.properties, client_secret: Optional(Secret.client_secret) },
    { additionalProperties: false },
  ),
  status: 201,
  secret: true,
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
  method: 'PATCH',
  path: '/internal/apps/:id',
  summary: 'Change an application, but not its type',
  description: 'What it may no longer do ends for whom it acts already, too.',
  params,
  body: Body(
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
    faultsOfHomepage,
  ),
  reply: Application,
})

export const deleteApplication = endpoint({
  ...SESSION,
  method: 'DELETE',
  path: '/internal/apps/:id',
  summary: 'Delete an application, and end all that persons have allowed it',
  params,
})

export const rotateApplicationSecret = endpoint({
  ...SESSION,
  method: 'POST',
  path: '/internal/apps/:id/rotate-secret',
  summary: 'Give an application another secret; the old one ends at once',
  params,
  body: Fields({}),
  bodyOptional: true,
  reply: Type.Object({ ...Application.properties, ...Secret }, { additionalProperties: false }),
  secret: true,
})

/** What a person of the workspace allows an application there. */
export type Authorization = Static<typeof Authorization>
export const Authorization = Type.Object(
  {
    id: Id('grt'),
    user: Fields({ id: Id('usr'), name: Type.String() }),
    scopes: SetOf(OneOf(SCOPES), SCOPES.length),
    created_at: Timestamp(),
    last_used_at: Nullable(Timestamp(), { description: 'At most a minute behind.' }),
  },
  { title: 'Authorization', additionalProperties: false },
)

export const listAuthorizations = endpoint({
  ...SESSION,
  method: 'GET',
  path: '/internal/apps/:id/grants',
  summary: 'List what persons of this workspace allow an application',
  params,
  query: PagingOnly,
  reply: PageOf(Authorization),
})

type Given = Readonly<Record<string, unknown>>

function faultsOfAddresses(given: Given): Fault[] {
  const { type, redirect_uris } = given
  const known = TYPES.find((one) => one === type)
  return [
    ...(known && Array.isArray(redirect_uris) ? faultsOfRedirects(redirect_uris, known) : []),
    ...faultsOfHomepage(given),
  ]
}

/** What is wrong with the addresses to which an application of this type wants browsers to come back. */
export function faultsOfRedirects(uris: readonly unknown[], type: ApplicationType): Fault[] {
  return uris.flatMap((uri, at) => {
    const wrong = typeof uri === 'string' && uri !== '' ? faultOfRedirectUri(uri, type) : undefined
    return wrong === undefined ? [] : [fault(`redirect_uris[${at}]`, 'invalid_format', wrong)]
  })
}

function faultsOfHomepage({ homepage_url }: Given): Fault[] {
  if (typeof homepage_url !== 'string') return []
  if (/^https?:\/\/[^\s/]+/i.test(homepage_url) && URL.canParse(homepage_url)) return []
  return [fault('homepage_url', 'invalid_format', 'must be an address that begins with https://')]
}
