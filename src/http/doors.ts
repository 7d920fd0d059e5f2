import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Door, Visit } from '#core/door.ts'
import { Refusal, refuseFaults } from '#core/refusal.ts'
import { toJson } from '#lib/json.ts'
import { type Endpoint, statusOf } from '#wire/endpoint.ts'
import { readerOf } from '#wire/read.ts'
import { admit, refuseKeys } from './admission.ts'
import { bodyOf } from './body.ts'
import { refuseMalformed } from './handling.ts'
import type { House } from './house.ts'
import { refuseForeign } from './origin.ts'
import { parametersOf, searchOf } from './parameters.ts'
import { send } from './send.ts'

/**
 * The way of a request to a door, in the order of every other (contract 2.3):
 *   admit   no Authorization 403, session 401 (an open door: none is needed), origin 403, limit 429
 *   serve   body 415 413 400, query 400, record 404, role 403, fields 422, and then the door itself
 */
export function serveDoor(server: FastifyInstance, house: House, door: Door): void {
  const { endpoint } = door
  const { method, path: url } = endpoint
  const onRequest = (request: FastifyRequest) =>
    endpoint.scope === 'open' ? meet(house, door, request) : admit(house, endpoint, request)
  server.route({ method, url, onRequest, handler: opening(house, door) })
}

/** At an open door a session that was sent along is known, and one that has ended is none. */
async function meet(house: House, { anyOrigin }: Door, request: FastifyRequest): Promise<void> {
  refuseKeys(request)
  if (!anyOrigin) refuseForeign(request, house.baseUrl)
  try {
    const { cookie } = request.headers
    if (cookie) request.actor = await house.authenticator.authenticate(undefined, cookie)
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 401) throw error
  }
}

function opening(house: House, { endpoint, open, before }: Door) {
  const parameters = parametersOf(endpoint)
  const taken = endpoint.body ? readerOf(endpoint.body) : undefined
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { raw, headers, ip: address } = request
    const sent = endpoint.body ? await bodyOf(raw, endpoint) : undefined
    const query = parameters(searchOf(raw.url ?? ''))
    refuseMalformed(request.params)
    const visit = {
      ...{ params: request.params, query, body: sent, actor: request.actor ?? undefined },
      ...{ cookie: headers.cookie, address, agent: headers['user-agent'] ?? '' },
    } as Visit<Endpoint>
    await before(house.means, visit)
    const { value, faults } = taken?.(sent) ?? { value: undefined, faults: [] }
    refuseFaults(faults)
    const {
      reply: shown,
      cookies = [],
      operation_id,
    } = await open(house.means, {
      ...visit,
      body: value as undefined,
    }).catch(counting(house, address))
    if (endpoint.method !== 'GET') house.authenticator.doubt()
    return send(request, reply, {
      status: statusOf(endpoint),
      body: shown === undefined ? '' : toJson(shown),
      headers: {
        ...(cookies.length > 0 && { 'set-cookie': [...cookies] }),
        ...(operation_id !== undefined && { 'x-operation-id': operation_id }),
      },
      secret: endpoint.secret === true,
    })
  }
}

/** Whoever fails here spends of the same budget as with a wrong key (contract 5.3). */
const counting =
  ({ addressLimit }: House, address: string) =>
  (error: unknown): never => {
    if (error instanceof Refusal && error.status === 401) addressLimit(address)
    throw error
  }
