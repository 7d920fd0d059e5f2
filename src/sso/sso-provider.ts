import type { CustomFetch } from 'openid-client'
import * as client from 'openid-client'
import { ApiError } from '#core/api-error.ts'
import type { SsoClaims, SsoProvider } from '#core/sso-provider.ts'
import type { SsoSettings } from './sso-settings.ts'

const MAX_RESPONSE_BYTES = 1_000_000

/** The provider did not respond, or its response cannot be used. */
class SsoProviderUnreachableError extends Error {}

/** Calls the provider without following redirects, and limits the size of the response. */
const boundedFetch: CustomFetch = async (url, options) => {
  let response: Response
  let text: string
  try {
    response = await fetch(url, { ...options, redirect: 'manual' } as RequestInit)
    text = await readText(response)
  } catch (cause) {
    throw new SsoProviderUnreachableError('The provider does not answer.', { cause })
  }
  if (response.status >= 500)
    throw new SsoProviderUnreachableError(`The provider answers ${response.status}.`)
  const body = response.status === 204 || response.status === 304 ? null : text
  return new Response(body, { status: response.status, headers: response.headers })
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > MAX_RESPONSE_BYTES)
      throw new Error(`The answer has more than ${MAX_RESPONSE_BYTES} bytes.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Whether the provider could not be reached. The library wraps our errors in its own. */
function isSsoProviderUnreachable(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof SsoProviderUnreachableError) return true
  }
  return false
}

/** Who has signed in, by the claims of the provider. An address counts only if it is verified. */
export function parseClaims(
  raw: Record<string, unknown>,
  issuer: string,
  subject: string,
): SsoClaims {
  const text = (value: unknown) => (typeof value === 'string' ? value.trim() : '')
  // Some providers send this boolean as a string.
  const isVerified =
    raw.email_verified === true || raw.email_verified === 'true' || isVerifiedByEntra(raw, issuer)
  const email = isVerified ? text(raw.email).toLowerCase() : ''
  const name = text(raw.name) || text(raw.preferred_username) || email.split('@')[0] || 'Somebody'
  const isEmail = /^[^@\s\p{Cc}]+@[^@\s\p{Cc}]+$/u.test(email) && email.length <= 254
  return {
    issuer,
    subject,
    email: isEmail ? email : null,
    name: [...name.replace(/\p{Cc}/gu, ' ')].slice(0, 100).join(''),
  }
}

/** Entra ID uses the claim `xms_edov` for whether the domain of the address is verified. */
const isVerifiedByEntra = ({ xms_edov }: Record<string, unknown>, issuer: string): boolean =>
  issuer.startsWith('https://login.microsoftonline.com/') && /^(true|1)$/.test(String(xms_edov))

interface SsoLogger {
  error(about: object, message: string): void
}

/** How long the provider's metadata is cached, and how long a failed discovery. */
const METADATA_CACHE_TTL_MS = 60 * 60 * 1000
const FAILURE_CACHE_TTL_MS = 10_000
const TIMEOUT_S = 10

/** The state of a sign-in that is stored while the browser is at the provider. */
interface SsoLoginState {
  state: string
  nonce: string
  verifier: string
}

/** Creates the client of the SSO provider. It does not call the provider before the first sign-in. */
export function createSsoProvider(
  settings: SsoSettings,
  baseUrl: string,
  log: SsoLogger,
): SsoProvider {
  const { name, only, newcomers, domains } = settings
  const redirect_uri = `${baseUrl}/sign-in/company`
  const loadConfiguration = cached(() => discover(settings))
  const withProvider = async <T>(
    work: (config: client.Configuration) => Promise<T>,
  ): Promise<T> => {
    try {
      return await work(await loadConfiguration())
    } catch (error) {
      throw toUserError(error, log)
    }
  }
  return {
    name,
    isOnlySignIn: only,
    newMemberWorkspace: newcomers,
    beginSignIn: () =>
      withProvider(async (config) => {
        const verifier = client.randomPKCECodeVerifier()
        const login: SsoLoginState = {
          state: client.randomState(),
          nonce: client.randomNonce(),
          verifier,
        }
        const url = client.buildAuthorizationUrl(config, {
          redirect_uri,
          scope: 'openid email profile',
          state: login.state,
          nonce: login.nonce,
          code_challenge: await client.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
        })
        return { url: url.href, kept: JSON.stringify(login) }
      }),
    finishSignIn: (text, { code, state, iss }) =>
      withProvider(async (config) => {
        const login = JSON.parse(text) as SsoLoginState
        const callbackUrl = new URL(redirect_uri)
        const answer = { code, state, ...(iss !== undefined && { iss }) }
        callbackUrl.search = new URLSearchParams(answer).toString()
        const tokens = await client.authorizationCodeGrant(config, callbackUrl, {
          expectedState: login.state,
          expectedNonce: login.nonce,
          pkceCodeVerifier: login.verifier,
          idTokenExpected: true,
        })
        const idClaims = tokens.claims()
        if (!idClaims) throw signInFailed()
        // Some providers return the email address only here. The library checks that `sub` is the
        // same.
        const userInfo =
          idClaims.email === undefined && config.serverMetadata().userinfo_endpoint !== undefined
            ? await client.fetchUserInfo(config, tokens.access_token, idClaims.sub)
            : {}
        const claims = parseClaims({ ...userInfo, ...idClaims }, idClaims.iss, idClaims.sub)
        if (domains.length > 0 && !domains.includes(claims.email?.split('@')[1] ?? '')) {
          throw emailRejected()
        }
        return claims
      }),
  }
}

async function discover(settings: SsoSettings): Promise<client.Configuration> {
  const { issuer, clientId, clientSecret } = settings
  const isPlainHttp = issuer.startsWith('http:')
  return client.discovery(
    new URL(issuer),
    clientId,
    undefined,
    clientSecret === undefined ? client.None() : client.ClientSecretBasic(clientSecret),
    {
      timeout: TIMEOUT_S,
      [client.customFetch]: boundedFetch,
      // The settings allow this only for a provider on the same machine.
      ...(isPlainHttp && { execute: [client.allowInsecureRequests] }),
    },
  )
}

/** Caches the result of `load`, failures for a shorter time. Concurrent callers share one call. */
function cached<T>(load: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined
  let cachedUntil = 0
  return () => {
    if (result && Date.now() < cachedUntil) return result
    cachedUntil = Number.POSITIVE_INFINITY
    const loading = load()
    result = loading
    loading.then(
      () => {
        cachedUntil = Date.now() + METADATA_CACHE_TTL_MS
      },
      () => {
        cachedUntil = Date.now() + FAILURE_CACHE_TTL_MS
      },
    )
    return loading
  }
}

/** Logs the reason without codes and tokens, and returns the error for the user. */
function toUserError(error: unknown, log: SsoLogger): unknown {
  if (error instanceof ApiError) return error
  const details = { code: errorCode(error), reason: error instanceof Error ? error.message : '' }
  if (isSsoProviderUnreachable(error)) {
    log.error(details, "The company's sign-in cannot be reached")
    return providerUnavailable()
  }
  log.error(details, "A sign-in by the company's provider has failed")
  return signInFailed()
}

function errorCode(error: unknown): string {
  if (error instanceof client.ResponseBodyError) return error.error
  return error instanceof client.ClientError ? (error.code ?? '') : ''
}

const providerUnavailable = () =>
  new ApiError(
    503,
    'unavailable',
    "The company's sign-in does not answer. Try again in a moment.",
    {
      headers: { 'retry-after': String(FAILURE_CACHE_TTL_MS / 1000) },
    },
  )

const signInFailed = () =>
  new ApiError(
    401,
    'company_sign_in_failed',
    "The company's sign-in did not work out: begin it anew.",
  )

const emailRejected = () =>
  new ApiError(
    403,
    'company_email_refused',
    'Only verified addresses of certain domains come in here.',
  )
