import { bindRequests } from '../../lib/http/page-session.ts'
import { sessionPause } from '../../lib/http/request-pause.ts'
import { hasSessionEnded } from '../../lib/http/session-ended.ts'
import { atom } from '../../lib/state/atom.ts'

interface SessionParty {
  id: string
  name: string
}

/** The person and workspace of a page: all its data and all its writes belong to both. */
interface PageSession {
  user: SessionParty
  workspace: SessionParty
}

interface SessionMismatch {
  user: SessionParty
  /** Undefined if the server does not tell, e.g. because it was deleted. */
  workspace: SessionParty | undefined
  otherPerson: boolean
}

/**
 * The browser's session while it differs from this page's: another workspace, or another person.
 * Undefined while they match. Until then this page neither reads nor writes.
 */
export const sessionMismatch = atom<SessionMismatch | undefined>(undefined)

/** Resolves as soon as the browser's session is the page's again and has not ended. */
export function waitForSessionMatch(): Promise<void> {
  return new Promise((resolve) => {
    const stops = [sessionMismatch.subscribe(check), hasSessionEnded.subscribe(check)]
    function check() {
      if (sessionMismatch.get() || hasSessionEnded.get()) return
      for (const stop of stops) stop()
      resolve()
    }
    check()
  })
}

const channel = new BroadcastChannel('docket-session')
let pageSession: PageSession | undefined

/** The person and workspace of this page; undefined until they are known. */
export const currentSession = (): PageSession | undefined => pageSession

/** Binds the page to a person and workspace until it is left. */
export function setCurrentSession({ user, workspace }: PageSession): void {
  // The router calls this on every navigation, which ends no mismatch.
  if (pageSession?.user.id === user.id && pageSession.workspace.id === workspace.id) return
  pageSession = { user: pickIdAndName(user), workspace: pickIdAndName(workspace) }
  bindRequests(user.id, workspace.id)
  setMismatch(undefined)
}

/** Whether the page is bound to a session; its data would be wrong in another one. */
export const hasCurrentSession = (): boolean => pageSession !== undefined

/** Compares the browser's session with the page's and records a mismatch; true if they match. */
export function matchCurrentSession({ user, workspace }: PageSession): boolean {
  if (!pageSession) return true
  const otherPerson = user.id !== pageSession.user.id
  const same = !otherPerson && workspace.id === pageSession.workspace.id
  setMismatch(same ? undefined : { user, workspace, otherPerson })
  return same
}

/** Records that the browser's session is another one that nothing is known of. */
export function recordUnknownSession(): void {
  if (pageSession) setMismatch({ ...pageSession, workspace: undefined, otherPerson: false })
}

function setMismatch(mismatch: SessionMismatch | undefined): void {
  sessionMismatch.set(mismatch)
  sessionPause.set(mismatch !== undefined)
}

/** Announces to the other tabs what the session is now, or is about to be. */
export function broadcastSession({ user, workspace }: PageSession): void {
  channel.postMessage({ user: pickIdAndName(user), workspace: pickIdAndName(workspace) })
}

/** Announces to the other tabs that the session has ended. */
export function broadcastSignOut(): void {
  channel.postMessage(undefined)
}

channel.onmessage = ({ data }: MessageEvent<PageSession | undefined>) => {
  if (!pageSession) return
  if (!data) hasSessionEnded.set(true)
  else if (matchCurrentSession(data)) hasSessionEnded.set(false)
}

const pickIdAndName = ({ id, name }: SessionParty): SessionParty => ({ id, name })
