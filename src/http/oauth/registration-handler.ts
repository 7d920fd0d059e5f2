import { registerOAuthApplication } from '#auth/oauth/applications.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { MAX_REDIRECT_URI_LENGTH, validateRedirectUri } from '#wire/redirect-uri.ts'
import { isScope, SCOPES, type Scope } from '#wire/scopes.ts'
import { hasBidiControls } from '#wire/text-parser.ts'
import type { AppContext } from '../app-context.ts'
import type { RequestHandler } from '../pipeline/request-handler.ts'
import { sendReply } from '../reply/send.ts'
import { readJsonBody } from '../request/json-body.ts'
import type { OAuthError } from './client-authentication.ts'

const MAX_REDIRECT_URIS = 10
const MAX_NAME_LENGTH = 100
/** Lone surrogates count as such: PostgreSQL cannot store them. */
const CONTROL_CHARACTERS = /[\p{Cc}\p{Cs}\u2028\u2029]/u

interface RegistrationRequest {
  name: string
  homepage_url: string | null
  redirect_uris: string[]
  scopes: readonly Scope[]
}

/**
 * `POST /oauth/register` (RFC 7591): an application registers itself, and gets no secret.
 * Unsupported metadata is replaced by supported values. Each registration spends the budget of its
 * address (docs/spec/api.md#unauthenticated-requests).
 */
export function createRegistrationHandler({ storage, limits }: AppContext): RequestHandler {
  return async (request, reply) => {
    limits.address(request.ip)
    const registration = parseRegistration(
      await readJsonBody(request.raw, { method: 'POST', scope: 'open' }),
    )
    if ('error' in registration) {
      return sendReply(request, reply, { status: 400, body: JSON.stringify(registration) })
    }
    const application = await storage.write(ANONYMOUS_ACTOR, (tx) =>
      registerOAuthApplication(tx, registration),
    )
    const body = {
      client_id: application.id,
      client_id_issued_at: Math.floor(Date.parse(application.created_at) / 1000),
      client_name: application.name,
      ...(application.homepage_url !== null && { client_uri: application.homepage_url }),
      redirect_uris: application.redirect_uris,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      scope: application.scopes.join(' '),
    }
    return sendReply(request, reply, { status: 201, body: JSON.stringify(body) })
  }
}

/** Parses the metadata of a client (RFC 7591 §2). */
export function parseRegistration(metadata: unknown): RegistrationRequest | OAuthError {
  const { redirect_uris, client_name = 'Application', client_uri, scope } = Object(metadata)
  const name = typeof client_name === 'string' ? client_name.trim() : ''
  if (name === '' || [...name].length > MAX_NAME_LENGTH) {
    return invalidMetadata(`client_name must have 1 to ${MAX_NAME_LENGTH} characters`)
  }
  // People decide by the name, so it must not mislead.
  if (CONTROL_CHARACTERS.test(name) || hasBidiControls(name)) {
    return invalidMetadata('client_name must not contain control characters')
  }
  if (client_uri !== undefined && !isWebAddress(client_uri)) {
    return invalidMetadata('client_uri must be an address that begins with https://')
  }
  const uriError = findRedirectUriError(redirect_uris)
  if (uriError !== undefined) {
    return { error: 'invalid_redirect_uri', error_description: uriError }
  }
  if (scope !== undefined && typeof scope !== 'string')
    return invalidMetadata('scope must be a text')
  const scopes = scope === undefined ? SCOPES : scope.split(' ').filter(isScope)
  if (scopes.length === 0) return invalidMetadata('no scope is known')
  return {
    name,
    homepage_url: client_uri ?? null,
    redirect_uris: [...new Set(redirect_uris as string[])],
    scopes,
  }
}

const invalidMetadata = (error_description: string): OAuthError => ({
  error: 'invalid_client_metadata',
  error_description,
})

const isWebAddress = (value: unknown): value is string =>
  typeof value === 'string' &&
  value.length <= 2_048 &&
  /^https?:\/\/[^/]/i.test(value) &&
  !/[\s\p{Cc}\p{Cs}]/u.test(value) &&
  URL.canParse(value)

function findRedirectUriError(uris: unknown): string | undefined {
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > MAX_REDIRECT_URIS) {
    return `redirect_uris must hold 1 to ${MAX_REDIRECT_URIS} addresses`
  }
  for (const uri of uris) {
    if (typeof uri !== 'string' || uri.length > MAX_REDIRECT_URI_LENGTH) return 'must be texts'
    const error = validateRedirectUri(uri, 'public')
    if (error !== undefined) return `redirect_uris ${error}`
  }
  return undefined
}
