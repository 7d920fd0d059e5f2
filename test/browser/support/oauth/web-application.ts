import { randomUUID } from 'node:crypto'
import * as oauth from 'openid-client'
import type { NewApplication } from '#auth/oauth/applications.ts'
import { readCookie } from '#auth/sessions/sessions.ts'
import { createTestApplication, type TestApplication } from '../../../support/oauth/oauth-client.ts'
import type { BrowserFixture } from '../browser-test.ts'
import { toTestTeam } from '../team.ts'
import { type ReceivedRequest, sendPage, startForeignSite } from './foreign-site.ts'

/** A third-party web application that uses `openid-client`. */
export interface WebApplication {
  app: TestApplication
  origin: string
  config: oauth.Configuration
  /** The token responses it received, in order. */
  tokens: oauth.TokenEndpointResponse[]
  /** The callback requests of browsers, in order. */
  callbacks: () => ReceivedRequest[]
  /** The address that starts a sign-in; parameters are added to the authorization request. */
  loginUrl: (params?: Record<string, string>) => string
}

/**
 * Starts a web application, registered in the workspace of the team. `/login` redirects to Docket;
 * `/cb` fetches the tokens and greets the person by name, or shows the error.
 */
export async function startWebApplication(
  fixture: BrowserFixture,
  registration: Partial<NewApplication> = {},
): Promise<WebApplication> {
  const { docket, team } = fixture
  const tokens: oauth.TokenEndpointResponse[] = []
  /** For each browser, the PKCE verifiers of its requests by their `state`. */
  const pendingByBrowser = new Map<string, Map<string, string>>()
  // Cookies do not isolate by port (RFC 6265 §8.5), so the name must be unique.
  const name = `notes_${randomUUID()}`

  const { origin, requests } = await startForeignSite(fixture, async (url, { headers }, reply) => {
    const id = readCookie(headers.cookie, name) ?? randomUUID()
    const pending = pendingByBrowser.get(id) ?? new Map<string, string>()
    pendingByBrowser.set(id, pending)
    if (url.pathname === '/cb') return sendPage(reply, await greeting(url, pending))
    const [state, verifier] = [oauth.randomState(), oauth.randomPKCECodeVerifier()]
    pending.set(state, verifier)
    const to = oauth.buildAuthorizationUrl(config, {
      redirect_uri: `${origin}/cb`,
      scope: 'tasks:read tasks:write',
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...Object.fromEntries(url.searchParams),
    })
    const cookie = `${name}=${id}; HttpOnly; SameSite=Lax; Path=/`
    reply.writeHead(302, { location: to.href, 'set-cookie': cookie }).end()
  })

  const app = await createTestApplication(docket, toTestTeam(team), {
    name: 'Standup Notes',
    type: 'confidential',
    redirect_uris: [`${origin}/cb`],
    ...registration,
  })
  const config = await oauth.discovery(
    new URL(docket.url),
    app.id,
    {},
    oauth.ClientSecretBasic(app.secret),
    { algorithm: 'oauth2', execute: [oauth.allowInsecureRequests] },
  )

  async function greeting(url: URL, pending: Map<string, string>): Promise<string> {
    const state = url.searchParams.get('state') ?? ''
    const verifier = pending.get(state)
    try {
      const tokenSet = await oauth.authorizationCodeGrant(config, url, {
        expectedState: verifier === undefined ? 'nothing was begun' : state,
        pkceCodeVerifier: verifier ?? 'none',
      })
      pending.delete(state)
      tokens.push(tokenSet)
      const { user, workspace } = await fetchTokenOwner(config, tokenSet.access_token)
      return `Hello ${user.name} of ${workspace.name}`
    } catch (error) {
      return `Refused: ${oauthErrorCode(error)}`
    }
  }

  return {
    app,
    origin,
    config,
    tokens,
    callbacks: () => requests.filter(({ url }) => url.pathname === '/cb'),
    loginUrl: (params = {}) => `${origin}/login?${new URLSearchParams(params)}`,
  }
}

/** The person, workspace and scopes of an access token. */
export async function fetchTokenOwner(config: oauth.Configuration, access_token: string) {
  const at = new URL('/api/v1/me', config.serverMetadata().issuer)
  const reply = await oauth.fetchProtectedResource(config, access_token, at, 'GET')
  return (await reply.json()) as TokenOwner
}

interface TokenOwner {
  user: { id: string; name: string }
  workspace: { id: string; name: string }
  credential: { type: string; id: string; scopes: string[] }
}

/** The OAuth error code, or the reason for which the library itself rejected the response. */
export function oauthErrorCode(error: unknown): string {
  if (error instanceof oauth.WWWAuthenticateChallengeError) {
    const { scheme, parameters } = error.cause[0] ?? { parameters: {} }
    return parameters.error ?? `${scheme} ${parameters.realm}`
  }
  const { error: name, cause, message } = Object(error) as Record<string, unknown>
  const { message: why = message } = Object(cause) as { message?: unknown }
  return typeof name === 'string' ? name : `${why}`
}
