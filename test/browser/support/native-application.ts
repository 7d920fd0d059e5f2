import * as oauth from 'oauth4webapi'
import type { Bare } from './browse.ts'
import { elsewhere, page } from './elsewhere.ts'

const LOOSE = { [oauth.allowInsecureRequests]: true }

/**
 * Finds the authorization server of an API as a program does that knows nothing else: it asks without
 * a token, and follows the refusal to the documents of RFC 9728 and RFC 8414.
 */
export async function discovered(api: string): Promise<oauth.AuthorizationServer> {
  const refused = await fetch(`${api}/api/v1/me`)
  const challenge = refused.headers.get('www-authenticate') ?? ''
  const found = /^Bearer .*resource_metadata="([^"]+)"/.exec(challenge)?.[1]
  const document = await oauth.resourceDiscoveryRequest(new URL(api), LOOSE)
  if (found !== document.url) throw new Error(`${challenge} does not lead to ${document.url}`)
  const { authorization_servers } = await oauth.processResourceDiscoveryResponse(
    new URL(api),
    document,
  )
  const issuer = new URL(authorization_servers?.[0] ?? '')
  const answer = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...LOOSE })
  return oauth.processDiscoveryResponse(issuer, answer)
}

/** A program on the computer of the person: registers itself, and has no secret. */
export async function registered(
  as: oauth.AuthorizationServer,
  redirect_uri: string,
): Promise<oauth.Client> {
  const wanted = { client_name: 'Terminal', redirect_uris: [redirect_uri] }
  const made = { ...wanted, token_endpoint_auth_method: 'none' }
  const answer = await oauth.dynamicClientRegistrationRequest(as, made, LOOSE)
  return oauth.processDynamicClientRegistrationResponse(answer)
}

/** A request of the program that waits for the browser at a port that was free. */
export interface Begun {
  /** What the browser opens. */
  url: string
  redirect_uri: string
  /** Where the browser came back to. */
  back(): URL
  /** Validates it, with the state that was sent unless said otherwise, and fetches the tokens. */
  finish(given?: { state?: string; code_verifier?: string }): Promise<oauth.TokenEndpointResponse>
}

/** Begins a request, with parameters of its own where they are given. */
export async function begun(
  scene: Pick<Bare, 'allow'>,
  as: oauth.AuthorizationServer,
  client: oauth.Client,
  more: Record<string, string> = {},
): Promise<Begun> {
  const { origin, came } = await elsewhere(scene, (_, _request, reply) =>
    page(reply, 'Back in the terminal'),
  )
  const redirect_uri = more.redirect_uri ?? `${origin}/cb`
  const [sent, verifier] = [oauth.generateRandomState(), oauth.generateRandomCodeVerifier()]
  const url = new URL(as.authorization_endpoint ?? '')
  url.search = new URLSearchParams({
    ...{ response_type: 'code', client_id: client.client_id, redirect_uri, state: sent },
    ...{ scope: 'tasks:read', code_challenge_method: 'S256' },
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    ...more,
  }).toString()
  const back = () => {
    const last = came.findLast(({ url }) => url.pathname === '/cb')
    if (!last) throw new Error('No browser came back')
    return last.url
  }
  return {
    ...{ url: url.href, redirect_uri, back },
    async finish({ state = sent, code_verifier = verifier } = {}) {
      const given = oauth.validateAuthResponse(as, client, back(), state)
      const answer = await oauth.authorizationCodeGrantRequest(
        ...([as, client, oauth.None(), given, redirect_uri, code_verifier, LOOSE] as const),
      )
      return oauth.processAuthorizationCodeResponse(as, client, answer)
    },
  }
}

/** What the program does with its tokens, by the name of the call. */
export const callsOf = (as: oauth.AuthorizationServer, client: oauth.Client) => ({
  async refresh(token = '', scope?: string) {
    const additionalParameters = { ...(scope !== undefined && { scope }) }
    const options = { ...LOOSE, additionalParameters }
    const answer = await oauth.refreshTokenGrantRequest(as, client, oauth.None(), token, options)
    return oauth.processRefreshTokenResponse(as, client, answer)
  },
  async look(token: string) {
    const answer = await oauth.introspectionRequest(as, client, oauth.None(), token, LOOSE)
    return oauth.processIntrospectionResponse(as, client, answer)
  },
  async revoke(token: string) {
    const answer = await oauth.revocationRequest(as, client, oauth.None(), token, LOOSE)
    await oauth.processRevocationResponse(answer)
  },
  async me(token: string) {
    const at = new URL('/api/v1/me', as.issuer)
    const answer = await oauth.protectedResourceRequest(
      ...([token, 'GET', at, new Headers(), null, LOOSE] as const),
    )
    return (await answer.json()) as { user: { id: string }; credential: { scopes: string[] } }
  },
})
