import { useRouter } from '@tanstack/react-router'
import { boot, loadBoot } from '../../data/boot.ts'
import { refetchAll } from '../../data/refetch.ts'
import { safePath } from '../../lib/safe-path.ts'
import { sessionEnded } from '../../lib/signed-out.ts'

/** Screens that the app draws by itself; other addresses of the origin come from the server. */
const OWN = /^\/(?:w|t|start|setup|invite)(?:[/?]|$)/

/** Gives what goes on to where the person wanted to, as whom the browser is signed in now. */
export function useGoOn(): (next?: string) => void {
  const { history } = useRouter()
  return (next = '/start') => {
    const path = safePath(next)
    boot.set(undefined)
    sessionEnded.set(false)
    if (OWN.test(path)) history.push(path)
    else location.assign(path)
  }
}

/** The session is there again and the page was never left: what waited goes on by itself. */
export async function comeBack(): Promise<void> {
  await loadBoot()
  sessionEnded.set(false)
  void refetchAll()
}
