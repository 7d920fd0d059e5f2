import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AuthorizationServer, Client, TokenEndpointResponse } from 'oauth4webapi'
import { ApiError, serviceUnavailable } from '#core/api-error.ts'

/** The time that the user has to sign in in the browser. */
const SIGN_IN_TIMEOUT_MS = 5 * 60 * 1_000
const PATH = '/callback'

/** A local redirect URI that a browser can return to once. */
interface BrowserCallback<T> {
  redirect_uri: string
  /** What `handle` returned for the redirect. */
  result: Promise<T>
  close(): void
}

/**
 * Listens on a loopback port for a redirect with the right `state` (RFC 8252, section 7.3). All
 * other requests get 404 and change nothing. `handle` gets the URL of the redirect, and the browser
 * shows whether it succeeded.
 */
export async function listenForCallback<T>(
  state: string,
  handle: (redirect: URL) => Promise<T>,
): Promise<BrowserCallback<T>> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  let isHandled = false
  const server = createServer((request, response) => {
    const redirect = URL.parse(request.url ?? '', redirect_uri)
    const isExpected = redirect?.pathname === PATH && redirect.searchParams.get('state') === state
    if (!isExpected || request.method !== 'GET' || isHandled) {
      return sendPage(response, 404, 'No sign-in in progress', 'Run docket login to sign in.')
    }
    isHandled = true
    handle(redirect).then(
      (value) => {
        response.once('finish', () => resolve(value))
        sendPage(response, 200, 'You are signed in', 'You can close this window.')
      },
      (error: Error) => {
        response.once('finish', () => reject(error))
        sendPage(
          response,
          400,
          'Sign-in failed',
          'See the terminal for details. You can close this window.',
        )
      },
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const redirect_uri = `http://127.0.0.1:${port}${PATH}`
  const timeout = setTimeout(() => {
    reject(new Error('The sign-in was not completed within five minutes. Run docket login again.'))
  }, SIGN_IN_TIMEOUT_MS)
  return {
    redirect_uri,
    result: promise,
    close() {
      clearTimeout(timeout)
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Opens a URL in the user's browser. Failures are ignored, because the URL is printed as well. */
export function openBrowser(url: string): void {
  const [command = '', ...args] = {
    darwin: ['open'],
    win32: ['rundll32', 'url.dll,FileProtocolHandler'],
  }[process.platform as string] ?? ['xdg-open']
  const child = spawn(command, [...args, url], { detached: true, stdio: 'ignore' })
  child.on('error', () => {})
  child.unref()
}

/** `title` and `text` are not escaped, so they must never come from the request. */
function sendPage(response: ServerResponse, status: number, title: string, text: string): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    connection: 'close',
  })
  response.end(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title} – Docket</title></head><body><h1>${title}</h1><p>${text}</p></body></html>
`)
}

/** The OAuth client of the command line, which is preinstalled on every Docket. */
const CLIENT: Client = { client_id: 'app_00000000000000000000000001' }
export const CLI_CLIENT_ID = CLIENT.client_id

const REQUEST_TIMEOUT_MS = 15_000

/** The tokens with which an application acts as a user. */
export interface OAuthTokens {
  access_token: string
  refresh_token: string
  /** When the access token expires. */
  expires_at: string
  /** Separated by spaces. */
  scope: string
}

/** The values of one sign-in, which must be the same in all its requests (RFC 6749, 7636). */
interface SignInAttempt {
  redirect_uri: string
  state: string
  verifier: string
}

/** A client for the authorization server of a Docket (docs/spec/api.md#oauth). */
interface CliOAuthClient {
  /** The URL to open in the browser. The scopes in `scope` are separated by spaces. */
  authorizationUrl(attempt: SignInAttempt, scope: string): Promise<string>
  /** Exchanges the code of the redirect for tokens. Throws the error if the user has declined. */
  exchange(redirect: URL, attempt: SignInAttempt): Promise<OAuthTokens>
  /** Returns new tokens. The old refresh token becomes invalid shortly after. */
  refresh(refresh_token: string): Promise<OAuthTokens>
  /** Revokes the authorization with all its tokens. */
  revoke(token: string): Promise<void>
}

type OAuthLibrary = typeof import('oauth4webapi')

/** Discovers the authorization server at the origin `url`. Throws 503 if there is none. */
export async function discoverOAuthServer(url: string): Promise<CliOAuthClient> {
  const oauth = await import('oauth4webapi')
  const options = {
    // A Docket on https must not name http endpoints.
    [oauth.allowInsecureRequests]: url.startsWith('http:'),
    signal: () => AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  }
  const server = await discover(oauth, url, options)
  const noAuthentication = oauth.None()
  const withApiErrors = <T>(work: Promise<T>) =>
    work.catch((error) => throwApiError(oauth, url, error))

  return {
    async authorizationUrl({ redirect_uri, state, verifier }, scope) {
      const address = new URL(server.authorization_endpoint ?? '')
      address.search = String(
        new URLSearchParams({
          response_type: 'code',
          client_id: CLI_CLIENT_ID,
          redirect_uri,
          scope,
          state,
          code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
        }),
      )
      return address.href
    },
    exchange: (redirect, { redirect_uri, state, verifier }) =>
      withApiErrors(
        (async () => {
          const parameters = oauth.validateAuthResponse(server, CLIENT, redirect, state)
          const response = await oauth.authorizationCodeGrantRequest(
            server,
            CLIENT,
            noAuthentication,
            parameters,
            redirect_uri,
            verifier,
            options,
          )
          return toTokens(await oauth.processAuthorizationCodeResponse(server, CLIENT, response))
        })(),
      ),
    refresh: (refresh_token) =>
      withApiErrors(
        (async () => {
          const response = await oauth.refreshTokenGrantRequest(
            server,
            CLIENT,
            noAuthentication,
            refresh_token,
            options,
          )
          return toTokens(await oauth.processRefreshTokenResponse(server, CLIENT, response))
        })(),
      ),
    revoke: (token) =>
      withApiErrors(
        oauth
          .revocationRequest(server, CLIENT, noAuthentication, token, options)
          .then(oauth.processRevocationResponse),
      ),
  }
}

async function discover(
  oauth: OAuthLibrary,
  url: string,
  options: object,
): Promise<AuthorizationServer> {
  const issuer = new URL(url)
  try {
    const response = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...options })
    const named = Object(await response.clone().json()).issuer
    if (response.ok && typeof named === 'string' && named !== url) {
      throw serviceUnavailable(`The Docket server at ${url} has another base URL. Use ${named}.`)
    }
    const server = await oauth.processDiscoveryResponse(issuer, response)
    assertSameOrigin(server, url)
    return server
  } catch (error) {
    if (error instanceof ApiError) throw error
    throw serviceUnavailable(`Cannot reach Docket at ${url}.`, error)
  }
}

/**
 * The endpoints are opened in the user's browser and receive secrets. One with another origin, such
 * as a program on this computer, cannot belong to Docket.
 */
function assertSameOrigin(server: AuthorizationServer, url: string): void {
  const { authorization_endpoint, token_endpoint, revocation_endpoint } = server
  for (const address of [authorization_endpoint, token_endpoint, revocation_endpoint]) {
    if (URL.parse(address ?? '')?.origin === url) continue
    throw serviceUnavailable(
      `The response of ${url} is not from Docket: its endpoints have another origin.`,
    )
  }
}

function toTokens({ access_token, refresh_token, expires_in, scope }: TokenEndpointResponse) {
  if (refresh_token === undefined) throw new Error('The response has no refresh token')
  const lifetimeMs = (expires_in ?? 0) * 1_000
  const expires_at = new Date(Date.now() + lifetimeMs).toISOString()
  return { access_token, refresh_token, expires_at, scope: scope ?? '' }
}

/** Protocol errors have codes of their own. Any other error means that this is no Docket. */
function throwApiError(oauth: OAuthLibrary, url: string, error: unknown): never {
  if (
    error instanceof oauth.AuthorizationResponseError ||
    error instanceof oauth.ResponseBodyError
  ) {
    const { error: code, error_description: message = code } = error
    throw new ApiError<string>(400, code, `${message}.`, { cause: error })
  }
  const why = error instanceof Error ? error.message : String(error)
  throw serviceUnavailable(`The response of ${url} is not from Docket: ${why}`, error)
}
