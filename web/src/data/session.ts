import { refusalOf } from '../lib/call.ts'
import { clearDrafts } from '../lib/drafts.ts'
import { forgetReplies } from '../lib/kept-replies.ts'
import { reach } from '../lib/reach.ts'
import { boot, loadBoot } from './boot.ts'
import { tellSession, tellSignedOut } from './elsewhere.ts'
import { forgetWaiting } from './queue.ts'

/**
 * Makes another workspace the current one of the session. The other tabs hear of it before, so that nothing of
 * theirs goes to the wrong one. Throws Problem where the person is no member.
 */
export async function switchWorkspace(workspace_id: string): Promise<void> {
  const before = boot.get()?.session
  const target = before?.workspaces.find(({ id }) => id === workspace_id)
  if (before && target) tellSession({ user: before.user, workspace: target })
  const response = await reach('/internal/session', {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ workspace_id }),
  })
  if (!response.ok) {
    if (before) tellSession(before)
    throw await refusalOf(response)
  }
  tellSession((await loadBoot()).session)
}

/** Ends the session; the page that is opened next knows nothing of this one, nor does the browser's storage. */
export async function signOut(): Promise<void> {
  const response = await reach('/internal/session', { method: 'DELETE' })
  if (!response.ok && response.status !== 401) throw await refusalOf(response)
  tellSignedOut()
  forgetWaiting()
  clearDrafts()
  forgetBrowser()
  boot.set(undefined)
  location.assign('/sign-in')
}

/** Nothing of the person stays in this browser: drafts, columns, theme, what was read. */
export function forgetBrowser(): void {
  for (const key of Object.keys(localStorage)) {
    if (key.startsWith('docket.')) localStorage.removeItem(key)
  }
  forgetReplies()
}

const WHO = 'docket.who'

/** Who has signed in: what somebody else left in this browser is forgotten. */
export function noteWho(user_id: string): void {
  const before = localStorage.getItem(WHO)
  if (before !== null && before !== user_id) forgetBrowser()
  localStorage.setItem(WHO, user_id)
}
