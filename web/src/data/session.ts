import { reach, refusalOf } from '../lib/call.ts'
import { boot, loadBoot } from './boot.ts'
import { stayIn, tellSwitched } from './elsewhere.ts'

/** Makes another workspace the current one of the session, in all tabs. */
export async function switchWorkspace(workspace_id: string): Promise<void> {
  const response = await reach('/internal/session', {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ workspace_id }),
  })
  if (!response.ok) throw await refusalOf(response)
  const { session } = await loadBoot()
  stayIn(session.workspace.id)
  tellSwitched(session.workspace)
}

/** Ends the session; the page that is opened next knows nothing of this one. */
export async function signOut(): Promise<void> {
  const response = await reach('/internal/session', { method: 'DELETE' })
  if (!response.ok && response.status !== 401) throw await refusalOf(response)
  boot.set(undefined)
  location.assign('/sign-in')
}
