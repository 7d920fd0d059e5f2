import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { secondFactorMissing } from '#auth/second-factor/second-factor.ts'
import { assertSessionConfirmed } from '#auth/sessions/session-confirmation.ts'
import { workspaceDeleted } from '#auth/workspaces/workspaces.ts'
import { lacksSecondFactor, type UserActor } from '#core/actor.ts'
import { ApiError, insufficientScope, invalidHeader } from '#core/api-error.ts'
import { andThen, type MaybePromise } from '#lib/maybe-promise.ts'
import type { Endpoint } from '#wire/endpoint.ts'
import { PAGE_SESSION_HEADER } from '#wire/page-session-header.ts'
import type { AppContext } from '../app-context.ts'
import { assertSameOrigin } from '../request/same-origin.ts'
import { getActor, type RequestHandler, replaceInvalidIds } from './request-handler.ts'

/**
 * Makes all decisions that come before the body is read: authentication (401; 429 for an address
 * that fails too often), the origin of a browser's request (403) and whether its session is that of
 * its page (409), the rate limit of the workspace or the session (429), the scope of the
 * credential (403), and whether a session was confirmed lately, if the endpoint grants lasting access (403). Waits only for a credential that is not cached, or for a count that other
 * processes share.
 */
export const admitRequest = (
  context: AppContext,
  endpoint: Endpoint,
  request: FastifyRequest,
): MaybePromise<void> =>
  andThen(authenticate(context, endpoint, request), (actor) => {
    // Also of a request that is refused now, so that its sender can ask why.
    request.actor = actor
    if (actor.type === 'user') {
      assertSameOrigin(request, context.baseUrl)
      assertPageSession(request, actor)
    }
    const limit = endpoint.scope === 'session' ? context.limits.session : context.limits.workspace
    return andThen(limit(actor), (limitHeaders) => {
      Object.assign(request.replyHeaders, limitHeaders)
      assertAllowed(actor, endpoint)
      // The write makes sure that the session has not ended since.
      if (endpoint.grantsLastingAccess === true)
        return assertSessionConfirmed(context.storage, actor)
    })
  })

/**
 * Admits a request again once its body has arrived, which may take 30 seconds, and an upload ten
 * minutes: rights that ended meanwhile must not suffice for the write. Reads nothing while the
 * credential is cached, and does not count again for a rate limit.
 */
export const readmitRequest = (
  context: AppContext,
  endpoint: Endpoint,
  request: FastifyRequest,
): MaybePromise<UserActor> =>
  andThen(authenticateCredential(context, request), (actor) => {
    // A session may have gone to another workspace, where the request is not meant to write.
    if (actor.workspace_id !== getActor(request).workspace_id) throw sessionChanged()
    assertAllowed(actor, endpoint)
    request.actor = actor
    return actor
  })

/**
 * The hook of Fastify that admits a request, in the same turn if nothing has to wait. Handlers get
 * only what can be an id from its path.
 */
export const createAdmissionHook =
  (admit: (request: FastifyRequest) => MaybePromise<void>) =>
  (request: FastifyRequest, _: FastifyReply, done: (error?: Error) => void): void => {
    request.params = replaceInvalidIds(request.params)
    const admitted = admit(request)
    if (admitted instanceof Promise) admitted.then(() => done(), done)
    else done()
  }

/** Authenticates a request that lasts once more, and throws what its admission would throw now. */
export async function revalidateActor(
  { authenticator }: Pick<AppContext, 'authenticator'>,
  { headers: { authorization, cookie } }: FastifyRequest,
): Promise<UserActor> {
  const actor = await authenticator.authenticate(authorization, cookie)
  assertUsable(actor, {})
  return actor
}

/**
 * Whether a request that lasts may go on for the same records: a session may have gone to another
 * workspace, and a grant may have lost scopes.
 */
export const canResume = (before: UserActor, now: UserActor): boolean =>
  before.workspace_id === now.workspace_id && before.scopes.isSubsetOf(now.scopes)

function assertUsable(
  actor: UserActor,
  allows: Pick<Endpoint, 'allowsDeletedWorkspace' | 'allowsMissingSecondFactor'>,
): void {
  if (actor.workspace_deleted_at && !allows.allowsDeletedWorkspace) throw workspaceDeleted()
  if (actor.paused_at) throw credentialPaused()
  if (lacksSecondFactor(actor) && !allows.allowsMissingSecondFactor) throw secondFactorMissing()
}

const credentialPaused = () =>
  new ApiError(403, 'credential_paused', 'A person has paused this credential.')

/** Throws 403 if an actor may not use an endpoint, whatever the record. */
export function assertAllowed(actor: UserActor, endpoint: Endpoint): void {
  const { scope } = endpoint
  assertUsable(actor, endpoint)
  if (scope === 'any' || scope === 'session' || scope === 'open' || actor.scopes.has(scope)) return
  throw insufficientScope(scope)
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

function authenticate(
  context: AppContext,
  { scope }: Endpoint,
  request: FastifyRequest,
): MaybePromise<UserActor> {
  if (scope === 'session') rejectAuthorizationHeader(request)
  if (countRawHeaders(request.raw, 'authorization') > 1) {
    throw invalidHeader('Authorization', 'duplicate', 'must be sent only once')
  }
  return authenticateCredential(context, request)
}

function authenticateCredential(
  context: AppContext,
  request: FastifyRequest,
): MaybePromise<UserActor> {
  const countFailure = (error: unknown): never => {
    if (error instanceof ApiError && error.status === 401) context.limits.address(request.ip)
    throw error
  }
  try {
    const { authorization, cookie } = request.headers
    const actor = context.authenticator.authenticate(authorization, cookie)
    return actor instanceof Promise ? actor.catch(countFailure) : actor
  } catch (error) {
    return countFailure(error)
  }
}

/** Whether a reply says that the request itself was wrong: its body, its parameters or its type. */
export const isMalformed = (status: number): boolean => MALFORMED.has(status)
const MALFORMED: ReadonlySet<number> = new Set([400, 413, 415, 422])

/**
 * Lets malformed requests to an address that needs no credential count against the limit of the client's
 * address (docs/spec/api.md#unauthenticated-requests), unless a session came with them.
 */
export const countMalformedRequests =
  (context: AppContext, handler: RequestHandler): RequestHandler =>
  async (request, reply) => {
    try {
      await handler(request, reply)
    } catch (error) {
      const isCounted = error instanceof ApiError && isMalformed(error.status) && !request.actor
      if (isCounted) context.limits.address(request.ip)
      throw error
    }
  }

/** Counts the lines of a header as sent: of some headers, Node's parsed `headers` keep only one. */
export function countRawHeaders({ rawHeaders }: IncomingMessage, name: string): number {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (isHeaderNamed(rawHeaders[index] ?? '', name)) count += 1
  }
  return count
}

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
    if (isHeaderNamed(rawHeaders[index] ?? '', name)) values.push(rawHeaders[index + 1] ?? '')
  }
  return values
}

/** `name` is in lower case. */
const isHeaderNamed = (rawName: string, name: string): boolean =>
  rawName.length === name.length && rawName.toLowerCase() === name

/**
 * Rejects a request of a page of the web app whose browser has changed to another person or
 * workspace in another tab (docs/spec/api.md#session-cookie). The other tab announces the change,
 * but a request may leave before the announcement arrives.
 */
function assertPageSession(
  { headers }: FastifyRequest,
  { user_id, workspace_id }: UserActor,
): void {
  const expected = headers[PAGE_SESSION_HEADER]
  if (expected === undefined || expected === `${user_id}/${workspace_id}`) return
  throw sessionChanged()
}

function sessionChanged(): ApiError {
  const message = 'The browser has changed to another person or workspace than that of this page.'
  return new ApiError(409, 'session_changed', message)
}
