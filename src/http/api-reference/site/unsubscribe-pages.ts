import { html } from '../html/html.ts'
import { messagePage } from './message-pages.ts'

/** Asks for confirmation before unsubscribing. The form posts to the URL of the page. */
export const unsubscribePage = (): string =>
  messagePage({
    heading: 'No more mails?',
    text: html`What you are told in the inbox of the workspace stays, and in your profile you can have mails again.`,
    acts: html`<form method="post"><button class="btn primary">No more mails of this workspace</button></form>`,
  })

/** Confirms the unsubscription, also if it is repeated. */
export const unsubscribedPage = (): string =>
  messagePage({
    heading: 'There will be no more mails.',
    text: html`This workspace sends you none about notifications from now on. In your profile you can have them again.`,
  })

/** The page for an invalid unsubscribe link; sent with status 404. */
export const invalidUnsubscribePage = (): string =>
  messagePage({
    number: 404,
    heading: 'This address ends no mails.',
    text: html`It may have been cut off in your mail program, or you have left the workspace. Under Profile you can choose what you are told.`,
  })
