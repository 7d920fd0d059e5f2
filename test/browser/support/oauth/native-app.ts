import * as oauth from 'oauth4webapi'
import type { EmptyServerFixture } from '../browser-test.ts'
import { sendPage, startForeignSite } from './foreign-site.ts'

const INSECURE = { [oauth.allowInsecureRequests]: true }

/**
 * Discovers the authorization server of an API from its URL alone: it calls the API without a token
 * and follows the challenge to the documents of RFC 9728 and RFC 8414.
 */
export async function discoverAuthorizationServer(api: string): Promise<oauth.AuthorizationServer> {
  const refused = await fetch(`${api}/api/v1/me`)
  const challenge = refused.headers.get('www-authenticate') ?? ''
  const found = /^Bearer .*resource_metadata="([^"]+)"/.exec(challenge)?.[1]
  const document = await oauth.resourceDiscoveryRequest(new URL(api), INSECURE)
  if (found !== document.url) throw new Error(`${challenge} does not lead to ${document.url}`)
  const { authorization_servers } = await oauth.processResourceDiscoveryResponse(
    new URL(api),
    document,
  )
  const issuer = new URL(authorization_servers?.[0] ?? '')
  const answer = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...INSECURE })
  return oauth.processDiscoveryResponse(issuer, answer)
}

/** Registers a native application dynamically, as a public client without a secret. */
export async function registerNativeApp(
  as: oauth.AuthorizationServer,
  redirect_uri: string,
): Promise<oauth.Client> {
  const metadata = { client_name: 'Terminal', redirect_uris: [redirect_uri] }
  const publicMetadata = { ...metadata, token_endpoint_auth_method: 'none' }
  const answer = await oauth.dynamicClientRegistrationRequest(as, publicMetadata, INSECURE)
  return oauth.processDynamicClientRegistrationResponse(answer)
}

/** An authorization request whose application listens for the browser on a free port. */
export interface PendingAuthorization {
  /** The address that the browser has to open. */
  url: string
  redirect_uri: string
  /** The address to which the browser was redirected. */
  callbackUrl(): URL
  /** Validates the callback and fetches the tokens; the options forge the state or the verifier. */
  exchangeCode(forged?: {
    state?: string
    code_verifier?: string
  }): Promise<oauth.TokenEndpointResponse>
}

/** Starts an authorization request, with additional or replaced parameters. */
export async function startAuthorization(
  fixture: Pick<EmptyServerFixture, 'allow'>,
  as: oauth.AuthorizationServer,
  client: oauth.Client,
  extraParams: Record<string, string> = {},
): Promise<PendingAuthorization> {
  const { origin, requests } = await startForeignSite(fixture, (_, _request, reply) =>
    sendPage(reply, 'Back in the terminal'),
  )
  const redirect_uri = extraParams.redirect_uri ?? `${origin}/cb`
  const [sent, verifier] = [oauth.generateRandomState(), oauth.generateRandomCodeVerifier()]
  const url = new URL(as.authorization_endpoint ?? '')
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri,
    state: sent,
    scope: 'tasks:read',
    code_challenge_method: 'S256',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    ...extraParams,
  }).toString()
  const callbackUrl = () => {
    const last = requests.findLast(({ url }) => url.pathname === '/cb')
    if (!last) throw new Error('No browser came back')
    return last.url
  }
  return {
    url: url.href,
    redirect_uri,
    callbackUrl,
    async exchangeCode({ state = sent, code_verifier = verifier } = {}) {
      const given = oauth.validateAuthResponse(as, client, callbackUrl(), state)
      const answer = await oauth.authorizationCodeGrantRequest(
        as,
        client,
        oauth.None(),
        given,
        redirect_uri,
        code_verifier,
        INSECURE,
      )
      return oauth.processAuthorizationCodeResponse(as, client, answer)
    },
  }
}

/** The calls that an application makes with its tokens. */
export const createTokenClient = (as: oauth.AuthorizationServer, client: oauth.Client) => ({
  async refresh(token = '', scope?: string) {
    const additionalParameters = { ...(scope !== undefined && { scope }) }
    const options = { ...INSECURE, additionalParameters }
    const answer = await oauth.refreshTokenGrantRequest(as, client, oauth.None(), token, options)
    return oauth.processRefreshTokenResponse(as, client, answer)
  },
  async introspect(token: string) {
    const answer = await oauth.introspectionRequest(as, client, oauth.None(), token, INSECURE)
    return oauth.processIntrospectionResponse(as, client, answer)
  },
  async me(token: string) {
    const at = new URL('/api/v1/me', as.issuer)
    const answer = await oauth.protectedResourceRequest(
      token,
      'GET',
      at,
      new Headers(),
      null,
      INSECURE,
    )
    return (await answer.json()) as { user: { id: string }; credential: { scopes: string[] } }
  },
})
