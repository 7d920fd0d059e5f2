import type { IncomingMessage, RequestListener } from 'node:http'
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import type { Route } from '#core/route.ts'
import type { SessionAction } from '#core/session-action.ts'
import { newId } from '#lib/id.ts'
import type { AppContext } from '../app-context.ts'
import { serveOAuth } from '../oauth/serve-oauth.ts'
import { API_INDEX_PATH, OPENAPI_PATH, serveOpenApi } from '../openapi/serve-openapi.ts'
import { PACKAGE_PATHS, servePackages } from '../packages/serve-packages.ts'
import {
  createFallbackHandler,
  createNotFoundHandler,
  findShadowedMethods,
} from '../pipeline/fallback-handler.ts'
import type { RequestHandler } from '../pipeline/request-handler.ts'
import { serveRoute } from '../pipeline/serve-route.ts'
import { serveSessionAction } from '../pipeline/serve-session-action.ts'
import { createErrorHandler } from '../reply/error-reply.ts'
import { UnsentReplies } from '../reply/unsent-replies.ts'
import { createTransportChecks, routeNotFound, toOriginForm } from '../request/transport-checks.ts'
import { serveWebApp, WEB_APP_ROUTES } from '../web-app/serve-web-app.ts'
import { createClientErrorHandler } from './client-error-handler.ts'
import { serveHealth } from './health.ts'
import { isExemptFromShedding, limitRequestsInFlight } from './overload.ts'
import { serveInTurn } from './pipelined-requests.ts'
import { CONNECTION_CLOSED_STATUS, createRequestTracker } from './request-end.ts'
import { SITE_PATHS, serveSite } from './site.ts'
import { cutSlowReaders } from './slow-readers.ts'
import { serveUnsubscribe } from './unsubscribe.ts'

/** Further connections would take memory and file handles from the requests being served. */
const MAX_CONNECTIONS = 10_000
const HEALTH_PATHS = ['/healthz', '/readyz', '/metrics']

/** Serves paths of another room, and returns them with the methods of each. */
type Mount = (server: FastifyInstance, context: AppContext) => Record<string, string[]>

/** Creates the server of all routes, session actions and pages; it does not listen yet. */
export function createHttpServer(
  context: AppContext,
  routes: readonly Route[],
  actions: readonly SessionAction[] = [],
  mounts: readonly Mount[] = [],
): FastifyInstance {
  const server = createServer(context, (request, reply) => replyNotFound(request, reply))
  for (const route of routes) serveRoute(server, context, route)
  for (const action of actions) serveSessionAction(server, context, action)
  const loadOpenApi = serveOpenApi(server, context, routes)
  const checkReadiness = serveHealth(server, context)
  const replyPageNotFound = serveSite(server, context, {
    loadOpenApi,
    checkReadiness,
  })
  servePackages(server, context, replyPageNotFound)
  const replyNotFound = createNotFoundHandler(
    routes.map(({ endpoint }) => endpoint),
    replyPageNotFound,
    serveWebApp(server, context),
  )
  const oauthMethods = serveOAuth(server, context)
  const unsubscribeMethods = serveUnsubscribe(server, context)
  const mountedMethods = mounts.map((mount) => mount(server, context))
  const readOnlyPaths = [
    OPENAPI_PATH,
    API_INDEX_PATH,
    ...HEALTH_PATHS,
    ...SITE_PATHS,
    ...PACKAGE_PATHS,
    ...Object.keys(WEB_APP_ROUTES),
    '/app/*',
  ]
  const fallback = createFallbackHandler([...routes, ...actions], {
    methodsByPath: {
      ...Object.fromEntries(readOnlyPaths.map((path) => [path, READ_METHODS])),
      ...oauthMethods,
      ...unsubscribeMethods,
      ...Object.assign({}, ...mountedMethods),
    },
    replyNotFound,
  })
  server.setNotFoundHandler(fallback)
  for (const { method, url } of findShadowedMethods([...routes, ...actions]))
    server.route({ method, url, handler: fallback })
  return server
}

/** Creates the server of a process without routes: health and metrics for operators. */
export function createHealthServer(context: AppContext): FastifyInstance {
  const replyNotFound = () => Promise.reject(routeNotFound())
  const server = createServer(context, replyNotFound)
  serveHealth(server, context)
  server.setNotFoundHandler(
    createFallbackHandler([], {
      methodsByPath: Object.fromEntries(HEALTH_PATHS.map((path) => [path, READ_METHODS])),
      replyNotFound,
    }),
  )
  return server
}

const READ_METHODS = ['GET', 'HEAD']

/** How long a connection stays open after a reply. */
const KEEP_ALIVE_TIMEOUT_MS = 60_000

/** Creates the server without its routes; `replyNotFound` serves paths that cannot be decoded. */
function createServer(context: AppContext, replyNotFound: RequestHandler): FastifyInstance {
  const handleError = createErrorHandler(context)
  const transportChecks = createTransportChecks(context)
  const unsentReplies = new UnsentReplies()
  const startRequest = (request: FastifyRequest) => {
    const { raw } = request
    request.unsentReplies = unsentReplies
    request.arrivedAt = performance.now()
    request.replyHeaders = transportChecks.createReplyHeaders(request.id, raw.url ?? '')
    // Fastify would check the content type before authentication, and even of a body that is
    // ignored. The pipeline checks it later, by the raw header.
    raw.headers['content-type'] = 'application/octet-stream'
    return transportChecks.checkRequest(raw)
  }
  const tracker = createRequestTracker(context)
  const { track, recordEarlyEnd } = tracker
  const handleClientError = createClientErrorHandler(context, tracker)
  const server = fastify({
    genReqId: () => newId('req'),
    logger: false,
    requestTimeout: 30_000,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    trustProxy: (_address, hop) => hop < context.network.trustProxy,
    http: {
      maxHeaderSize: 16_384,
      headersTimeout: 30_000,
      connectionsCheckingInterval: 1_000,
      // Node itself would reply without any of the headers that every reply carries.
      requireHostHeader: false,
      // A request without a body, as nearly every GET, gets no events of a stream, which saves some 5 µs.
      optimizeEmptyRequests: true,
    },
    routerOptions: { maxParamLength: 8_192, querystringParser: () => ({}) },
    frameworkErrors: async (_, request, reply) => {
      const error = startRequest(request)
      track(reply, true)
      try {
        if (error) throw error
        await replyNotFound(request, reply)
      } catch (thrown) {
        await handleError(thrown, request, reply)
      }
    },
    clientErrorHandler: handleClientError,
  })
  server.server.maxConnections = MAX_CONNECTIONS
  // Node keeps the address of a connection only if it is read before the connection closes.
  server.server.on('connection', ({ remoteAddress }) => remoteAddress)
  // An expectation that nobody knows is ignored (RFC 9110 §10.1.1). Node itself would reply 417.
  server.server.on('checkExpectation', (request, response) =>
    server.server.emit('request', request, response),
  )
  server.server.on('connect', (_, socket) => handleClientError({ code: 'CONNECT' }, socket))
  // The pipeline reads bodies itself, to check them in its own order and with its own errors.
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('*', (_request, _payload, done) => done(null))
  server.decorateRequest('actor', null)
  server.decorateRequest('replyHeaders')
  server.decorateRequest('sentHeaders')
  server.decorateRequest('errorCode')
  server.decorateRequest('arrivedAt', 0)
  server.decorateRequest('databaseTimes')
  server.decorateRequest('isEventStream', false)
  server.decorateRequest('unsent')
  server.decorateRequest('unsentReplies')
  server.addHook('onRequest', (request, reply, done) => {
    const error = startRequest(request)
    track(reply, error !== undefined)
    done(error)
  })
  // After the admission, which says whose reply it will be, and before anything of it is made. What a DELETE ends
  // may be what uses up the room: a key, a session, a member. Its reply has no body.
  server.addHook('preHandler', (request, _, done) => {
    if (request.method !== 'DELETE' && !isExemptFromShedding(request.raw.url ?? ''))
      unsentReplies.assertRoomFor(request)
    done()
  })
  limitRequestsInFlight(server, { context, transportChecks, recordEarlyEnd })
  /** Of a request whose client has left, Fastify would hear no end. */
  const recordUnserved = (request: IncomingMessage) => {
    const end = { id: newId('req'), method: request.method ?? '', arrivedAt: performance.now() }
    recordEarlyEnd({ ...end, status: CONNECTION_CLOSED_STATUS }, request)
  }
  const listeners = server.server.listeners('request') as RequestListener[]
  const serve = serveInTurn((request, response) => {
    if (request.socket.destroyed) return recordUnserved(request)
    context.storage.shareTurn()
    for (const listener of listeners) listener.call(server.server, request, response)
  })
  server.server.removeAllListeners('request').on('request', serve)
  server.server.prependListener('request', toOriginForm)
  cutSlowReaders(server, { ...context.metrics, ...context.transfers })
  server.addHook('preClose', () => context.feedStreams.end())
  server.setErrorHandler(handleError)

  return server
}
