import type { RecordReply } from '#core/route.ts'
import { toJson } from '#lib/json.ts'
import { type Endpoint, successStatusOf } from '#wire/endpoint.ts'
import { computeEtag } from '../reply/conditional-requests.ts'

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
  /** Shown in this reply only, and not part of the ETag. */
  secret?: string | null
}

const isRecord = (result: unknown): result is RecordWithSecret =>
  typeof result === 'object' && result !== null && 'json' in result && 'revision' in result

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
  if (!isRecord(result)) return { ...base, body: toJson(result) }
  const { id, json, revision, secret } = result
  const body =
    secret === undefined ? json : `${json.slice(0, -1)},"secret":${JSON.stringify(secret)}}`
  const location = endpoint.location ? baseUrl + endpoint.location.replace(':id', id) : null
  return { ...base, body, location, etag: computeEtag(revision, json) }
}
