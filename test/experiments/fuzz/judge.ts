import { Compile } from 'typebox/compile'
import { Value } from 'typebox/value'
import { type Endpoint, statusOf } from '#wire/endpoint.ts'
import { routes } from '../../../src/app.ts'
import type { Replied } from '../world/call.ts'

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

/** Kinds of error by status (contract 2.2). */
const TYPES: Record<number, string> = {
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  409: 'conflict',
  410: 'gone',
  412: 'precondition_failed',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  422: 'validation_failed',
  429: 'rate_limited',
}
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
  if (type !== (TYPES[status] ?? 'invalid_request')) return `is ${status} of type ${type}`
  if (!/^[a-z_]+$/.test(code) || !/^req_/.test(request_id)) return `has the code ${code}`
  if (!doc_url.endsWith(`/docs/errors#${code}`) || message === '') return 'is not explained'
  const faults = details.every((one) => one.code && one.message && typeof one.field === 'string')
  if (!faults || (code === 'validation_failed' && details.length === 0)) return 'lacks details'
  return INNER.test(text) ? 'tells of what is inside' : undefined
}
