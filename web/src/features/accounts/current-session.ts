import type { getSession, Session } from '#resources/sessions/contract.ts'
import { endSessionAndClear } from '../../data/session/sign-out.ts'
import { ApiResponseError } from '../../lib/http/problem.ts'
import { requestEndpoint } from '../../lib/http/request-endpoint.ts'
import { hasSessionEnded } from '../../lib/http/session-ended.ts'
import { confirmSignOutLoss } from '../shell/index.ts'

/** Fetches the session of this browser; undefined, and no error, if there is none. */
export async function fetchCurrentSession(): Promise<Session | undefined> {
  try {
    return await requestEndpoint<typeof getSession>('GET /internal/session', {})
  } catch (error) {
    if (!(error instanceof ApiResponseError) || error.status !== 401) throw error
    hasSessionEnded.set(false)
    return undefined
  }
}

/**
 * Signs the person out, so that another account can sign in. Asks first if unsent changes or
 * drafts would be lost, for which the page needs an `OverlayHost`; false if the person declines.
 */
export async function confirmSwitchAccount(): Promise<boolean> {
  if (!(await confirmSignOutLoss())) return false
  await endSessionAndClear()
  return true
}
