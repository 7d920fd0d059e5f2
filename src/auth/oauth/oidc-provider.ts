import { createPrivateKey, timingSafeEqual } from 'node:crypto'
import type { Configuration, KoaContextWithOIDC, Provider } from 'oidc-provider'
import type { Storage } from '#core/transaction.ts'
import { deriveToken, isToken, newToken } from '#lib/token.ts'
import { nextTurn } from '#lib/turns.ts'
import { isRegisteredRedirectUri } from '#wire/redirect-uri.ts'
import { isScope, SCOPES } from '#wire/scopes.ts'
import { CONSENT_TTL_SECONDS } from './interactions.ts'
import { EXTRA_CLIENT_METADATA, type OidcClient } from './oauth-client.ts'
import { hashOAuthValue } from './oauth-records.ts'
import { createOidcAdapter, resourceAddresses } from './oidc-adapter.ts'
import { unitStorage } from './unit-of-work.ts'

/** The routes of the authorization server. */
export const OAUTH_PATHS = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  revocation: '/oauth/revoke',
  introspection: '/oauth/introspect',
} as const

export interface AuthorizationServerDeps {
  storage: Storage
  /** The issuer, which is also the only resource. */
  baseUrl: string
  /**
   * 32 bytes each: a key that signs cookies, the seed of the signing key that the library requires,
   * and a key from which refresh tokens of public applications are derived.
   */
  keys: { cookies: Buffer; signing: Buffer; refreshTokens: Buffer }
}

const MAX_STATE_LENGTH = 2_048
const MINUTE_S = 60
const DAY_S = 24 * 60 * MINUTE_S
/**
 * In seconds (docs/spec/api.md#oauth). A refresh token ends 30 days after its last use, and at the latest 365
 * days after the authorization.
 */
const TTL_S = {
  code: 60,
  access: 60 * MINUTE_S,
  idle: 30 * DAY_S,
  total: 365 * DAY_S,
  interaction: CONSENT_TTL_SECONDS,
}

type ProviderErrors = typeof import('oidc-provider/lib/helpers/errors.js')

/** Parts of the library, each needed by the next ones. All at once they hold the event loop for 80 ms. */
const LIBRARY_PARTS = [
  () => import('oidc-provider/lib/helpers/configuration.js'),
  () => import('oidc-provider/lib/helpers/jwt.js'),
  () => import('oidc-provider/lib/models/index.js'),
  () => import('oidc-provider/lib/actions/index.js'),
  () => import('oidc-provider/lib/helpers/initialize_app.js'),
]

/**
 * Loads the library on demand, because servers without OAuth applications should not pay for it.
 */
export async function loadOidcProvider(deps: AuthorizationServerDeps): Promise<Provider> {
  for (const load of LIBRARY_PARTS) {
    await load()
    await nextTurn()
  }
  const { Provider } = await import('oidc-provider/lib/provider.js')
  const errors = await import('oidc-provider/lib/helpers/errors.js')
  await nextTurn()
  const provider = new Provider(deps.baseUrl, configuration(deps, errors))
  provider.proxy = true
  Object.assign(provider.AccessToken.prototype, {
    generateTokenId(this: { format?: string }) {
      this.format = 'opaque'
      return newToken('dat_')
    },
  })
  Object.assign(provider.RefreshToken.prototype, {
    generateTokenId: () => newRefreshToken(deps.keys.refreshTokens),
  })
  provider.Client.prototype.redirectUriAllowed = function (uri) {
    const { docket_redirect_uris, docket_type } = extraMetadataOf(this)
    return isRegisteredRedirectUri(uri, docket_redirect_uris, docket_type)
  }
  provider.Client.prototype.compareClientSecret = function (secret) {
    const storedHash = extraMetadataOf(this).docket_secret_hash
    if (storedHash === null || !isToken('dcs_', secret)) return false
    return timingSafeEqual(Buffer.from(hashOAuthValue(secret)), Buffer.from(storedHash))
  }
  return provider
}

/**
 * A refresh token. For a public application it follows from the token that it replaces, so that each
 * of several processes that refresh at once gets the same one. It follows from the value of the
 * token, of which only the hash is stored: neither the database nor the key of the installation is
 * enough to find it.
 */
function newRefreshToken(key: Buffer): string {
  const replaced = unitStorage.getStore()?.consumedToken
  return replaced?.kind === 'RefreshToken' && replaced.isPublicClient
    ? deriveToken('drt_', key, replaced.value)
    : newToken('drt_')
}

/** Our additional metadata fields. */
const extraMetadataOf = (client: object) => client as OidcClient

function configuration(
  { storage, baseUrl, keys }: AuthorizationServerDeps,
  errors: ProviderErrors,
): Configuration {
  return {
    adapter: createOidcAdapter(storage, baseUrl),
    routes: { ...OAUTH_PATHS, end_session: '/oauth/none/end', jwks: '/oauth/none/keys' },
    scopes: [...SCOPES],
    responseTypes: ['code'],
    allowOmittingSingleRegisteredRedirectUri: false,
    enableHttpPostMethods: false,
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    extraClientMetadata: { properties: EXTRA_CLIENT_METADATA },
    extraParams: {
      scope: (_, scope) => assertKnownScope(scope, errors),
      state: (_, state) => assertShortState(state, errors),
      code_challenge: (_, challenge) => assertBase64url(challenge, errors),
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
      revocation: { enabled: true, allowedPolicy: revocationPolicy(errors) },
      introspection: {
        enabled: true,
        allowedPolicy: (_, client, token) => token.clientId === client.clientId,
      },
      resourceIndicators: { enabled: true, ...resourceConfiguration(baseUrl, errors) },
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
    AuthorizationCode: TTL_S.code,
    AccessToken: TTL_S.access,
    Interaction: TTL_S.interaction,
    Session: TTL_S.interaction,
    Grant: TTL_S.total,
    RefreshToken: (_, token) =>
      Math.max(1, Math.min(TTL_S.idle, TTL_S.total - token.totalLifetime())),
  },
  rotateRefreshToken: true,
  issueRefreshToken: () => true,
  expiresWithSession: () => false,
}

/**
 * Nothing is ever signed with the key, but without one the library would use a publicly known
 * default.
 */
function signing({ cookies, signing }: AuthorizationServerDeps['keys']): Configuration {
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), signing])
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  return {
    jwks: { keys: [{ ...key.export({ format: 'jwk' }), use: 'sig', alg: 'EdDSA' } as never] },
    enabledJWA: { idTokenSigningAlgValues: ['EdDSA'] },
    clientDefaults: { id_token_signed_response_alg: 'EdDSA' },
    cookies: {
      keys: [cookies.toString('base64url')],
      names: { session: 'docket_oauth', interaction: 'docket_oauth_asked', resume: RESUME_COOKIE },
      short: { httpOnly: true, sameSite: 'lax', signed: true },
      long: { httpOnly: true, sameSite: 'lax', signed: true },
    },
  }
}

/**
 * The cookie to resume with after the decision. The other two cookies of the library are never
 * sent.
 */
export const RESUME_COOKIE = 'docket_oauth_resume'

function resourceConfiguration(baseUrl: string, { InvalidRequest, InvalidTarget }: ProviderErrors) {
  return {
    defaultResource: () => baseUrl,
    useGrantedResource: () => true,
    async getResourceServerInfo(ctx: KoaContextWithOIDC, resource: string) {
      if (Array.isArray(ctx.oidc.params?.resource)) {
        throw new InvalidRequest("'resource' parameter must not be provided twice")
      }
      if (!resourceAddresses(baseUrl).includes(resource)) throw new InvalidTarget()
      return {
        scope: SCOPES.join(' '),
        audience: baseUrl,
        accessTokenFormat: 'opaque' as const,
        accessTokenTTL: TTL_S.access,
      }
    },
  }
}

function assertKnownScope(scope: string | undefined, { InvalidScope }: ProviderErrors): void {
  // There is no default, so none is invalid_scope, too (RFC 6749 §3.3).
  if (!scope) throw new InvalidScope("'scope' is required", '')
  if (!scope.split(' ').some(isScope)) throw new InvalidScope('no scope is known', scope)
}

/** It is stored with each request, which needs no sign-in. */
function assertShortState(state: string | undefined, { InvalidRequest }: ProviderErrors): void {
  if (state === undefined || state.length <= MAX_STATE_LENGTH) return
  throw new InvalidRequest(`state must have at most ${MAX_STATE_LENGTH} characters`)
}

/** The library accepts all characters of a verifier, but a challenge is always base64url. */
function assertBase64url(challenge: string | undefined, { InvalidRequest }: ProviderErrors): void {
  if (challenge === undefined || /^[\w-]*$/.test(challenge)) return
  throw new InvalidRequest('code_challenge must be base64url')
}

/** A confidential client gets an error if the token is not its own (docs/spec/api.md#oauth). */
function revocationPolicy({ InvalidRequest }: ProviderErrors) {
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
  const hasHint = typeof hint === 'string' && hint !== ''
  return `/oauth/consent/${uid}${hasHint ? `?${new URLSearchParams({ hint })}` : ''}`
}
