import { readsHeld } from '../lib/pause.ts'
import { signal } from '../lib/signal.ts'
import { sessionEnded } from '../lib/signed-out.ts'

interface Named {
  id: string
  name: string
}

/** Whose a page is, and in which workspace: all that it knows and all that it sends belongs to both. */
export interface Place {
  user: Named
  workspace: Named
}

/**
 * What the browser's session is now, while this page shows something else: another workspace, or another
 * person's. Until it is back nothing is read and nothing is sent.
 */
export const elsewhere = signal<(Place & { otherPerson: boolean }) | undefined>(undefined)

elsewhere.subscribe(() => readsHeld.set(elsewhere.get() !== undefined))

/** Resolves as soon as the browser's session is the page's: not another one's, and not ended. */
export function sessionBack(): Promise<void> {
  return new Promise((resolve) => {
    const stops = [elsewhere.subscribe(check), sessionEnded.subscribe(check)]
    function check() {
      if (elsewhere.get() || sessionEnded.get()) return
      for (const stop of stops) stop()
      resolve()
    }
    check()
  })
}

const channel = new BroadcastChannel('docket-session')
let shown: Place | undefined

/** Whose page this is, and of which workspace; undefined until it is known. */
export const here = (): Place | undefined => shown

/** The page shows this place from now on, until it is left. */
export function stayIn({ user, workspace }: Place): void {
  shown = { user: named(user), workspace: named(workspace) }
  elsewhere.set(undefined)
}

/** Whether the page shows a place; what it knows of it would be wrong in another one. */
export const isSettled = (): boolean => shown !== undefined

/** Compares what the session is with what the page shows; false where they differ. */
export function isHere({ user, workspace }: Place): boolean {
  if (!shown) return true
  const otherPerson = user.id !== shown.user.id
  const same = !otherPerson && workspace.id === shown.workspace.id
  elsewhere.set(same ? undefined : { user, workspace, otherPerson })
  return same
}

/** Tells the other tabs what the session is now, or is about to be. */
export function tellSession({ user, workspace }: Place): void {
  channel.postMessage({ user: named(user), workspace: named(workspace) })
}

/** Tells them that there is none any more. */
export function tellSignedOut(): void {
  channel.postMessage(undefined)
}

channel.onmessage = ({ data }: MessageEvent<Place | undefined>) => {
  if (!shown) return
  if (!data) sessionEnded.set(true)
  else if (isHere(data)) sessionEnded.set(false)
}

const named = ({ id, name }: Named): Named => ({ id, name })
