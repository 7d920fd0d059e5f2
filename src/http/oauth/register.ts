import { NOBODY } from '#core/actor.ts'
import { registerApplication } from '#identity/applications.ts'
import { faultOfRedirectUri, LONGEST_REDIRECT_URI } from '#wire/redirect-uri.ts'
import { isScope, SCOPES, type Scope } from '#wire/scopes.ts'
import { bodyOf } from '../body.ts'
import type { Handler } from '../handling.ts'
import type { House } from '../house.ts'
import { send } from '../send.ts'
import type { Fault } from './client.ts'

const MOST_URIS = 10
const LONGEST_NAME = 100
/** Of lines there is one, and it reads in the order in which it is written: people decide by it. */
const MISLEADING = /\p{Cc}|[\u2028\u2029\u202a-\u202e\u2066-\u2069]/u

interface Wanted {
  name: string
  homepage_url: string | null
  redirect_uris: string[]
  scopes: readonly Scope[]
}

/**
 * `POST /oauth/register` (RFC 7591): an application registers itself. It gets no secret; what it asks for
 * beyond that is replaced by what there is. Each spends of the budget of its address (contract 5.3).
 */
export function register({ storage, addressLimit }: House): Handler {
  return async (request, reply) => {
    addressLimit(request.ip)
    const wanted = wantedIn(await bodyOf(request.raw, { method: 'POST' }))
    if ('error' in wanted) {
      return send(request, reply, { status: 400, body: JSON.stringify(wanted) })
    }
    const made = await storage.write(NOBODY, (tx) => registerApplication(tx, wanted))
    const body = {
      client_id: made.id,
      client_id_issued_at: Math.floor(Date.parse(made.created_at) / 1000),
      client_name: made.name,
      ...(made.homepage_url !== null && { client_uri: made.homepage_url }),
      redirect_uris: made.redirect_uris,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      scope: made.scopes.join(' '),
    }
    return send(request, reply, { status: 201, body: JSON.stringify(body) })
  }
}

function wantedIn(sent: unknown): Wanted | Fault {
  const { redirect_uris, client_name = 'Application', client_uri, scope } = Object(sent)
  const name = typeof client_name === 'string' ? client_name.trim() : ''
  if (name === '' || [...name].length > LONGEST_NAME || MISLEADING.test(name)) {
    return unfit(`client_name must have 1 to ${LONGEST_NAME} characters`)
  }
  if (client_uri !== undefined && !isWebAddress(client_uri)) {
    return unfit('client_uri must be an address that begins with https://')
  }
  const wrong = faultOfUris(redirect_uris)
  if (wrong !== undefined) return { error: 'invalid_redirect_uri', error_description: wrong }
  if (scope !== undefined && typeof scope !== 'string') return unfit('scope must be a text')
  const scopes = scope === undefined ? SCOPES : scope.split(' ').filter(isScope)
  if (scopes.length === 0) return unfit('no scope is known')
  return {
    name,
    homepage_url: client_uri ?? null,
    redirect_uris: [...new Set(redirect_uris as string[])],
    scopes,
  }
}

const unfit = (error_description: string): Fault => ({
  error: 'invalid_client_metadata',
  error_description,
})

const isWebAddress = (value: unknown): value is string =>
  typeof value === 'string' &&
  value.length <= 2_048 &&
  /^https?:\/\/[^/]/i.test(value) &&
  !/[\s\p{Cc}]/u.test(value) &&
  URL.canParse(value)

function faultOfUris(uris: unknown): string | undefined {
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > MOST_URIS) {
    return `redirect_uris must hold 1 to ${MOST_URIS} addresses`
  }
  for (const uri of uris) {
    if (typeof uri !== 'string' || uri.length > LONGEST_REDIRECT_URI) return 'must be texts'
    const wrong = faultOfRedirectUri(uri, 'public')
    if (wrong !== undefined) return `redirect_uris ${wrong}`
  }
  return undefined
}
