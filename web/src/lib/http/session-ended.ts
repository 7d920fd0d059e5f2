import { atom } from '../state/atom.ts'

/** Whether the session has ended while the page is open. A sign-in form covers it; drafts stay. */
export const hasSessionEnded = atom(false)

/** Called when the server no longer accepts the session; shows the sign-in form over the page. */
export const markSessionEnded = (): void => hasSessionEnded.set(true)
