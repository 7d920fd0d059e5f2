import type { FastifyReply, FastifyRequest } from 'fastify'
import type { MaybePromise } from '#lib/maybe-promise.ts'
import type { Endpoint } from '#wire/endpoint.ts'
import type { OperationReply } from './operation-reply.ts'

/** Serves the requests of a route after admission. Returns no promise if nothing had to wait. */
export type RequestHandler = (request: FastifyRequest, reply: FastifyReply) => MaybePromise<void>

/** An id that no record has. */
const UNKNOWN_ID = '-'

/**
 * Replaces what cannot be an id, so that it is answered like any unknown id, after the same checks. It
 * must not reach a statement: PostgreSQL rejects U+0000.
 */
export function replaceInvalidIds(params: unknown): unknown {
  if (Object.values<unknown>(Object(params)).every(isPossibleId)) return params
  const entries = Object.entries<unknown>(Object(params))
  return Object.fromEntries(entries.map(([name, id]) => [name, isPossibleId(id) ? id : UNKNOWN_ID]))
}

const isPossibleId = (id: unknown): boolean =>
  typeof id === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(id)

export function getActor({ actor }: FastifyRequest) {
  if (!actor) throw new Error('A request is served before it was admitted')
  return actor
}

export const toOutgoingReply = (endpoint: Endpoint, result: OperationReply) => ({
  status: result.status,
  headers: toReplyHeaders(result),
  body: result.body,
  secret: endpoint.hasSecretReply === true,
})

function toReplyHeaders(result: OperationReply): Record<string, string> {
  const { etag, location, operation_id } = result
  const headers: Record<string, string> = {}
  if (etag) {
    headers.etag = etag
    headers['cache-control'] = 'private, no-cache'
  }
  if (location) headers.location = location
  if (operation_id) headers['x-operation-id'] = operation_id
  if (result.isReplayed) headers['idempotency-replayed'] = 'true'
  return headers
}
