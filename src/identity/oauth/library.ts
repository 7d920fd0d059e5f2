import { createPrivateKey, timingSafeEqual } from 'node:crypto'
import type { Configuration, KoaContextWithOIDC, Provider } from 'oidc-provider'
import type { Storage } from '#core/tx.ts'
import { isToken, newToken } from '#lib/token.ts'
import { isRedirectUri } from '#wire/redirect-uri.ts'
import { isScope, SCOPES } from '#wire/scopes.ts'
import { adapter } from './adapter.ts'
import { type Client, OWN_MEMBERS } from './clients.ts'
import { ASKED_SECONDS } from './cookie.ts'
import { hashOfValue } from './records.ts'

/** Where the library is reached; what it does not offer has an address that no server asks it for. */
export const PATHS = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  revocation: '/oauth/revoke',
  introspection: '/oauth/introspect',
} as const

/** What the authorization server is made of. */
export interface Means {
  storage: Storage
  /** The issuer, and the one resource. */
  baseUrl: string
  /** 32 bytes each: one signs cookies, of the other comes the signing key that the library wants. */
  keys: { cookies: Buffer; signing: Buffer }
}

const MINUTE = 60
const DAY = 24 * 60 * MINUTE
/** Seconds (contract 4.4). A refresh token ends 30 days after its last use, 365 after the authorization. */
const LASTS = {
  code: 60,
  access: 60 * MINUTE,
  idle: 30 * DAY,
  whole: 365 * DAY,
  asked: ASKED_SECONDS,
}

type Own = typeof import('oidc-provider/lib/helpers/errors.js')

/** Loads the library, which takes memory and time that a server without applications does without. */
export async function openLibrary(means: Means): Promise<Provider> {
  const { Provider } = await import('oidc-provider/lib/provider.js')
  const errors = await import('oidc-provider/lib/helpers/errors.js')
  const provider = new Provider(means.baseUrl, configuration(means, errors))
  provider.proxy = true
  Object.assign(provider.AccessToken.prototype, {
    generateTokenId(this: { format?: string }) {
      this.format = 'opaque'
      return newToken('dat_')
    },
  })
  Object.assign(provider.RefreshToken.prototype, { generateTokenId: () => newToken('drt_') })
  provider.Client.prototype.redirectUriAllowed = function (asked) {
    const { docket_redirect_uris, docket_type } = membersOf(this)
    return isRedirectUri(asked, docket_redirect_uris, docket_type)
  }
  provider.Client.prototype.compareClientSecret = function (secret) {
    const kept = membersOf(this).docket_secret_hash
    if (kept === null || !isToken('dcs_', secret)) return false
    return timingSafeEqual(Buffer.from(hashOfValue(secret)), Buffer.from(kept))
  }
  return provider
}

/** The members that `clientById` has put beside those of the library. */
const membersOf = (client: object) => client as Client

function configuration({ storage, baseUrl, keys }: Means, errors: Own): Configuration {
  return {
    adapter: adapter(storage, baseUrl),
    routes: { ...PATHS, end_session: '/oauth/none/end', jwks: '/oauth/none/keys' },
    scopes: [...SCOPES],
    responseTypes: ['code'],
    allowOmittingSingleRegisteredRedirectUri: false,
    enableHttpPostMethods: false,
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    extraClientMetadata: { properties: OWN_MEMBERS },
    extraParams: {
      scope: (_, scope) => refuseNoScope(scope, errors),
      code_challenge: (_, challenge) => refuseNoBase64url(challenge, errors),
    },
    pkce: { required: () => true },
    ...lifetimes,
    ...signing(keys),
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      revocation: { enabled: true, allowedPolicy: refusingForeign(errors) },
      introspection: {
        enabled: true,
        allowedPolicy: (_, client, token) => token.clientId === client.clientId,
      },
      resourceIndicators: { enabled: true, ...resources(baseUrl, errors) },
    },
    interactions: { url: (_, { uid, params }) => consentPage(uid, params.login_hint) },
    findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    revokeGrantPolicy: () => true,
    renderError: (ctx, out) => {
      ctx.body = out
    },
  }
}

const lifetimes: Configuration = {
  ttl: {
    AuthorizationCode: LASTS.code,
    AccessToken: LASTS.access,
    Interaction: LASTS.asked,
    Session: LASTS.asked,
    Grant: LASTS.whole,
    RefreshToken: (_, token) =>
      Math.max(1, Math.min(LASTS.idle, LASTS.whole - token.totalLifetime())),
  },
  rotateRefreshToken: true,
  issueRefreshToken: () => true,
  expiresWithSession: () => false,
}

/** Nothing is ever signed with the key: without one the library would take one that everybody knows. */
function signing({ cookies, signing }: Means['keys']): Configuration {
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), signing])
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  return {
    jwks: { keys: [{ ...key.export({ format: 'jwk' }), use: 'sig', alg: 'EdDSA' } as never] },
    enabledJWA: { idTokenSigningAlgValues: ['EdDSA'] },
    clientDefaults: { id_token_signed_response_alg: 'EdDSA' },
    cookies: {
      keys: [cookies.toString('base64url')],
      names: { session: 'docket_oauth', interaction: 'docket_oauth_asked', resume: RESUME },
      short: { httpOnly: true, sameSite: 'lax', signed: true },
      long: { httpOnly: true, sameSite: 'lax', signed: true },
    },
  }
}

/** The cookie with which a browser goes on after the decision; the other two of the library are not sent. */
export const RESUME = 'docket_oauth_resume'

function resources(baseUrl: string, { InvalidRequest, InvalidTarget }: Own) {
  return {
    defaultResource: () => baseUrl,
    useGrantedResource: () => true,
    async getResourceServerInfo(ctx: KoaContextWithOIDC, resource: string) {
      if (Array.isArray(ctx.oidc.params?.resource)) {
        throw new InvalidRequest("'resource' parameter must not be provided twice")
      }
      if (resource !== baseUrl && resource !== `${baseUrl}/`) throw new InvalidTarget()
      return {
        scope: SCOPES.join(' '),
        audience: baseUrl,
        accessTokenFormat: 'opaque' as const,
        accessTokenTTL: LASTS.access,
      }
    },
  }
}

function refuseNoScope(scope: string | undefined, { InvalidRequest, InvalidScope }: Own): void {
  if (scope === undefined) throw new InvalidRequest("missing required parameter 'scope'")
  if (!scope.split(' ').some(isScope)) throw new InvalidScope('no scope is known', scope)
}

/** The library takes all that a verifier may hold, of which no challenge is made. */
function refuseNoBase64url(challenge: string | undefined, { InvalidRequest }: Own): void {
  if (challenge === undefined || /^[\w-]*$/.test(challenge)) return
  throw new InvalidRequest('code_challenge must be base64url')
}

/** Of another's token a confidential client is told that it is not its own (contract 4.4). */
function refusingForeign({ InvalidRequest }: Own) {
  return (
    _: unknown,
    client: { clientId: string; tokenEndpointAuthMethod?: string | undefined },
    token: { clientId?: string | undefined },
  ) => {
    if (token.clientId === client.clientId) return true
    if (client.tokenEndpointAuthMethod === 'none') return false
    throw new InvalidRequest('the token was issued to another client')
  }
}

function consentPage(uid: string, hint: unknown): string {
  const known = typeof hint === 'string' && hint !== '' && hint.length <= 254
  return `/oauth/consent/${uid}${known ? `?${new URLSearchParams({ hint })}` : ''}`
}
