import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import type { Door } from '#core/door.ts'
import type { Route } from '#core/route.ts'
import { newId } from '#lib/id.ts'
import { logRequests } from './access-log.ts'
import { arrival, routeNotFound } from './arrival.ts'
import { serveDoor } from './doors.ts'
import { putGate } from './gate.ts'
import { serveHealth } from './health.ts'
import type { House } from './house.ts'
import { malformed } from './malformed.ts'
import { measureRequests } from './metrics.ts'
import { serveOAuth } from './oauth/serve.ts'
import { openapiOf } from './openapi.ts'
import { overload } from './overload.ts'
import { serveRoute } from './pipeline.ts'
import { problems } from './problem.ts'
import { send } from './send.ts'
import { SITE, serveSite } from './site.ts'
import { traceRequests } from './traced.ts'
import { shadowed, unrouted } from './unrouted.ts'
import { serveUnsubscribe } from './unsubscribe.ts'
import { Queue } from './waiting.ts'
import { ADDRESSES } from './web/addresses.ts'
import { serveWeb } from './web/serve.ts'

const OPENAPI = '/api/v1/openapi.json'
/** More would take the memory and the file handles that those who are served need. */
const MOST_CONNECTIONS = 10_000
const HEALTH = ['/healthz', '/readyz', '/metrics']

/** Makes the server of the routes and the doors; nothing listens yet. */
export function httpServer(
  house: House,
  routes: readonly Route[],
  doors: readonly Door[] = [],
): FastifyInstance {
  const server = bareServer(house)
  for (const route of routes) serveRoute(server, house, route)
  for (const door of doors) serveDoor(server, house, door)
  const openapi = JSON.stringify(openapiOf(routes, house.baseUrl))
  server.get(OPENAPI, (request, reply) => send(request, reply, { status: 200, body: openapi }))
  serveHealth(server, house)
  const noPage = serveSite(server, house, JSON.parse(openapi))
  const noScreen = serveWeb(server, house)
  const oauth = serveOAuth(server, house)
  const unsubscribing = serveUnsubscribe(server, house)
  const pages = [OPENAPI, ...HEALTH, ...SITE, ...Object.keys(ADDRESSES), '/app/*']
  const missed = unrouted([...routes, ...doors], {
    others: {
      ...Object.fromEntries(pages.map((path) => [path, LOOKED_AT])),
      ...oauth,
      ...unsubscribing,
    },
    noPage,
    noScreen,
  })
  server.setNotFoundHandler(missed)
  for (const { method, url } of shadowed([...routes, ...doors]))
    server.route({ method, url, handler: missed })
  return server
}

/** Makes the server of a process that only works: health and metrics, for those who run it. */
export function healthServer(house: House): FastifyInstance {
  const server = bareServer(house)
  serveHealth(server, house)
  const noPage = () => Promise.reject(routeNotFound())
  const others = Object.fromEntries(HEALTH.map((path) => [path, LOOKED_AT]))
  server.setNotFoundHandler(unrouted([], { others, noPage, noScreen: noPage }))
  return server
}

const LOOKED_AT = ['GET', 'HEAD']

function bareServer(house: House): FastifyInstance {
  const problem = problems(house)
  const arriving = arrival(house)
  const queue = new Queue()
  const arrive = (request: FastifyRequest) => {
    const { raw } = request
    request.arrivedAt = queue.since(raw) ?? performance.now()
    request.outgoing = arriving.outgoingOf(request.id, raw.url ?? '')
    // Fastify would judge the type of a body before anybody is asked for a credential, and of one
    // that is to be ignored too. The pipeline does it in its turn, by the header as it was sent.
    raw.headers['content-type'] = 'application/octet-stream'
    return arriving.refusalOf(raw)
  }
  const refuse = malformed(house)
  const server = fastify({
    genReqId: () => newId('req'),
    logger: false,
    requestTimeout: 30_000,
    keepAliveTimeout: 60_000,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    trustProxy: (_address, hop) => hop < house.trustProxy,
    http: { maxHeaderSize: 16_384, headersTimeout: 30_000, connectionsCheckingInterval: 1_000 },
    routerOptions: { maxParamLength: 8_192, querystringParser: () => ({}) },
    frameworkErrors: (_, request, reply) => {
      problem(arrive(request) ?? routeNotFound(), request, reply)
    },
    clientErrorHandler: refuse,
  })
  server.server.maxConnections = MOST_CONNECTIONS
  server.server.on('connect', (_, socket) => refuse({ code: 'CONNECT' }, socket))
  const shedding = overload(server, queue, house)
  // The pipeline reads bodies itself, at the point and with the errors that the contract names.
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('*', (_request, _payload, done) => done(null))
  server.decorateRequest('actor', null)
  server.decorateRequest('outgoing')
  server.decorateRequest('arrivedAt', 0)
  server.decorateRequest('span')
  server.addHook('onRequest', (request, _reply, done) => {
    done(arrive(request) ?? shedding.late(request.raw))
  })
  // What is shed costs no span either.
  if (house.traces) traceRequests(server, house.traces, new Set(HEALTH))
  logRequests(server, house.log)
  const measure = measureRequests(server, house)
  putGate(server.server, { house, arriving, overload: shedding, queue, measure })
  server.addHook('preClose', () => house.streams.end())
  server.setErrorHandler(problem)

  return server
}
