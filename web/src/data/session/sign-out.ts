import { fetchOrThrow } from '../../lib/http/fetch-or-throw.ts'
import { getPageSessionHeaders } from '../../lib/http/page-session.ts'
import { clearReplyCache } from '../../lib/http/reply-cache.ts'
import { readErrorResponse } from '../../lib/http/request-endpoint.ts'
import { deleteDatabase, localStore } from '../../lib/state/browser-storage.ts'
import { stopSavingDrafts } from '../../lib/state/drafts.ts'
import { clearMutationQueue, MUTATION_DATABASE } from '../mutations/mutation-queue.ts'
import { bootState } from './boot.ts'
import { broadcastSignOut } from './current-session.ts'

/** Ends the session, clears the browser's storage and goes to the sign-in page. */
export async function signOutAndClear(): Promise<void> {
  await endSessionAndClear()
  location.assign('/sign-in')
}

/**
 * Ends the session and clears the browser's storage. Throws if another tab has changed the session:
 * it may be another person's, whose unsent changes are in that storage.
 */
export async function endSessionAndClear(): Promise<void> {
  await closeSession()
  broadcastSignOut()
  clearMutationQueue()
  stopSavingDrafts()
  clearBrowserData()
  bootState.set(undefined)
}

/** Ends the session, and leaves what the browser stores. Throws as `endSessionAndClear` does. */
export async function closeSession(): Promise<void> {
  const response = await fetchOrThrow('/internal/session', {
    method: 'DELETE',
    headers: getPageSessionHeaders(),
  })
  if (!response.ok && response.status !== 401) throw await readErrorResponse(response)
}

/** The settings of the browser itself, which say nothing about a person. */
const BROWSER_SETTINGS = ['docket.theme', 'docket.density', 'docket.single-keys']

/** Deletes all data of the person from this browser: drafts, columns and cached replies. */
function clearBrowserData(): void {
  for (const key of localStore.keys()) {
    if (key.startsWith('docket.') && !BROWSER_SETTINGS.includes(key))
      localStore.write(key, undefined)
  }
  clearReplyCache()
  // The unsent mutations of every workspace.
  deleteDatabase(MUTATION_DATABASE)
  // A browser that refuses has no subscription.
  endPushSubscription().catch(() => undefined)
}

/** Otherwise the next person in this browser would see the notifications of the last one. */
async function endPushSubscription(): Promise<void> {
  const worker = await navigator.serviceWorker?.getRegistration()
  await (await worker?.pushManager?.getSubscription())?.unsubscribe()
}

const USER_ID_KEY = 'docket.who'

/** Whether this browser has data of another person. */
export function hasDataOfOthers(user_id: string): boolean {
  const before = localStore.read(USER_ID_KEY)
  return before !== undefined && before !== user_id
}

/** Records who has signed in, and deletes what another person has left in this browser. */
export function recordSignedInUser(user_id: string): void {
  if (hasDataOfOthers(user_id)) clearBrowserData()
  localStore.write(USER_ID_KEY, user_id)
}
