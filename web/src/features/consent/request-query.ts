import { queryOptions } from '@tanstack/react-query'
import type { getInteraction, Interaction } from '#consent/contract.ts'
import type { Session } from '#resources/sessions/contract.ts'
import { call } from '../../lib/call.ts'
import { Problem } from '../../lib/problem.ts'
import { sessionEnded } from '../../lib/signed-out.ts'
import { whoIsHere } from '../accounts/who-is-here.ts'

/** A request that can be answered, and by whom; or why it cannot. */
export type Request =
  | { state: 'asked'; interaction: Interaction; session: Session }
  /** `again`: somebody is signed in, but the application wants them to prove it once more. */
  | { state: 'sign-in'; again: boolean }
  | { state: 'ended' }

/** What an application asks in this browser. */
export const requestQuery = (uid: string) =>
  queryOptions({
    queryKey: ['interaction', uid],
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    queryFn: async (): Promise<Request> => {
      const [session, found] = await Promise.all([whoIsHere(), interactionOf(uid)])
      if (!session) return { state: 'sign-in', again: false }
      if (found === 401) return { state: 'sign-in', again: true }
      return found === 404 ? { state: 'ended' } : { state: 'asked', interaction: found, session }
    },
  })

async function interactionOf(uid: string): Promise<Interaction | 401 | 404> {
  try {
    const sent = { params: { uid } }
    return await call<typeof getInteraction>('GET /internal/oauth/interactions/:uid', sent)
  } catch (error) {
    const end = endOf(error)
    if (end === undefined) throw error
    return end
  }
}

/** Whether a refusal means that the person has to sign in, or that there is nothing to answer any more. */
export function endOf(error: unknown): 401 | 404 | undefined {
  if (!(error instanceof Problem)) return undefined
  if (error.status === 404) return 404
  if (error.status !== 401) return undefined
  // The page leads to the form itself.
  sessionEnded.set(false)
  return 401
}
