import { useRouter } from '@tanstack/react-router'
import type { Session } from '#resources/sessions/contract.ts'
import { refetchAll } from '../../../data/cache/query-client.ts'
import { bootState, loadBoot } from '../../../data/session/boot.ts'
import { broadcastSession, hasCurrentSession } from '../../../data/session/current-session.ts'
import {
  closeSession,
  hasDataOfOthers,
  recordSignedInUser,
} from '../../../data/session/sign-out.ts'
import { hasSessionEnded } from '../../../lib/http/session-ended.ts'
import { toSafePath } from '../../../lib/text/safe-path.ts'
import { confirmLossOfOthers } from '../../shell/index.ts'

/** Paths that the router of the app handles; the server answers all others of the origin. */
const APP_PATH = /^\/(?:w|t|start|setup|invite)(?:[/?]|$)/

/**
 * Returns a function that records the new session and opens the path that the person wanted. It asks
 * first if somebody else would lose unsent changes or drafts, and ends the session if the person declines.
 */
export function useCompleteSignIn(): (session: Session, next?: string) => Promise<void> {
  const { history } = useRouter()
  return async ({ user, workspace }, next = '/start') => {
    const path = toSafePath(next)
    if (hasDataOfOthers(user.id) && !(await confirmLossOfOthers())) {
      await closeSession()
      location.assign('/sign-in')
      return
    }
    recordSignedInUser(user.id)
    bootState.set(undefined)
    hasSessionEnded.set(false)
    // Pages in other tabs that wait for a session continue with this one.
    broadcastSession({ user, workspace })
    // A page that has shown one workspace holds its data in memory, so another one needs a reload.
    if (APP_PATH.test(path) && !hasCurrentSession()) history.push(path)
    else location.assign(path)
  }
}

/** Continues the page after a new sign-in over it: the queued requests are sent by themselves. */
export async function resumeSession(): Promise<void> {
  broadcastSession((await loadBoot()).session)
  hasSessionEnded.set(false)
  void refetchAll()
}
