import { Compile } from 'typebox/compile'
import { Value } from 'typebox/value'
import { type Endpoint, statusOf } from '#wire/endpoint.ts'
import { published as routes } from '../../../src/app.ts'
import type { Replied } from '../world/call.ts'
import { faultOfProtocol } from './oauth.ts'

interface Problem {
  type: string
  code: string
  message: string
  request_id: string
  doc_url: string
  details: { field: string; code: string; message: string }[]
}

/** Endpoints with what makes their replies fit; fixed addresses before those with an id. */
const known = routes
  .map(({ endpoint }) => ({
    endpoint,
    form: new RegExp(`^${endpoint.path.replace(/:\w+/g, '[^/]+')}$`),
    reply: endpoint.reply && Compile(endpoint.reply),
  }))
  .toSorted((a, b) => Number(a.endpoint.path.includes(':')) - Number(b.endpoint.path.includes(':')))

/** Types and codes of errors by status, as far as these requests can meet them (contract 2.2). */
const CODES: Record<number, readonly [type: string, ...codes: string[]]> = {
  400: [
    'invalid_request',
    ...['invalid_json', 'invalid_parameter', 'invalid_cursor', 'invalid_header', 'invalid_request'],
  ],
  401: ['unauthenticated', 'authentication_required', 'invalid_token'],
  403: ['forbidden', 'insufficient_scope', 'insufficient_role'],
  404: ['not_found', 'not_found', 'route_not_found'],
  405: ['method_not_allowed', 'method_not_allowed'],
  409: [
    'conflict',
    ...['tag_exists', 'external_id_exists', 'project_archived', 'limit_reached'],
    ...['webhook_disabled', 'idempotency_in_progress'],
  ],
  410: ['gone', 'events_expired'],
  412: ['precondition_failed', 'version_mismatch'],
  413: ['payload_too_large', 'payload_too_large'],
  414: ['invalid_request', 'uri_too_long'],
  415: ['unsupported_media_type', 'unsupported_media_type'],
  422: ['validation_failed', 'validation_failed', 'idempotency_key_reused'],
}

/** Codes of details at 422 (contract 2.2). */
const FAULTS = new Set([
  ...['required', 'unknown_field', 'read_only_field', 'invalid_type', 'not_nullable'],
  ...['invalid_value', 'invalid_format', 'invalid_characters', 'too_short', 'too_long'],
  ...['too_small', 'too_large', 'too_few', 'too_many', 'duplicate', 'conflicting_fields'],
  ...['invalid_range', 'invalid_reference', 'not_a_member', 'not_in_project', 'cycle', 'too_deep'],
  'url_not_allowed',
])
const INNER = /SQLITE_|node:internal|node_modules|\/src\/|\.ts:\d|violates |syntax error at/i

/** What is wrong with a reply by the contract, whatever the request; undefined where nothing is. */
export function faultOf(method: string, url: string, reply: Replied): string | undefined {
  const { status, headers, text } = reply
  if (status >= 500) return `answers ${status}`
  if (headers['x-content-type-options'] !== 'nosniff') return 'has no nosniff'
  if (!/^req_/.test(headers['x-request-id'] ?? '')) return 'has no X-Request-Id'
  if (method === 'HEAD') return text === '' ? undefined : 'has a body on HEAD'
  if (status === 204 || status === 304) return text === '' ? undefined : `has a body on ${status}`
  const path = url.split('?')[0] ?? ''
  const protocol = path.startsWith('/oauth/') ? faultOfProtocol(path, reply) : undefined
  if (protocol) return protocol.fault ?? (INNER.test(text) ? 'tells of what is inside' : undefined)
  if (/^\/api\/v1\/attachments\/[^/]+\/content$/.test(path) && status < 400) return undefined
  if (!headers['content-type']?.startsWith('application/json')) return faultOfOther(path)
  const body: unknown = JSON.parse(text)
  return status >= 400
    ? faultOfProblem(status, text, body)
    : faultOfRecord(method, path, status, body)
}

const faultOfOther = (path: string) =>
  /^\/(api|internal|oauth)(\/|$)/.test(path) ? 'is no JSON' : undefined

function faultOfRecord(method: string, path: string, status: number, body: unknown) {
  const found = known.find(({ endpoint, form }) => endpoint.method === method && form.test(path))
  if (!found) return undefined
  const { endpoint, reply } = found
  if (status !== statusOf(endpoint as Endpoint)) return `is ${status}, not ${statusOf(endpoint)}`
  if (!reply || !endpoint.reply) return 'has a body'
  if (reply.Check(body)) return undefined
  return JSON.stringify(Value.Errors(endpoint.reply, body))
}

function faultOfProblem(status: number, text: string, body: unknown): string | undefined {
  const { error } = body as { error?: Problem }
  if (!error) return 'has no error'
  const { type, code, message, request_id, doc_url, details, ...more } = error
  if (Object.keys(more).length > 0) return `has ${Object.keys(more)}`
  const [wanted, ...codes] = CODES[status] ?? ['no error']
  if (type !== wanted || !codes.includes(code)) return `is ${status} ${type} ${code}`
  if (!/^req_/.test(request_id)) return `has the request ${request_id}`
  if (!doc_url.endsWith(`/docs/errors#${code}`) || message === '') return 'is not explained'
  const whole = details.every((one) => one.code && one.message && typeof one.field === 'string')
  if (!whole || (code === 'validation_failed' && details.length === 0)) return 'lacks details'
  const odd = details.find((one) => status === 422 && !FAULTS.has(one.code))
  if (odd) return `has a detail ${odd.code}`
  return INNER.test(text) ? 'tells of what is inside' : undefined
}
