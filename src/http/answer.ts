import type { Found } from '#core/route.ts'
import { toJson } from '#lib/json.ts'
import { type Endpoint, statusOf } from '#wire/endpoint.ts'
import { etagOf } from './conditions.ts'

/** A reply before it is sent; what a replay gives again. */
export interface Answer {
  status: number
  body: string
  location: string | null
  etag: string | null
  operation_id: string | null
  replayed?: boolean
}

/** What an operation gives: nothing, JSON, a value, or a record with its revision. */
type Result = undefined | string | object

interface FoundWithSecret extends Found<object> {
  /** Shown in this reply only, and no part of the ETag. */
  secret?: string | null
}

const isFound = (result: object): result is FoundWithSecret =>
  'json' in result && 'revision' in result

/** Makes the reply out of what an operation gave. */
export function answerOf(
  endpoint: Endpoint,
  result: Result,
  baseUrl: string,
  operation_id: string | null,
): Answer {
  const status = statusOf(endpoint)
  const plain = { status, location: null, etag: null, operation_id }
  if (result === undefined) return { ...plain, body: '' }
  if (typeof result === 'string' || !isFound(result)) return { ...plain, body: toJson(result) }
  const { id, json, revision, secret } = result
  const body =
    secret === undefined ? json : `${json.slice(0, -1)},"secret":${JSON.stringify(secret)}}`
  const location = endpoint.location ? baseUrl + endpoint.location.replace(':id', id) : null
  return { ...plain, body, location, etag: etagOf(revision, json) }
}
