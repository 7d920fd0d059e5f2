import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'

/** A person at the provider, as its ID token describes them. */
export interface OidcUser {
  sub: string
  email?: string
  email_verified?: boolean
  name?: string
}

export const OIDC_CLIENT = { id: 'docket', secret: 'a secret of the company only' }

const CALLBACK_PATH = '/sign-in/company'

/**
 * Starts an OpenID Connect provider, by an independent implementation, on the loopback interface.
 * It signs every visitor in as the current `employee`, without a form.
 */
export async function startOidcProvider() {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const people = new Map<string, OidcUser>()
  const state: { employee: OidcUser; asked: string[]; nonce: string | undefined } = {
    employee: { sub: 'nobody' },
    asked: [],
    nonce: undefined,
  }
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: OIDC_CLIENT.id,
        client_secret: OIDC_CLIENT.secret,
        redirect_uris: [`http://127.0.0.1:4000${CALLBACK_PATH}`],
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
    ],
    cookies: { keys: ['cookies of the company'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_, { uid }) => `/login/${uid}` },
    pkce: { required: () => true },
    findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ ...people.get(sub), sub }) }),
    async loadExistingGrant(ctx) {
      const { client, session } = ctx.oidc
      const grant = new provider.Grant({
        ...(client && { clientId: client.clientId }),
        ...(session?.accountId && { accountId: session.accountId }),
      })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
  })
  // The port of Docket is not known yet, so any redirect URI with the right path is allowed.
  provider.Client.prototype.redirectUriAllowed = (uri: string) => uri.endsWith(CALLBACK_PATH)
  const handle = provider.callback()
  server.on('request', async (request, response) => {
    state.asked.push(request.url?.split('?')[0] ?? '')
    if (!request.url?.startsWith('/login/')) return handle(request, response)
    const { employee } = state
    people.set(employee.sub, employee)
    await provider.interactionFinished(request, response, { login: { accountId: employee.sub } })
  })
  return {
    issuer,
    /** The paths of all requests so far. */
    asked: state.asked,
    become(employee: OidcUser) {
      state.employee = employee
    },
    /** Follows the redirects of a sign-in; returns the URL that leads back to Docket. */
    async visit(address: string): Promise<URL> {
      const jar = new Map<string, string>()
      let at = new URL(address)
      for (let step = 0; step < 10 && at.origin === issuer; step += 1) {
        const cookie = [...jar].map((pair) => pair.join('=')).join('; ')
        const reply = await fetch(at, { redirect: 'manual', headers: { cookie } })
        for (const set of reply.headers.getSetCookie()) {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
          jar.set(name, value)
        }
        const location = reply.headers.get('location')
        if (location === null) throw new Error(`${reply.status} ${await reply.text()}`)
        at = new URL(location, at)
      }
      return at
    },
    async close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
