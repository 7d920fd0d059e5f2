import type { signOut } from '#accounts/contract.ts'
import type { getSession, Session } from '#resources/sessions/contract.ts'
import { ApiResponseError } from '../../lib/http/problem.ts'
import { requestEndpoint } from '../../lib/http/request-endpoint.ts'
import { hasSessionEnded } from '../../lib/http/session-ended.ts'

/** Fetches the session of this browser; undefined, and no error, if there is none. */
export async function fetchCurrentSession(): Promise<Session | undefined> {
  return ignoringNoSession(() => requestEndpoint<typeof getSession>('GET /internal/session', {}))
}

/** Ends the session of this browser, so that another account can sign in. */
export async function endCurrentSession(): Promise<void> {
  await ignoringNoSession(() => requestEndpoint<typeof signOut>('DELETE /internal/session', {}))
}

async function ignoringNoSession<T>(request: () => Promise<T>): Promise<T | undefined> {
  try {
    return await request()
  } catch (error) {
    if (!(error instanceof ApiResponseError) || error.status !== 401) throw error
    hasSessionEnded.set(false)
    return undefined
  }
}
