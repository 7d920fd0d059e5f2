import { queryOptions } from '@tanstack/react-query'
import type { getInteraction, Interaction } from '#accounts/oauth-consent/contract.ts'
import type { Session } from '#resources/sessions/contract.ts'
import { ApiResponseError } from '../../lib/http/problem.ts'
import { requestEndpoint } from '../../lib/http/request-endpoint.ts'
import { hasSessionEnded } from '../../lib/http/session-ended.ts'
import { fetchCurrentSession } from '../accounts/index.ts'

/** An authorization request with the session that can answer it, or why it cannot be answered. */
type ConsentRequest =
  | { state: 'pending'; interaction: Interaction; session: Session }
  /** The flag means that the person is signed in, but the application requires a new sign-in. */
  | { state: 'sign-in'; mustReauthenticate: boolean }
  | { state: 'ended' }

/** The authorization request of an application in this browser. */
export const consentRequestQuery = (uid: string) =>
  queryOptions({
    queryKey: ['interaction', uid],
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    queryFn: async (): Promise<ConsentRequest> => {
      const [session, interaction] = await Promise.all([
        fetchCurrentSession(),
        fetchInteraction(uid),
      ])
      if (!session) return { state: 'sign-in', mustReauthenticate: false }
      if (interaction === 401) return { state: 'sign-in', mustReauthenticate: true }
      return interaction === 404 ? { state: 'ended' } : { state: 'pending', interaction, session }
    },
  })

async function fetchInteraction(uid: string): Promise<Interaction | 401 | 404> {
  try {
    const input = { params: { uid } }
    return await requestEndpoint<typeof getInteraction>(
      'GET /internal/oauth/interactions/:uid',
      input,
    )
  } catch (error) {
    const status = getConsentEndStatus(error)
    if (status === undefined) throw error
    return status
  }
}

/** 401 if an error means that the person has to sign in, 404 if the request has ended. */
export function getConsentEndStatus(error: unknown): 401 | 404 | undefined {
  if (!(error instanceof ApiResponseError)) return undefined
  if (error.status === 404) return 404
  if (error.status !== 401) return undefined
  // This page redirects to the sign-in by itself: no dialog may open over it.
  hasSessionEnded.set(false)
  return 401
}
