import type { FastifyReply, FastifyRequest } from 'fastify'
import { isRecordReply, type RecordReply } from '#core/route.ts'
import type { ReadTx } from '#core/transaction.ts'
import { toJson } from '#lib/json.ts'
import { andThen, type MaybePromise } from '#lib/maybe-promise.ts'
import { type Endpoint, successStatusOf } from '#wire/endpoint.ts'
import { computeEtag } from '../reply/conditional-requests.ts'
import { CHANGE_NUMBER_HEADER } from '../reply/send.ts'

/** The reply of an operation before it is sent; also what an idempotent replay returns again. */
export interface OperationReply {
  status: number
  body: string
  location: string | null
  etag: string | null
  operation_id: string | null
  isReplayed?: boolean
}

interface RecordWithSecret extends RecordReply<object> {
  secret?: string
}

/** Takes what an operation returns: nothing, JSON text, a value, or a record with its revision. */
export function toOperationReply(
  endpoint: Endpoint,
  result: unknown,
  baseUrl: string,
  operation_id: string | null,
): OperationReply {
  const status = successStatusOf(endpoint)
  const base = { status, location: null, etag: null, operation_id }
  if (result === undefined) return { ...base, body: '' }
  if (!isRecordReply(result)) return { ...base, body: toJson(result) }
  const { id, json, revision, secret }: RecordWithSecret = result
  const body =
    secret === undefined ? json : `${json.slice(0, -1)},"secret":${JSON.stringify(secret)}}`
  const location = endpoint.location ? baseUrl + endpoint.location.replace(':id', id) : null
  return { ...base, body, location, etag: computeEtag(revision, json) }
}

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

/**
 * Names the newest change in the reply to a page, also in one that says 404. It is read before all else of the
 * transaction, so that the reply contains every change up to it.
 */
export function nameNewestChange(request: FastifyRequest, tx: ReadTx): MaybePromise<void> {
  if (tx.actor.type !== 'user') return undefined
  return andThen(tx.changeNumber(), (number) => {
    request.replyHeaders[CHANGE_NUMBER_HEADER] = String(number)
  })
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
