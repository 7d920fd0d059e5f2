import * as oauth from 'openid-client'

/** A Docket server, and this application's registration with it. */
export type DocketServer = oauth.Configuration

/** The tokens of a person. */
export interface UserTokens {
  access: string
  refresh: string
  /** When to renew the access token, in milliseconds since 1970: shortly before it expires. */
  expiresAt: number
}

/** The secrets of one sign-in attempt, stored on this side to verify the redirect back. */
export interface SignInChecks {
  pkceCodeVerifier: string
  expectedState: string
}

/** The fields of a task that are shown. */
export interface ListedTask {
  short_id: string
  title: string
  due_date: string | null
}

/** Only what is needed: the consent page explains it to the person. */
const SCOPE = 'tasks:read'
const EXPIRY_MARGIN_SECONDS = 60

/** Reads the server's metadata (RFC 8414). Without a secret the application is a public client. */
export function connectToDocket(url: string, id: string, secret?: string): Promise<DocketServer> {
  const server = new URL(url)
  const authentication = secret === undefined ? oauth.None() : oauth.ClientSecretBasic(secret)
  const isLocal = ['127.0.0.1', '[::1]', 'localhost'].includes(server.hostname)
  return oauth.discovery(server, id, undefined, authentication, {
    algorithm: 'oauth2',
    // Plain HTTP would expose tokens on the network, so it is only allowed on this computer.
    execute: isLocal ? [oauth.allowInsecureRequests] : [],
  })
}

/** The URL to send the person to, and the values to check when they return. */
export async function createAuthorizationUrl(docket: DocketServer, redirect_uri: string) {
  const pkceCodeVerifier = oauth.randomPKCECodeVerifier()
  const expectedState = oauth.randomState()
  const address = oauth.buildAuthorizationUrl(docket, {
    redirect_uri,
    scope: SCOPE,
    state: expectedState,
    code_challenge: await oauth.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  })
  const checks: SignInChecks = { pkceCodeVerifier, expectedState }
  return { address: address.href, checks }
}

/** Exchanges the code from the redirect. The library checks `state` and `iss` first. */
export const exchangeCode = async (
  docket: DocketServer,
  back: URL,
  checks: SignInChecks,
): Promise<UserTokens> => tokensOf(await oauth.authorizationCodeGrant(docket, back, checks))

/** Renews the tokens. A refresh token can be used once: store the new one immediately. */
export const renewTokens = async (docket: DocketServer, refresh: string): Promise<UserTokens> =>
  tokensOf(await oauth.refreshTokenGrant(docket, refresh))

/** Revokes the authorization with all of its tokens. */
export const revokeAuthorization = (docket: DocketServer, token: string): Promise<void> =>
  oauth.tokenRevocation(docket, token)

/** The person's open tasks by due date; undefined if the token is no longer valid. */
export async function listOpenTasks(
  docket: DocketServer,
  access: string,
): Promise<ListedTask[] | undefined> {
  const { issuer } = docket.serverMetadata()
  const query = 'assignee_id=me&completed=false&sort=due_date&limit=50'
  const reply = await fetch(`${issuer}/api/v1/tasks?${query}`, {
    headers: { authorization: `Bearer ${access}` },
  })
  if (reply.status === 401) return undefined
  if (!reply.ok) throw new Error(await reply.text())
  return ((await reply.json()) as { data: ListedTask[] }).data
}

/** Whether the person denied or revoked the authorization, so that they must sign in again. */
export function isAuthorizationEnded(error: unknown): boolean {
  if (error instanceof oauth.AuthorizationResponseError) return error.error === 'access_denied'
  return error instanceof oauth.ResponseBodyError && error.error === 'invalid_grant'
}

function tokensOf(reply: oauth.TokenEndpointResponse): UserTokens {
  const { access_token, refresh_token = '', expires_in = 0 } = reply
  const until = Date.now() + (expires_in - EXPIRY_MARGIN_SECONDS) * 1_000
  return { access: access_token, refresh: refresh_token, expiresAt: until }
}
