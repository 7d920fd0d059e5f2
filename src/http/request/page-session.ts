import type { FastifyRequest } from 'fastify'
import type { UserActor } from '#core/actor.ts'
import { ApiError } from '#core/api-error.ts'
import { PAGE_SESSION_HEADER } from '#wire/page-session-header.ts'

/**
 * Rejects a request of a page of the web app whose browser has changed to another person or
 * workspace in another tab (docs/spec/api.md#session-cookie). The other tab announces the change,
 * but a request may leave before the announcement arrives.
 */
export function assertPageSession(
  { headers }: FastifyRequest,
  { user_id, workspace_id }: UserActor,
): void {
  const expected = headers[PAGE_SESSION_HEADER]
  if (expected === undefined || expected === `${user_id}/${workspace_id}`) return
  throw sessionChanged()
}

export function sessionChanged(): ApiError {
  const message = 'The browser has changed to another person or workspace than that of this page.'
  return new ApiError(409, 'session_changed', message)
}
