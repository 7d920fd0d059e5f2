import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { withActionLimits } from '#auth/sign-in/attempt-limits.ts'
import { ApiError, assertNoFieldErrors } from '#core/api-error.ts'
import type { ActionRequest, SessionAction } from '#core/session-action.ts'
import { toJson } from '#lib/json.ts'
import { successStatusOf } from '#wire/endpoint.ts'
import { createSchemaParser, type SchemaParseResult } from '#wire/schema-parser.ts'
import type { AppContext } from '../app-context.ts'
import { sendReply } from '../reply/send.ts'
import { readJsonBody } from '../request/json-body.ts'
import { createQueryParser, getQueryString } from '../request/query-parameters.ts'
import { isDirectLocalRequest } from '../request/request-origin.ts'
import { assertSameOrigin } from '../request/same-origin.ts'
import { loggedAddressOf } from '../server/log.ts'
import {
  admitRequest,
  countMalformedRequests,
  countRawHeaders,
  createAdmissionHook,
  readmitRequest,
  rejectAuthorizationHeader,
} from './admission.ts'
import { parseIdempotencyKey } from './idempotency.ts'

/**
 * Serves a session action; its steps have the same order as those of every request (docs/spec/api.md#order-of-checks):
 *   admit   no Authorization 403, session 401 (not for scope `open`), origin 403, page 409 (not for
 *           scope `open`), limit of the person or of an address without a session 429
 *   serve   body 415 413 400 (with scope `open` at most 16 KiB), admitted again, query 400, record 404,
 *           role 403, fields 422, limit of its kind of action 429, then the action itself; with scope `open`
 *           and without a session, 400, 413, 415 and 422 count against the limit of the address
 */
export function serveSessionAction(
  server: FastifyInstance,
  context: AppContext,
  action: SessionAction,
): void {
  const { endpoint } = action
  const { method, path: url } = endpoint
  const onRequest = createAdmissionHook((request) =>
    endpoint.scope === 'open'
      ? admitOpen(context, action, request)
      : admitRequest(context, endpoint, request),
  )
  const handler = createActionHandler(context, action)
  // The others have been counted before their body is read.
  const countsFailures = endpoint.scope === 'open' && endpoint.limit !== 'unauthenticated'
  server.route({
    method,
    url,
    onRequest,
    handler: countsFailures ? countMalformedRequests(context, handler) : handler,
  })
}

async function admitOpen(
  context: AppContext,
  { endpoint, allowsAnyOrigin }: SessionAction,
  request: FastifyRequest,
): Promise<void> {
  rejectAuthorizationHeader(request)
  if (!allowsAnyOrigin) assertSameOrigin(request, context.baseUrl)
  await recognizeSession(context, request)
  if (endpoint.limit === 'unauthenticated' && !request.actor) context.limits.address(request.ip)
}

/** An open action needs no session, but recognizes one; a session that has ended is ignored. */
async function recognizeSession(
  { authenticator }: AppContext,
  request: FastifyRequest,
): Promise<void> {
  request.actor = null
  try {
    const { cookie } = request.headers
    if (cookie) request.actor = await authenticator.authenticate(undefined, cookie)
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error
  }
}

function createActionHandler(context: AppContext, { endpoint, handle, authorize }: SessionAction) {
  const parseQuery = createQueryParser(endpoint)
  const readBody = endpoint.body ? createSchemaParser(endpoint.body) : undefined
  const readmit = (request: FastifyRequest) =>
    endpoint.scope === 'open'
      ? recognizeSession(context, request)
      : readmitRequest(context, endpoint, request)
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { raw, headers, ip: address } = request
    const body = endpoint.body ? await readJsonBody(raw, endpoint) : undefined
    if (endpoint.body) await readmit(request)
    const query = parseQuery(getQueryString(raw.url ?? ''))
    const actionRequest: ActionRequest = {
      params: request.params,
      query,
      body,
      actor: request.actor ?? undefined,
      cookie: headers.cookie,
      address,
      agent: headers['user-agent'] ?? '',
      idempotencyKey: endpoint.takesIdempotencyKey
        ? parseIdempotencyKey(headers['idempotency-key'], countRawHeaders(raw, 'idempotency-key'))
        : undefined,
      isLocal: isDirectLocalRequest(raw),
    }
    await authorize(context.actionDeps, actionRequest)
    const reading: SchemaParseResult = readBody?.(body) ?? { value: undefined, errors: [] }
    assertNoFieldErrors(reading.errors)
    const {
      reply: result,
      cookies = [],
      operation_id,
    } = await withActionLimits(context.storage, endpoint, actionRequest, () =>
      handle(context.actionDeps, { ...actionRequest, body: reading.value }),
    ).catch(countFailure(context, request))
    if (endpoint.method !== 'GET') context.authenticator.invalidate()
    return sendReply(request, reply, {
      status: successStatusOf(endpoint),
      body: result === undefined ? '' : toJson(result),
      headers: {
        ...(cookies.length > 0 && { 'set-cookie': [...cookies] }),
        ...(operation_id !== undefined && { 'x-operation-id': operation_id }),
      },
      secret: endpoint.hasSecretReply === true,
    })
  }
}

/**
 * A failed sign-in spends the same budget of the address as an invalid key (docs/spec/api.md#unauthenticated-requests).
 * A wrong password, passkey or code is also logged: the filter in deploy/fail2ban reads this line, field by field.
 */
const countFailure =
  (context: AppContext, { id: request_id, ip, raw }: FastifyRequest) =>
  (error: unknown): never => {
    if (error instanceof ApiError && error.status === 401) {
      if (error.code === 'invalid_credentials') {
        const address = loggedAddressOf(raw, context.network)
        context.log.warn({ request_id, address, code: error.code }, 'Sign-in failed')
      }
      context.limits.address(ip)
    }
    throw error
  }
