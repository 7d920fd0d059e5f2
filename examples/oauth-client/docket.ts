import * as oauth from 'openid-client'

/** A Docket, as this application is known to it. */
export type Docket = oauth.Configuration

/** What the application may do for a person, and until when without asking for more. */
export interface Tokens {
  access: string
  refresh: string
  /** Milliseconds since 1970: a little before the access token ends. */
  until: number
}

/** What goes out with a person and must come back with them, kept where nobody else reads it. */
export interface Checks {
  pkceCodeVerifier: string
  expectedState: string
}

/** A task with as much as is shown here. */
export interface Task {
  short_id: string
  title: string
  due_date: string | null
}

/** No more than is needed: the person reads on the page of consent what it means. */
const SCOPE = 'tasks:read'
const MARGIN_SECONDS = 60

/** Looks up what there is at a Docket (RFC 8414). Without a secret the application is a public one. */
export function connect(url: string, id: string, secret?: string): Promise<Docket> {
  const server = new URL(url)
  const authentication = secret === undefined ? oauth.None() : oauth.ClientSecretBasic(secret)
  const isLocal = ['127.0.0.1', '[::1]', 'localhost'].includes(server.hostname)
  return oauth.discovery(server, id, undefined, authentication, {
    algorithm: 'oauth2',
    // Anywhere but on this computer, plain http would show tokens to whoever is on the way.
    execute: isLocal ? [oauth.allowInsecureRequests] : [],
  })
}

/** Where to send the person, and what to hold their coming back against. */
export async function begin(docket: Docket, redirect_uri: string) {
  const pkceCodeVerifier = oauth.randomPKCECodeVerifier()
  const expectedState = oauth.randomState()
  const address = oauth.buildAuthorizationUrl(docket, {
    redirect_uri,
    scope: SCOPE,
    state: expectedState,
    code_challenge: await oauth.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  })
  const checks: Checks = { pkceCodeVerifier, expectedState }
  return { address: address.href, checks }
}

/** Exchanges the code with which the person came back. The library checks `state` and `iss` first. */
export const finish = async (docket: Docket, back: URL, checks: Checks): Promise<Tokens> =>
  tokensOf(await oauth.authorizationCodeGrant(docket, back, checks))

/** The next tokens. The refresh token that is given here is used up: keep the new one at once. */
export const renew = async (docket: Docket, refresh: string): Promise<Tokens> =>
  tokensOf(await oauth.refreshTokenGrant(docket, refresh))

/** Ends what the person has allowed, with all tokens. */
export const revoke = (docket: Docket, token: string): Promise<void> =>
  oauth.tokenRevocation(docket, token)

/** What the person has to do, the most urgent first; undefined if the token is not taken any more. */
export async function openTasks(docket: Docket, access: string): Promise<Task[] | undefined> {
  const { issuer } = docket.serverMetadata()
  const query = 'assignee_id=me&completed=false&sort=due_date&limit=50'
  const reply = await fetch(`${issuer}/api/v1/tasks?${query}`, {
    headers: { authorization: `Bearer ${access}` },
  })
  if (reply.status === 401) return undefined
  if (!reply.ok) throw new Error(await reply.text())
  return ((await reply.json()) as { data: Task[] }).data
}

/** The person said no, or took back what they had allowed: signing in again is all that helps. */
export function hasEnded(error: unknown): boolean {
  if (error instanceof oauth.AuthorizationResponseError) return error.error === 'access_denied'
  return error instanceof oauth.ResponseBodyError && error.error === 'invalid_grant'
}

function tokensOf(reply: oauth.TokenEndpointResponse): Tokens {
  const { access_token, refresh_token = '', expires_in = 0 } = reply
  const until = Date.now() + (expires_in - MARGIN_SECONDS) * 1_000
  return { access: access_token, refresh: refresh_token, until }
}
