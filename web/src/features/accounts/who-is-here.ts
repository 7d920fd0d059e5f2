import type { signOut } from '#accounts/contract.ts'
import type { getSession, Session } from '#resources/sessions/contract.ts'
import { call } from '../../lib/call.ts'
import { Problem } from '../../lib/problem.ts'
import { sessionEnded } from '../../lib/signed-out.ts'

/** The session that this browser has, if any; having none is no trouble here. */
export async function whoIsHere(): Promise<Session | undefined> {
  return unlessNone(() => call<typeof getSession>('GET /internal/session', {}))
}

/** Ends the session that is there, so that another account can be signed in. */
export async function leaveSession(): Promise<void> {
  await unlessNone(() => call<typeof signOut>('DELETE /internal/session', {}))
}

async function unlessNone<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask()
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 401) throw error
    sessionEnded.set(false)
    return undefined
  }
}
