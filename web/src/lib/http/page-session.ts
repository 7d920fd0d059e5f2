import { PAGE_SESSION_HEADER } from '#wire/page-session-header.ts'
import type { ProblemBody } from './problem.ts'
import { sessionPause } from './request-pause.ts'

let headers: Record<string, string> = {}

/** Binds all further requests to a person and workspace; the server refuses them in other sessions. */
export function bindRequests(user_id: string, workspace_id: string): void {
  headers = { [PAGE_SESSION_HEADER]: `${user_id}/${workspace_id}` }
}

/** The headers of a request that belongs to the page's person and workspace. */
export const getPageSessionHeaders = (): Record<string, string> => headers

/**
 * Whether a request was refused because the browser's session is not the page's. Then the page
 * pauses, and data/session finds out whose session it is.
 */
export function pauseIfSessionChanged({ code }: Pick<ProblemBody, 'code'>): boolean {
  if (code !== 'session_changed') return false
  sessionPause.set(true)
  return true
}

/** Asks the person for the password; resolves to whether the session is confirmed. */
export let askForConfirmation: () => Promise<boolean> = async () => false

/** Sets what asks the person, which belongs to no request. */
export const setSessionConfirmation = (ask: typeof askForConfirmation): void => {
  askForConfirmation = ask
}
