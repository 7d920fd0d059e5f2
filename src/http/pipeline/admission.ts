import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { secondFactorMissing } from '#auth/second-factor/second-factor-policy.ts'
import { workspaceDeleted } from '#auth/workspaces/workspace-deletion.ts'
import { lacksSecondFactor, type UserActor } from '#core/actor.ts'
import { ApiError, insufficientScope, invalidHeader } from '#core/api-error.ts'
import type { Endpoint } from '#wire/endpoint.ts'
import type { AppContext } from '../app-context.ts'
import { assertSameOrigin } from '../request/same-origin.ts'

/**
 * Makes all decisions that come before the body is read: authentication (401; 429 for an address
 * that fails too often), the origin of a browser's request (403), the rate limit of the workspace
 * or the session (429), and the scope of the credential (403).
 */
export async function admitRequest(
  context: AppContext,
  endpoint: Endpoint,
  request: FastifyRequest,
) {
  const { scope } = endpoint
  if (scope === 'session') rejectAuthorizationHeader(request)
  const actor = await authenticate(context, request)
  if (actor.type === 'user') assertSameOrigin(request, context.baseUrl)
  const limitHeaders =
    endpoint.limit === 'session' ? context.sessionLimit(actor) : context.limit(actor)
  Object.assign(
    request.replyHeaders,
    limitHeaders instanceof Promise ? await limitHeaders : limitHeaders,
  )
  if (actor.workspace_deleted_at && !endpoint.allowsDeletedWorkspace) throw workspaceDeleted()
  if (lacksSecondFactor(actor) && !endpoint.allowsMissingSecondFactor) throw secondFactorMissing()
  const requiredScope =
    scope === 'any' || scope === 'session' || scope === 'open' ? undefined : scope
  if (requiredScope && !actor.scopes.has(requiredScope)) throw insufficientScope(requiredScope)
  request.actor = actor
}

/**
 * Endpoints of the web app accept no API key or access token, not even a valid one (docs/spec/api.md#internal-api-of-the-web-app).
 */
export function rejectAuthorizationHeader(request: FastifyRequest): void {
  if (countRawHeaders(request.raw, 'authorization') === 0) return
  const message =
    'This address is for the web app and accepts no `Authorization` header. Use `/api/v1` instead.'
  throw new ApiError(403, 'session_required', message)
}

async function authenticate(context: AppContext, request: FastifyRequest): Promise<UserActor> {
  if (countRawHeaders(request.raw, 'authorization') > 1) {
    throw invalidHeader('Authorization', 'duplicate', 'must be sent only once')
  }
  try {
    const { authorization, cookie } = request.headers
    return await context.authenticator.authenticate(authorization, cookie)
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) context.addressLimit(request.ip)
    throw error
  }
}

/** Counts the lines of a header as sent: of some headers, Node's parsed `headers` keep only one. */
export const countRawHeaders = (request: IncomingMessage, name: string): number =>
  rawValuesOf(request, name).length

/**
 * Returns the combined value of a header as sent, lines joined by commas; undefined without any.
 */
export const getRawHeader = (request: IncomingMessage, name: string): string | undefined => {
  const values = rawValuesOf(request, name)
  return values.length > 0 ? values.join(', ') : undefined
}

function rawValuesOf({ rawHeaders }: IncomingMessage, name: string): string[] {
  const values: string[] = []
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const rawName = rawHeaders[index] ?? ''
    if (rawName.length === name.length && rawName.toLowerCase() === name) {
      values.push(rawHeaders[index + 1] ?? '')
    }
  }
  return values
}
