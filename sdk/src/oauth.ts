import type { TokenSource } from './docket.ts'
import { DocketError, describeConnectionFailure, readError } from './errors.ts'
import { fetchThroughProxy } from './proxy.ts'
import type { Scope } from './types.ts'

/** What signs people in: an application that is registered with an installation. */
export interface OAuthApplication {
  /** The address that people have of the installation, such as `https://docket.example.com`. */
  baseUrl: string
  /** `app_…` */
  clientId: string
  /** Of a confidential application. A public one has none. */
  clientSecret?: string | undefined
  /** Used in place of the global `fetch`. */
  fetch?: typeof fetch
}

/**
 * Why somebody is not signed in. `state_mismatch`, `issuer_mismatch`: this person did not begin it here.
 * `not_signed_in`: the store has no grant. The others are of Docket, which has more for mistakes in the program
 * (docs/guides/oauth.md).
 */
export type OAuthErrorCode =
  | 'state_mismatch'
  | 'issuer_mismatch'
  | 'not_signed_in'
  | 'access_denied'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'server_error'
  | 'temporarily_unavailable'

/** Any text, without hiding the known codes from the completion of an editor. */
type OtherCode = string & Record<never, never>

/**
 * What ends an attempt to sign in, or a grant. After `not_signed_in` and, from a token source, `invalid_grant` the person
 * must sign in again; all other failures are a plain `DocketError` and may pass.
 */
export class OAuthError extends DocketError<OAuthErrorCode | OtherCode> {
  constructor(code: OAuthErrorCode | OtherCode, message: string, status?: number) {
    super({ code, message, status })
    this.name = 'OAuthError'
  }
}

/** One attempt to sign in. Keep all but `url` where only this person can reach it, and use it once. */
export interface AuthorizationRequest {
  /** Where to send the person. */
  url: string
  state: string
  codeVerifier: string
  redirectUri: string
}

/** What a person allowed, with the tokens for it. It is plain JSON, and as secret as a password: it lets a program act for the person. */
export interface OAuthGrant {
  access_token: string
  refresh_token: string
  /** When the access token expires, by the clock of this computer. */
  expires_at: string
  /** Separated by spaces. */
  scope: string
}

/**
 * Keeps the grant of one person. All processes that act for the person share one, because each refresh
 * replaces the refresh token.
 */
export interface OAuthStore {
  read(): Promise<OAuthGrant | undefined>
  /** Returns once it is stored so that a crash does not lose it. Undefined removes the grant. */
  write(grant: OAuthGrant | undefined): Promise<void>
  /** Runs a function while nobody else with the same store runs one, in any process. */
  withLock<T>(run: () => Promise<T>): Promise<T>
}

const REQUEST_TIMEOUT_MS = 10_000
/** An access token that expires within this time is refreshed first. */
const EXPIRY_MARGIN_MS = 60_000
/**
 * After a refresh without a reply the old token can be used again for 30 seconds at least, and later that
 * ends the authorization (docs/guides/oauth.md#refresh): all attempts begin within this time.
 */
const REFRESH_PAUSES_MS = [500, 1_500]

/** Begins to sign a person in, with PKCE (RFC 7636). */
export async function createAuthorizationRequest(
  { baseUrl, clientId }: OAuthApplication,
  { redirectUri, scopes }: { redirectUri: string; scopes: readonly Scope[] },
): Promise<AuthorizationRequest> {
  // A page that is not of https or of this computer has no hash functions, and Docket redirects to none.
  if (!crypto.subtle) throw new TypeError('Sign people in from an address that begins with https')
  const [state, codeVerifier] = [createSecret(), createSecret()]
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(codeVerifier))
  const url = new URL('/oauth/authorize', baseUrl)
  url.search = String(
    new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri,
      scope: scopes.join(' '),
      state,
      code_challenge: toBase64Url(new Uint8Array(digest)),
      code_challenge_method: 'S256',
    }),
  )
  return { url: url.href, state, codeVerifier, redirectUri }
}

/**
 * Ends it where the person comes back: checks `state` and `iss` of the address (RFC 9207) and exchanges its
 * code. `callbackUrl` may be the path alone, such as the `request.url` of Node.
 */
export async function exchangeCode(
  application: OAuthApplication,
  callbackUrl: string | URL,
  { state, codeVerifier, redirectUri }: Omit<AuthorizationRequest, 'url'>,
): Promise<OAuthGrant> {
  const { origin } = new URL(application.baseUrl)
  const parameters = new URL(callbackUrl, redirectUri).searchParams
  if (state === '' || parameters.get('state') !== state) {
    const message = 'The state is not that of this attempt to sign in. Begin again.'
    throw new OAuthError('state_mismatch', message)
  }
  if (parameters.get('iss') !== origin) {
    const message = `The answer to ${origin} names ${parameters.get('iss')} as its issuer. Is baseUrl the address that the installation has as DOCKET_BASE_URL?`
    throw new OAuthError('issuer_mismatch', message)
  }
  const error = parameters.get('error')
  if (error !== null) throw new OAuthError(error, parameters.get('error_description') ?? error)
  // Never again: a code that is used twice ends the authorization.
  return requestGrant(application, {
    grant_type: 'authorization_code',
    code: parameters.get('code') ?? '',
    redirect_uri: redirectUri,
    code_verifier: codeVerifier,
  })
}

/**
 * The `token` of a `Docket` that acts for the person of a store. It refreshes the access token shortly before it
 * expires or after it was refused; of all processes that share the store, one does so at a time.
 */
export function createTokenSource(application: OAuthApplication, store: OAuthStore): TokenSource {
  let refreshing: Promise<OAuthGrant> | undefined
  return async function loadToken(refused?: string): Promise<string> {
    const grant = await readGrant(store)
    if (isUsable(grant, refused)) return grant.access_token
    refreshing ??= store
      .withLock(() => refreshOnce(application, store, refused))
      .finally(() => {
        refreshing = undefined
      })
    const { access_token } = await refreshing
    // It may have begun for a call that had another token refused.
    return access_token === refused ? loadToken(refused) : access_token
  }
}

/** Revokes the grant of a store with all its tokens, and removes it. */
export async function signOut(application: OAuthApplication, store: OAuthStore): Promise<void> {
  await store.withLock(async () => {
    const grant = await store.read()
    if (!grant) return
    await post(application, '/oauth/revoke', { token: grant.refresh_token })
    await store.write(undefined)
  })
}

/** Keeps a grant in the memory of this process alone, for example for tests. */
export function createMemoryStore(grant?: OAuthGrant): OAuthStore {
  let last: Promise<unknown> = Promise.resolve()
  return {
    read: async () => grant,
    write: async (next) => {
      grant = next
    },
    withLock(run) {
      const result = last.then(run, run)
      last = result
      return result
    },
  }
}

async function readGrant(store: OAuthStore): Promise<OAuthGrant> {
  const grant = await store.read()
  if (grant) return grant
  const message = 'Nobody is signed in: the store is empty. Let the person sign in.'
  throw new OAuthError('not_signed_in', message)
}

const isUsable = ({ access_token, expires_at }: OAuthGrant, refused: string | undefined) =>
  access_token !== refused && Date.parse(expires_at) - Date.now() > EXPIRY_MARGIN_MS

/** Only with the lock. */
async function refreshOnce(
  application: OAuthApplication,
  store: OAuthStore,
  refused: string | undefined,
): Promise<OAuthGrant> {
  // Again: another process may have refreshed it while this one waited for the lock.
  const grant = await readGrant(store)
  if (isUsable(grant, refused)) return grant
  const { refresh_token } = grant
  for (let attempt = 0; ; attempt += 1) {
    try {
      const next = await requestGrant(application, { grant_type: 'refresh_token', refresh_token })
      await store.write(next)
      return next
    } catch (error) {
      const pause = REFRESH_PAUSES_MS[attempt]
      if (pause === undefined || !mayHaveSucceeded(error)) throw error
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
  }
}

const mayHaveSucceeded = (error: unknown) =>
  error instanceof DocketError && (error.status === undefined || error.status >= 500)

async function requestGrant(
  application: OAuthApplication,
  form: Record<string, string>,
): Promise<OAuthGrant> {
  const sentAt = Date.now()
  const reply = await post(application, '/oauth/token', form)
  const { access_token, refresh_token, scope, expires_in } = reply
  if (!access_token || !refresh_token || !scope || !expires_in) {
    const message = 'The answer has no tokens. Is baseUrl right?'
    throw new DocketError({ code: 'unexpected_response', message, status: 200 })
  }
  const expires_at = new Date(sentAt + expires_in * 1000).toISOString()
  return { access_token, refresh_token, expires_at, scope }
}

/** What the token endpoint answers: tokens, an error of OAuth, or one of the API. */
interface OAuthReply {
  access_token?: string
  refresh_token?: string
  expires_in?: number
  scope?: string
  error?: string | object
  error_description?: string
}

/** Sends a form once. */
async function post(
  application: OAuthApplication,
  path: string,
  form: Record<string, string>,
): Promise<OAuthReply> {
  const { baseUrl, clientId, clientSecret } = application
  const send = application.fetch ?? fetchThroughProxy
  const url = new URL(path, baseUrl)
  const body = new URLSearchParams({ client_id: clientId, ...form })
  if (clientSecret !== undefined) body.set('client_secret', clientSecret)
  let response: Response
  let text: string
  try {
    const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS)
    response = await send(url, { method: 'POST', body, redirect: 'manual', signal })
    text = await response.clone().text()
  } catch (cause) {
    const message = `No answer from ${url}: ${describeConnectionFailure(cause)}`
    throw new DocketError({ code: 'network_error', message }, { cause })
  }
  const reply = parseReply(text)
  const { error, error_description } = reply
  if (typeof error === 'string') {
    throw new OAuthError(error, error_description ?? error, response.status)
  }
  if (!response.ok) throw await readError(response)
  return reply
}

function parseReply(text: string): OAuthReply {
  try {
    const parsed: OAuthReply | null = JSON.parse(text)
    return parsed ?? {}
  } catch {
    return {}
  }
}

/** 256 random bits: more than a `state` or a verifier needs. */
const createSecret = () => toBase64Url(crypto.getRandomValues(new Uint8Array(32)))

const toBase64Url = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
