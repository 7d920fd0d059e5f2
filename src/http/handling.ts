import type { FastifyReply, FastifyRequest } from 'fastify'
import { notFound } from '#core/refusal.ts'
import type { Endpoint } from '#wire/endpoint.ts'
import type { Answer } from './answer.ts'

/** What serves the requests of a route, once they are admitted. */
export type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

/** What cannot be an id names nothing, and must not reach a statement: PostgreSQL refuses U+0000. */
export function refuseMalformed(params: unknown): void {
  for (const id of Object.values(params as Record<string, string>)) {
    if (!/^[A-Za-z0-9_-]{1,64}$/.test(id)) throw notFound()
  }
}

/** Who asks, as admission has found out. */
export function actorOf({ actor }: FastifyRequest) {
  if (!actor) throw new Error('A request is served before it was admitted')
  return actor
}

/** An answer as it is sent. */
export const outgoing = (endpoint: Endpoint, answer: Answer) => ({
  status: answer.status,
  headers: headersOf(answer),
  body: answer.body,
  secret: endpoint.secret === true,
})

export function headersOf({
  etag,
  location,
  operation_id,
  replayed,
}: Answer): Record<string, string> {
  return {
    ...(etag && { etag, 'cache-control': 'private, no-cache' }),
    ...(location && { location }),
    ...(operation_id && { 'x-operation-id': operation_id }),
    ...(replayed && { 'idempotency-replayed': 'true' }),
  }
}
