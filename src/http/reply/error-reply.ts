import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '#core/api-error.ts'
import type { MaybePromise } from '#lib/maybe-promise.ts'
import type { AppContext } from '../app-context.ts'
import { MCP_METADATA_PATH, MCP_PATH, METADATA_PATH } from '../oauth/mcp-resource.ts'
import { requestFields } from '../server/log.ts'
import { isRemembered } from '../server/request-end.ts'
import { sendReply } from './send.ts'
import { abortReply } from './stream-reply.ts'

/** Renders the body of an error reply (docs/spec/api.md#error-body). */
export function toErrorBody(baseUrl: string, request_id: string, error: ApiError): string {
  const { type, code, message, details, requiredScope } = error
  const doc_url = `${baseUrl}/docs/errors#${code}`
  const required_scope = requiredScope && { required_scope: requiredScope }
  return JSON.stringify({
    error: { type, code, message, request_id, doc_url, details, ...required_scope },
  })
}

/** Leads to what the server did with the request (RFC 8288; docs/spec/api.md#why). */
const explanationOf = ({ id }: FastifyRequest): string =>
  `</api/v1/requests/${id}>; rel="describedby"`

/** Creates the handler that turns every thrown error into a reply (docs/spec/api.md#error-body). */
export function createErrorHandler({ baseUrl, log }: Pick<AppContext, 'baseUrl' | 'log'>) {
  const challengeFor = ({ raw: { url } }: FastifyRequest) =>
    `Bearer realm="docket", resource_metadata="${baseUrl}${url === MCP_PATH ? MCP_METADATA_PATH : METADATA_PATH}"`

  return (thrown: unknown, request: FastifyRequest, reply: FastifyReply): MaybePromise<void> => {
    if (reply.raw.headersSent) {
      abortReply({ log }, request, reply, thrown)
      reply.hijack()
      return
    }
    const error = thrown instanceof ApiError ? thrown : toApiError(thrown)
    const { status, message, headers } = error
    request.errorCode = error.code
    if (status >= 500) log.error({ ...requestFields(request), err: error.cause ?? thrown }, message)
    const body = toErrorBody(baseUrl, request.id, error)
    const authenticate = challengeOf(error, challengeFor(request))
    const abort = (error: unknown) => {
      abortReply({ log }, request, reply, error)
      reply.hijack()
    }
    try {
      const sent = sendReply(request, reply, {
        status,
        body,
        headers: {
          ...headers,
          ...(authenticate && { 'www-authenticate': authenticate }),
          ...(isRemembered(request.actor, request.routeOptions.url) && {
            link: explanationOf(request),
          }),
        },
      })
      return sent instanceof Promise ? sent.catch(abort) : sent
    } catch (error) {
      return abort(error)
    }
  }

  function challengeOf(
    { status, code, message, requiredScope = '' }: ApiError,
    challenge: string,
  ): string | undefined {
    if (code === 'authentication_required' || code === 'invalid_credentials') return challenge
    if (status === 401) {
      return `${challenge}, error="invalid_token", error_description="${message}"`
    }
    if (code !== 'insufficient_scope') return undefined
    return `${challenge}, error="insufficient_scope", scope="${requiredScope}"`
  }
}

/** Unexpected errors become a 500, except for malformed requests that Fastify itself rejects. */
function toApiError(error: unknown): ApiError {
  const status =
    error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : undefined
  if (status === 400)
    return new ApiError(
      400,
      'invalid_request',
      'The request is malformed. Check its path, headers and body.',
    )
  const message = 'An unexpected error occurred in Docket. Nothing was changed.'
  return new ApiError(500, 'internal_error', message, { cause: error })
}
