import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import fastify, { type FastifyInstance } from 'fastify'
import { Refusal } from '#core/refusal.ts'
import type { Route } from '#core/route.ts'
import { newId } from '#lib/id.ts'
import { logRequests } from './access-log.ts'
import { arrive } from './arrival.ts'
import { serveHealth } from './health.ts'
import type { House } from './house.ts'
import { openapiOf } from './openapi.ts'
import { serveRoute } from './pipeline.ts'
import { problems } from './problem.ts'
import { send } from './send.ts'
import { serveSite } from './site.ts'
import { unrouted } from './unrouted.ts'

const OPENAPI = '/api/v1/openapi.json'

/** Makes the server of the routes; nothing listens yet. */
export function httpServer(house: House, routes: readonly Route[]): FastifyInstance {
  const problem = problems(house)
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
      problem(
        new Refusal(404, 'route_not_found', 'There is nothing at this address.'),
        request,
        reply,
      )
    },
    clientErrorHandler: refuseSocket,
  })
  // The pipeline reads bodies itself, at the point and with the errors that the contract names.
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('*', (_request, _payload, done) => done(null))
  server.decorateRequest('actor', null)
  server.decorateRequest('outgoing')
  server.decorateRequest('arrivedAt', 0)
  server.addHook('onRequest', arrive(house))
  logRequests(server, house.log)
  server.setErrorHandler(problem)

  for (const route of routes) serveRoute(server, house, route)
  const openapi = JSON.stringify(openapiOf(routes, house.baseUrl))
  server.get(OPENAPI, (request, reply) => send(request, reply, { status: 200, body: openapi }))
  serveHealth(server, house)
  const page = serveSite(server, house, JSON.parse(openapi))
  server.setNotFoundHandler(unrouted(routes, [OPENAPI], page))
  return server
}

/** What is no HTTP, or too slow or too long: answered on the socket, which is then closed. */
function refuseSocket(error: Error & { code?: string }, socket: Socket) {
  const status = SOCKET_ERRORS[error.code ?? ''] ?? 400
  if (socket.writable && error.code !== 'ECONNRESET') {
    const code = status === 408 ? 'request_timeout' : 'invalid_request'
    const message = STATUS_CODES[status] ?? ''
    const request_id = newId('req')
    const body = JSON.stringify({
      error: { type: 'invalid_request', code, message, request_id, doc_url: '', details: [] },
    })
    socket.write(
      `HTTP/1.1 ${status} ${message}\r\ncontent-type: application/json; charset=utf-8\r\n` +
        `x-request-id: ${request_id}\r\nx-content-type-options: nosniff\r\ncache-control: no-store\r\n` +
        `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
    )
  }
  socket.destroy(error)
}

const SOCKET_ERRORS: Record<string, number> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
}
