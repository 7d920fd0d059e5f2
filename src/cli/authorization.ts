import type { AuthorizationServer, Client, TokenEndpointResponse } from 'oauth4webapi'
import { Refusal, unavailable } from '#core/refusal.ts'

/** The application that comes with every Docket: this command line. */
const CLIENT: Client = { client_id: 'app_00000000000000000000000001' }
export const CLIENT_ID = CLIENT.client_id

const PATIENCE_MS = 15_000

/** What an application is given to act in a person's name. */
export interface Tokens {
  access_token: string
  refresh_token: string
  /** Of the access token. */
  expires_at: string
  /** Scopes with spaces between. */
  scope: string
}

/** One sign-in: what goes out and must come back the same (RFC 6749, 7636). */
export interface Attempt {
  redirect_uri: string
  state: string
  verifier: string
}

/** A Docket as the one that lets applications act for persons (contract 4.4). */
export interface Authorization {
  /** Where the person's browser goes; `scope` has spaces between. */
  address(attempt: Attempt, scope: string): Promise<string>
  /** Tokens for the code with which the browser came back; a no of the person is a Refusal. */
  exchange(back: URL, attempt: Attempt): Promise<Tokens>
  /** The next pair; the old refresh token is worth nothing shortly after. */
  refresh(refresh_token: string): Promise<Tokens>
  /** Ends the authorization, with all of its tokens. */
  revoke(token: string): Promise<void>
}

type Library = typeof import('oauth4webapi')

/** Finds the authorization server of the Docket at `url`, an origin. 503 where there is none. */
export async function authorizationAt(url: string): Promise<Authorization> {
  const oauth = await import('oauth4webapi')
  const options = {
    // Of https nothing leads to http.
    [oauth.allowInsecureRequests]: url.startsWith('http:'),
    signal: () => AbortSignal.timeout(PATIENCE_MS),
  }
  const server = await discovered(oauth, url, options)
  const none = oauth.None()
  const told = <T>(work: Promise<T>) => work.catch((error) => refuse(oauth, url, error))

  return {
    async address({ redirect_uri, state, verifier }, scope) {
      const address = new URL(server.authorization_endpoint ?? '')
      address.search = String(
        new URLSearchParams({
          ...{ response_type: 'code', client_id: CLIENT_ID, redirect_uri, scope, state },
          code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
        }),
      )
      return address.href
    },
    exchange: (back, { redirect_uri, state, verifier }) =>
      told(
        (async () => {
          const found = oauth.validateAuthResponse(server, CLIENT, back, state)
          const asked = [found, redirect_uri, verifier, options] as const
          const reply = await oauth.authorizationCodeGrantRequest(server, CLIENT, none, ...asked)
          return tokensIn(await oauth.processAuthorizationCodeResponse(server, CLIENT, reply))
        })(),
      ),
    refresh: (refresh_token) =>
      told(
        (async () => {
          const asked = [refresh_token, options] as const
          const reply = await oauth.refreshTokenGrantRequest(server, CLIENT, none, ...asked)
          return tokensIn(await oauth.processRefreshTokenResponse(server, CLIENT, reply))
        })(),
      ),
    revoke: (token) =>
      told(
        oauth
          .revocationRequest(server, CLIENT, none, token, options)
          .then(oauth.processRevocationResponse),
      ),
  }
}

async function discovered(
  oauth: Library,
  url: string,
  options: object,
): Promise<AuthorizationServer> {
  const issuer = new URL(url)
  try {
    const reply = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...options })
    const named = Object(await reply.clone().json()).issuer
    if (reply.ok && typeof named === 'string' && named !== url) {
      throw unavailable(`The Docket at ${url} is to be called by its address, ${named}.`)
    }
    const server = await oauth.processDiscoveryResponse(issuer, reply)
    refuseElsewhere(server, url)
    return server
  } catch (error) {
    if (error instanceof Refusal) throw error
    throw unavailable(`No Docket can be reached at ${url}.`, error)
  }
}

/**
 * Its addresses are opened in the person's browser, and are told secrets: one that leads elsewhere, as to a
 * program of this computer, is no Docket's.
 */
function refuseElsewhere(server: AuthorizationServer, url: string): void {
  const { authorization_endpoint, token_endpoint, revocation_endpoint } = server
  for (const address of [authorization_endpoint, token_endpoint, revocation_endpoint]) {
    if (URL.parse(address ?? '')?.origin === url) continue
    throw unavailable(`${url} did not answer as a Docket does: its addresses are elsewhere.`)
  }
}

function tokensIn({ access_token, refresh_token, expires_in, scope }: TokenEndpointResponse) {
  if (refresh_token === undefined) throw new Error('The answer holds no refresh token')
  const lasts = (expires_in ?? 0) * 1_000
  const expires_at = new Date(Date.now() + lasts).toISOString()
  return { access_token, refresh_token, expires_at, scope: scope ?? '' }
}

/** Errors of the protocol have a code of their own; whatever else comes is no answer of a Docket. */
function refuse(oauth: Library, url: string, error: unknown): never {
  if (
    error instanceof oauth.AuthorizationResponseError ||
    error instanceof oauth.ResponseBodyError
  ) {
    const { error: code, error_description: message = code } = error
    throw new Refusal(400, code, `${message}.`, { cause: error })
  }
  const why = error instanceof Error ? error.message : String(error)
  throw unavailable(`${url} did not answer as a Docket does: ${why}`, error)
}
