import { Compile } from 'typebox/compile'
import { Value } from 'typebox/value'
import { ERROR_CODES, FIELD_CODE_MEANINGS } from '#http/api-reference/error-codes.ts'
import { publicRoutes as routes } from '#server/routes.ts'
import { type Endpoint, successStatusOf } from '#wire/endpoint.ts'
import type { ApiReply } from '../support/api/call-api.ts'

interface FuzzedError {
  type: string
  code: string
  message: string
  request_id: string
  doc_url: string
  required_scope?: string
  details: { field: string; code: string; message: string }[]
}

/** Endpoints with validators of their replies. Fixed paths come before paths with an id. */
const ENDPOINTS = routes
  .map(({ endpoint }) => ({
    endpoint,
    pattern: new RegExp(`^${endpoint.path.replace(/:\w+/g, '[^/]+')}$`),
    reply: endpoint.reply && Compile(endpoint.reply),
  }))
  .toSorted((a, b) => Number(a.endpoint.path.includes(':')) - Number(b.endpoint.path.includes(':')))

/** The status, type and code of each error (docs/spec/api.md#types-and-codes). */
const KNOWN_ERRORS = new Set(
  ERROR_CODES.map(({ status, type, code }) => `${status} ${type} ${code}`),
)

/** Texts that reveal internals. */
const INTERNALS = /SQLITE_|node:internal|node_modules|\/src\/|\.ts:\d|violates |syntax error at/i

/** Parts of regular expressions, which random names of fields hardly contain. */
const REGULAR_EXPRESSION = /\[(a-z|A-Z|0-9)|\{26\}|\(\?/

/** Checks a reply to any request against the OpenAPI document and docs/spec/api.md#errors. Returns undefined if it is right. */
export function findReplyFault(method: string, url: string, reply: ApiReply): string | undefined {
  const { status, headers, text } = reply
  if (status >= 500) return `answers ${status}`
  if (headers['x-content-type-options'] !== 'nosniff') return 'has no nosniff'
  if (!/^req_/.test(headers['x-request-id'] ?? '')) return 'has no X-Request-Id'
  if (method === 'HEAD') return text === '' ? undefined : 'has a body on HEAD'
  if (status === 204 || status === 304) return text === '' ? undefined : `has a body on ${status}`
  const path = url.split('?')[0] ?? ''
  if (/^\/api\/v1\/attachments\/[^/]+\/content$/.test(path) && status < 400) return undefined
  if (!headers['content-type']?.startsWith('application/json')) return checkNonJson(path)
  const body: unknown = JSON.parse(text)
  return status >= 400 ? checkError(status, text, body) : checkRecord(method, path, status, body)
}

const checkNonJson = (path: string) =>
  /^\/(api|internal|oauth)(\/|$)/.test(path) ? 'is no JSON' : undefined

function checkRecord(method: string, path: string, status: number, body: unknown) {
  const match = ENDPOINTS.find(
    ({ endpoint, pattern }) => endpoint.method === method && pattern.test(path),
  )
  if (!match) return undefined
  const { endpoint, reply } = match
  if (status !== successStatusOf(endpoint as Endpoint))
    return `is ${status}, not ${successStatusOf(endpoint)}`
  if (!reply || !endpoint.reply) return 'has a body'
  if (reply.Check(body)) return undefined
  return JSON.stringify(Value.Errors(endpoint.reply, body))
}

function checkError(status: number, text: string, body: unknown): string | undefined {
  const { error } = body as { error?: FuzzedError }
  if (!error) return 'has no error'
  const { type, code, message, request_id, doc_url, details, required_scope, ...more } = error
  if (Object.keys(more).length > 0) return `has ${Object.keys(more)}`
  if ((code === 'insufficient_scope') !== (required_scope !== undefined)) return 'names no scope'
  if (!KNOWN_ERRORS.has(`${status} ${type} ${code}`)) return `is ${status} ${type} ${code}`
  if (!/^req_/.test(request_id)) return `has the request ${request_id}`
  if (!doc_url.endsWith(`/docs/errors#${code}`) || message === '') return 'is not explained'
  const isComplete = details.every(
    (one) => one.code && one.message && typeof one.field === 'string',
  )
  if (!isComplete || (code === 'validation_failed' && details.length === 0)) return 'lacks details'
  // A message repeats the names of the request, which may look like anything.
  const withoutNames = (text: string) =>
    details.reduce((rest, { field }) => rest.replaceAll(field, ''), text)
  if ([error, ...details].some((one) => REGULAR_EXPRESSION.test(withoutNames(one.message))))
    return 'shows a regular expression'
  const unknownDetail = details.find((one) => status === 422 && !(one.code in FIELD_CODE_MEANINGS))
  if (unknownDetail) return `has a detail ${unknownDetail.code}`
  return INTERNALS.test(text) ? 'tells of what is inside' : undefined
}
