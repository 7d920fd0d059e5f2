import type { FastifyInstance, FastifyRequest } from 'fastify'
import { openPage } from '#core/page.ts'
import type { Addressed, Asked, Route } from '#core/route.ts'
import type { WriteTx } from '#core/tx.ts'
import type { Endpoint } from '#wire/endpoint.ts'
import { readerOf } from '#wire/read.ts'
import { admit, timesSent } from './admission.ts'
import { answerOf } from './answer.ts'
import { bodyOf } from './body.ts'
import { allowedBy, had, hasAlready } from './conditions.ts'
import { downloading } from './download.ts'
import { actorOf, type Handler, headersOf, outgoing, refuseMalformed } from './handling.ts'
import type { House } from './house.ts'
import { fingerprintOf, keyOf } from './idempotency.ts'
import { listName, orderOf, parametersOf, searchOf } from './parameters.ts'
import { performed } from './perform.ts'
import { send } from './send.ts'
import { streaming } from './streaming.ts'
import { uploading } from './upload.ts'

/**
 * The way of every request, from top to bottom, in the contract's order (2.3):
 *   admit   credential 401, origin 403, limit 429, scope 403   before a body is read
 *   serve   body 415 413 400, query and headers 400, then within one transaction:
 *             idempotency key, record 404, role 403, precondition 412, fields 422,
 *             operation (rules that need stored data 422, state 409), events
 */
export function serveRoute(server: FastifyInstance, house: House, route: Route) {
  const { endpoint } = route
  const { method, path: url } = endpoint
  const onRequest = (request: FastifyRequest) => admit(house, endpoint, request)
  server.route({ method, url, onRequest, handler: handlerOf(house, route) })
}

function handlerOf(house: House, route: Route): Handler {
  const { method, upload, download, stream } = route.endpoint
  if (upload) return uploading(house, route)
  if (download) return downloading(house, route)
  if (stream) return streaming(house, route)
  return method === 'GET' ? reading(house, route) : writing(house, route)
}

function reading(house: House, { endpoint, subject, operation }: Route): Handler {
  const parameters = parametersOf(endpoint)
  const order = orderOf(endpoint)
  const read = reads(house.storage, endpoint)
  return async (request, reply) => {
    const actor = actorOf(request)
    const target = request.raw.url ?? ''
    const query = parameters(searchOf(target))
    const known =
      endpoint.conditions === 'compared' ? had(request.headers['if-none-match']) : undefined
    const page = order && openPage(house.cursorSecret, listName(actor, target, query), query, order)
    const asked = { params: request.params, query, body: undefined, page } as Asked<Endpoint>
    const answer = await read(actor, async (tx) => {
      // A GET's subject and operation take a ReadTx by their types; a Route has forgotten it.
      refuseMalformed(request.params)
      const found = await subject(tx as WriteTx, asked)
      return answerOf(endpoint, await operation(tx as WriteTx, found, asked), house.baseUrl, null)
    })
    if (answer.etag && hasAlready(known, answer.etag)) {
      return send(request, reply, { status: 304, headers: headersOf(answer) })
    }
    return send(request, reply, outgoing(endpoint, answer))
  }
}

/** Where the work of a GET is done. */
function reads(storage: House['storage'], { far }: Endpoint): House['storage']['read'] {
  if (far === 'long') return storage.readLong
  return far ? storage.readFar : storage.read
}

function writing(house: House, route: Route): Handler {
  const { endpoint } = route
  const parameters = parametersOf(endpoint)
  const taken = endpoint.body ? readerOf(endpoint.body) : undefined
  const secret = endpoint.secret === true
  const forSessions = endpoint.scope === 'session'
  return async (request, reply) => {
    const actor = actorOf(request)
    const { headers, method, raw } = request
    const target = raw.url ?? ''
    const body = endpoint.body ? await bodyOf(raw, endpoint) : undefined
    const query = parameters(searchOf(target))
    const allowed = allowedBy(headers['if-match'], endpoint.conditions)
    const key =
      forSessions && !endpoint.once
        ? undefined
        : keyOf(headers['idempotency-key'], timesSent(raw, 'idempotency-key'))
    const { dry_run = false } = query
    const keyed =
      key === undefined || dry_run
        ? undefined
        : { key, secret, fingerprint: fingerprintOf(method, target, body ?? null) }
    const addressed = { params: request.params, query, body } as Addressed<Endpoint>

    const work = performed(house, route, {
      ...{ keyed, addressed, allowed, hidesSecret: dry_run && secret },
      read: () => taken?.(body) ?? { value: undefined, faults: [] },
    })

    if (!dry_run) {
      const answer = await house.storage.write(actor, work)
      if (forSessions) house.authenticator.doubt()
      return send(request, reply, outgoing(endpoint, answer))
    }
    const { status, body: shown } = await house.storage.rehearse(actor, work)
    const answer = { status, body: shown, location: null, etag: null, operation_id: null }
    const { headers: usual, ...rest } = outgoing(endpoint, answer)
    return send(request, reply, { ...rest, headers: { ...usual, 'x-dry-run': 'true' } })
  }
}
