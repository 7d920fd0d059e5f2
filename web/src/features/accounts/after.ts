import { useRouter } from '@tanstack/react-router'
import type { Session } from '#resources/sessions/contract.ts'
import { boot, loadBoot } from '../../data/boot.ts'
import { isSettled, tellSession } from '../../data/elsewhere.ts'
import { refetchAll } from '../../data/refetch.ts'
import { noteWho } from '../../data/session.ts'
import { safePath } from '../../lib/safe-path.ts'
import { sessionEnded } from '../../lib/signed-out.ts'

/** Screens that the app draws by itself; other addresses of the origin come from the server. */
const OWN = /^\/(?:w|t|start|setup|invite)(?:[/?]|$)/

/** Gives what goes on to where the person wanted to, as whom the browser is signed in now. */
export function useGoOn(): (session: Session, next?: string) => void {
  const { history } = useRouter()
  return ({ user, workspace }, next = '/start') => {
    const path = safePath(next)
    noteWho(user.id)
    boot.set(undefined)
    sessionEnded.set(false)
    // A page that waits in another tab goes on.
    tellSession({ user, workspace })
    // A page that has shown a workspace knows too much of it to show another one.
    if (OWN.test(path) && !isSettled()) history.push(path)
    else location.assign(path)
  }
}

/** The session is there again and the page was never left: what waited goes on by itself. */
export async function comeBack(): Promise<void> {
  tellSession((await loadBoot()).session)
  sessionEnded.set(false)
  void refetchAll()
}
