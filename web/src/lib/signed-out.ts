import { signal } from './signal.ts'

/** Whether the session has ended while a page is open: the form opens over it and drafts stay. */
export const sessionEnded = signal(false)

/** The server knows the session no more: the form to sign in again comes over the page. */
export const signedOut = (): void => sessionEnded.set(true)
