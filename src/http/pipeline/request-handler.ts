import type { FastifyReply, FastifyRequest } from 'fastify'
import { notFound } from '#core/api-error.ts'
import type { MaybePromise } from '#lib/maybe-promise.ts'
import type { Endpoint } from '#wire/endpoint.ts'
import type { OperationReply } from './operation-reply.ts'

/** Serves the requests of a route after admission. Returns no promise if nothing had to wait. */
export type RequestHandler = (request: FastifyRequest, reply: FastifyReply) => MaybePromise<void>

/**
 * Throws 404 for what cannot be an id. It must not reach a statement: PostgreSQL rejects U+0000.
 */
export function assertPathIds(params: unknown): void {
  for (const id of Object.values<unknown>(Object(params))) {
    if (typeof id !== 'string' || !/^[A-Za-z0-9_-]{1,64}$/.test(id)) throw notFound()
  }
}

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
