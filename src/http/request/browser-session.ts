import type { FastifyRequest } from 'fastify'
import { ApiError } from '#core/api-error.ts'
import type { AppContext } from '../app-context.ts'

/** Returns the id of the browser's session; null if there is none or it has ended. */
export async function findSessionId(
  { authenticator }: AppContext,
  { headers }: FastifyRequest,
): Promise<string | null> {
  if (headers.cookie === undefined) return null
  try {
    return (await authenticator.authenticate(undefined, headers.cookie)).credential_id
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error
    return null
  }
}
