import type { IncomingMessage as NodeRequest } from 'node:http'
import { Socket } from 'node:net'
import type { Provider } from 'oidc-provider'
import { IncomingMessage, ServerResponse } from '#lib/node-http.ts'
import { type AuthorizationServerDeps, loadOidcProvider } from './oidc-provider.ts'
import { OAuthUnitOfWork, type UnitOutcome, unitStorage } from './unit-of-work.ts'

export { OAUTH_PATHS, RESUME_COOKIE } from './oidc-provider.ts'

/** A request to the authorization server, independent of HTTP connections. */
interface OAuthRequest {
  method: 'GET' | 'POST'
  /** Path and query. */
  target: string
  cookie?: string | undefined
  authorization?: string | undefined
  /** The form-encoded body. */
  form?: string
  /** The session of the browser, if the user is signed in. */
  session_id?: string | null
  /** The network of the client that presents a token. */
  network?: string
}

/** What oidc-provider has answered. */
interface ProviderResponse {
  status: number
  /** JSON, or empty. */
  body: unknown
  location: string | undefined
  cookies: string[]
  /** An internal error; there may be a response nevertheless. */
  fault: unknown
}

/** A response to send. */
export interface OAuthResponse extends ProviderResponse {
  /** `spent`: a code, token or request was used a second time, so the response must not be sent. */
  outcome: UnitOutcome
  /** Whether the request has ended access that was allowed before. */
  hasRevokedAccess: boolean
}

/** The authorization server (docs/spec/api.md#oauth). */
export interface AuthorizationServer {
  handle(asked: OAuthRequest): Promise<OAuthResponse>
}

/**
 * Creates the authorization server. The library is loaded with the first request. It handles
 * requests and responses without connections: `http` decides what is sent.
 */
export function createAuthorizationServer(deps: AuthorizationServerDeps): AuthorizationServer {
  let opening: Promise<ReturnType<typeof createHandler>> | undefined
  return {
    async handle(request) {
      opening ??= loadOidcProvider(deps)
        .then(createHandler)
        .catch((error) => {
          // The next request tries again.
          opening = undefined
          throw error
        })
      const handle = await opening
      const unit = new OAuthUnitOfWork(request.session_id ?? null, request.network)
      const response = await handle(unit, request, deps.baseUrl)
      if (response.fault !== undefined && response.location === undefined) throw response.fault
      if (response.status >= 400) unit.discard()
      const end = await unit.commit(deps.storage)
      return { ...response, outcome: end, hasRevokedAccess: unit.hasRevokedAccess }
    },
  }
}

function createHandler(provider: Provider) {
  const responses = new WeakMap<NodeRequest, ProviderResponse>()
  const faults = new WeakMap<NodeRequest, unknown>()
  provider.on('server_error', (ctx, fault) => faults.set(ctx.req, fault))
  provider.use(async (ctx, next) => {
    // Nothing is written to the response, because it belongs to no connection.
    ctx.respond = false
    await next().catch((fault: unknown) => faults.set(ctx.req, fault))
    const { status, body } = ctx
    const location = ctx.response.get('location') || undefined
    const cookies = [ctx.response.get('set-cookie') ?? []].flat().filter((one) => one !== '')
    responses.set(ctx.req, { status, body, location, cookies, fault: faults.get(ctx.req) })
  })
  const callback = provider.callback()
  return async (
    unit: OAuthUnitOfWork,
    input: OAuthRequest,
    baseUrl: string,
  ): Promise<ProviderResponse> => {
    const request = toNodeRequest(input, new URL(baseUrl))
    await unitStorage.run(unit, () => callback(request, new ServerResponse(request)))
    const response = responses.get(request)
    if (!response) throw new Error('The authorization server gave no answer')
    return response
  }
}

/** Creates a Node request that belongs to no connection. */
function toNodeRequest({ method, target, form, ...headers }: OAuthRequest, base: URL): NodeRequest {
  const request = new IncomingMessage(new Socket())
  request.method = method
  request.url = target
  request.headers = {
    host: base.host,
    'x-forwarded-host': base.host,
    'x-forwarded-proto': base.protocol.slice(0, -1),
    accept: method === 'GET' ? 'text/html' : 'application/json',
    ...(headers.cookie !== undefined && { cookie: headers.cookie }),
    ...(headers.authorization !== undefined && { authorization: headers.authorization }),
    ...(form !== undefined && {
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': String(Buffer.byteLength(form)),
    }),
  }
  if (form !== undefined) request.push(form)
  request.push(null)
  return request
}
