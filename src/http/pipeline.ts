import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { openPage } from '#core/page.ts'
import { notFound, refuseFaults } from '#core/refusal.ts'
import type { Addressed, Asked, Route } from '#core/route.ts'
import type { WriteTx } from '#core/tx.ts'
import type { Endpoint } from '#wire/endpoint.ts'
import { readerOf } from '#wire/read.ts'
import { admit, timesSent } from './admission.ts'
import { type Answer, answerOf } from './answer.ts'
import { bodyOf } from './body.ts'
import { allowedBy, had, hasAlready, refuseMismatch } from './conditions.ts'
import type { House } from './house.ts'
import { fingerprintOf, keyOf, once } from './idempotency.ts'
import { listName, orderOf, parametersOf, searchOf } from './parameters.ts'
import { send } from './send.ts'

/**
 * The way of every request, from top to bottom, in the contract's order (2.3):
 *   admit   credential 401, limit 429, scope 403          before a body is read
 *   serve   body 415 413 400, query and headers 400, then within one transaction:
 *             idempotency key, record 404, role 403, precondition 412, fields 422,
 *             operation (rules that need stored data 422, state 409), events
 */
export function serveRoute(server: FastifyInstance, house: House, route: Route) {
  const { endpoint } = route
  server.route({
    method: endpoint.method,
    url: endpoint.path,
    onRequest: (request) => admit(house, endpoint, request),
    handler: endpoint.method === 'GET' ? reading(house, route) : writing(house, route),
  })
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

function reading(house: House, { endpoint, subject, operation }: Route): Handler {
  const parameters = parametersOf(endpoint)
  const order = orderOf(endpoint)
  return async (request, reply) => {
    const actor = actorOf(request)
    const target = request.raw.url ?? ''
    const query = parameters(searchOf(target))
    const known =
      endpoint.conditions === 'compared' ? had(request.headers['if-none-match']) : undefined
    const page = order && openPage(house.cursorSecret, listName(actor, target, query), query, order)
    const asked = { params: request.params, query, body: undefined, page } as Asked<Endpoint>
    const answer = await house.storage.read(actor, async (tx) => {
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

function writing(house: House, { endpoint, subject, operation }: Route): Handler {
  const parameters = parametersOf(endpoint)
  const taken = endpoint.body ? readerOf(endpoint.body) : undefined
  const secret = endpoint.secret === true
  return async (request, reply) => {
    const actor = actorOf(request)
    const { headers, method, raw } = request
    const target = raw.url ?? ''
    const body = endpoint.body ? await bodyOf(raw, endpoint) : undefined
    const query = parameters(searchOf(target))
    const allowed = allowedBy(headers['if-match'], endpoint.conditions)
    const key = keyOf(headers['idempotency-key'], timesSent(raw, 'idempotency-key'))
    const { dry_run = false } = query
    const keyed =
      key === undefined || dry_run
        ? undefined
        : { key, secret, fingerprint: fingerprintOf(method, target, body ?? null) }
    const addressed = { params: request.params, query, body } as Addressed<Endpoint>

    const work = (tx: WriteTx) =>
      once(tx, keyed, async () => {
        refuseMalformed(request.params)
        const found = await subject(tx, addressed)
        if (found?.revision !== undefined) refuseMismatch(allowed, found.revision)
        const { value, faults = [] } = taken?.(body) ?? {}
        refuseFaults(faults)
        const asked = { ...addressed, body: value } as Asked<Endpoint>
        const result = await operation(tx, found, asked)
        const shown = dry_run && secret ? { ...Object(result), secret: null } : result
        return answerOf(endpoint, shown, house.baseUrl, tx.changed ? tx.operation_id : null)
      })

    if (!dry_run) {
      return send(request, reply, outgoing(endpoint, await house.storage.write(actor, work)))
    }
    const { status, body: shown } = await house.storage.rehearse(actor, work)
    const answer = { status, body: shown, location: null, etag: null, operation_id: null }
    const { headers: usual, ...rest } = outgoing(endpoint, answer)
    return send(request, reply, { ...rest, headers: { ...usual, 'x-dry-run': 'true' } })
  }
}

/** What cannot be an id names nothing, and must not reach a statement: PostgreSQL refuses U+0000. */
function refuseMalformed(params: unknown): void {
  const { id } = params as { id?: string }
  if (id !== undefined && !/^[A-Za-z0-9_-]{1,64}$/.test(id)) throw notFound()
}

function actorOf({ actor }: FastifyRequest) {
  if (!actor) throw new Error('A request is served before it was admitted')
  return actor
}

const outgoing = (endpoint: Endpoint, answer: Answer) => ({
  status: answer.status,
  headers: headersOf(answer),
  body: answer.body,
  secret: endpoint.secret === true,
})

function headersOf({ etag, location, operation_id, replayed }: Answer): Record<string, string> {
  return {
    ...(etag && { etag, 'cache-control': 'private, no-cache' }),
    ...(location && { location }),
    ...(operation_id && { 'x-operation-id': operation_id }),
    ...(replayed && { 'idempotency-replayed': 'true' }),
  }
}
