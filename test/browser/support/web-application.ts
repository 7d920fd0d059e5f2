import { randomUUID } from 'node:crypto'
import * as oauth from 'openid-client'
import type { NewApplication } from '#identity/applications.ts'
import { cookieIn } from '#identity/cookie.ts'
import { type App, newApp } from '../../support/oauth.ts'
import type { Scene } from './browse.ts'
import { type Came, elsewhere, page } from './elsewhere.ts'

/** How a confidential application says who it is. */
export type Method = 'client_secret_basic' | 'client_secret_post'

/** A web application of somebody else, as its makers write it with `openid-client`. */
export interface WebApplication {
  app: App
  origin: string
  config: oauth.Configuration
  /** What it was given, in order. */
  tokens: oauth.TokenEndpointResponse[]
  /** How browsers came back, in order. */
  backs: () => Came[]
  /** The page that begins; parameters are added to the request. */
  login: (more?: Record<string, string>) => string
}

/**
 * Starts one in the team's workspace. `/login` sends the browser to Docket; `/cb` fetches the tokens and
 * greets the person by name, or says which error there was.
 */
export async function webApplication(
  scene: Scene,
  { method = 'client_secret_basic', ...wanted }: Partial<NewApplication> & { method?: Method } = {},
): Promise<WebApplication> {
  const { docket, team } = scene
  const tokens: oauth.TokenEndpointResponse[] = []
  /** By browser, what it has begun: the verifiers by their state. */
  const begun = new Map<string, Map<string, string>>()
  // Of a host all ports share their cookies.
  const name = `notes_${randomUUID()}`

  const { origin, came } = await elsewhere(scene, async (url, { headers }, reply) => {
    const id = cookieIn(headers.cookie, name) ?? randomUUID()
    const mine = begun.get(id) ?? new Map<string, string>()
    begun.set(id, mine)
    if (url.pathname === '/cb') return page(reply, await greeting(url, mine))
    const [state, verifier] = [oauth.randomState(), oauth.randomPKCECodeVerifier()]
    mine.set(state, verifier)
    const to = oauth.buildAuthorizationUrl(config, {
      ...{ redirect_uri: `${origin}/cb`, scope: 'tasks:read tasks:write', state },
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...Object.fromEntries(url.searchParams),
    })
    const cookie = `${name}=${id}; HttpOnly; SameSite=Lax; Path=/`
    reply.writeHead(302, { location: to.href, 'set-cookie': cookie }).end()
  })

  const app = await newApp(docket, homeOf(team), {
    ...{ name: 'Standup Notes', type: 'confidential', redirect_uris: [`${origin}/cb`] },
    ...wanted,
  })
  const proof = method === 'client_secret_post' ? oauth.ClientSecretPost : oauth.ClientSecretBasic
  const config = await oauth.discovery(
    new URL(docket.url),
    app.id,
    {},
    wanted.type === 'public' ? oauth.None() : proof(app.secret),
    { algorithm: 'oauth2', execute: [oauth.allowInsecureRequests] },
  )

  async function greeting(url: URL, mine: Map<string, string>): Promise<string> {
    const state = url.searchParams.get('state') ?? ''
    const verifier = mine.get(state)
    try {
      const given = await oauth.authorizationCodeGrant(config, url, {
        expectedState: verifier === undefined ? 'nothing was begun' : state,
        pkceCodeVerifier: verifier ?? 'none',
      })
      mine.delete(state)
      tokens.push(given)
      const { user, workspace } = await meOf(config, given.access_token)
      return `Hello ${user.name} of ${workspace.name}`
    } catch (error) {
      return `Refused: ${errorOf(error)}`
    }
  }

  return {
    ...{ app, origin, config, tokens },
    backs: () => came.filter(({ url }) => url.pathname === '/cb'),
    login: (more = {}) => `${origin}/login?${new URLSearchParams(more)}`,
  }
}

/** Who an access token speaks for. */
export async function meOf(config: oauth.Configuration, access_token: string) {
  const at = new URL('/api/v1/me', config.serverMetadata().issuer)
  const reply = await oauth.fetchProtectedResource(config, access_token, at, 'GET')
  return (await reply.json()) as Me
}

interface Me {
  user: { id: string; name: string }
  workspace: { id: string; name: string }
  credential: { type: string; id: string; scopes: string[] }
}

/** The name of an error of the protocol, or why the library itself stopped. */
export function errorOf(error: unknown): string {
  if (error instanceof oauth.WWWAuthenticateChallengeError) {
    const { scheme, parameters } = error.cause[0] ?? { parameters: {} }
    return parameters.error ?? `${scheme} ${parameters.realm}`
  }
  const { error: name, cause, message } = Object(error) as Record<string, unknown>
  const { message: why = message } = Object(cause) as { message?: unknown }
  return typeof name === 'string' ? name : `${why}`
}

/** The people of a team by their roles, as the makers of applications are asked for them. */
export const homeOf = ({ workspace, people }: Scene['team']) => ({
  workspace,
  people: {
    ...{ owner: people.owner.id, admin: people.admin.id },
    ...{ member: people.member.id, guest: people.guest.id },
  },
})
