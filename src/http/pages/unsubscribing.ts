import { html } from './html.ts'
import { plainPage } from './missing.ts'

/** Asks before mails are ended. The form goes to the page's own address. */
export const unsubscribePage = (): string =>
  plainPage({
    heading: 'No more mails?',
    text: html`What you are told in the inbox of the workspace stays, and in your profile you can have mails again.`,
    acts: html`<form method="post"><button class="btn primary">No more mails of this workspace</button></form>`,
  })

/** Says that there will be no more; again if it is asked again. */
export const unsubscribedPage = (): string =>
  plainPage({
    heading: 'There will be no more mails.',
    text: html`This workspace sends you none about notifications from now on. In your profile you can have them again.`,
  })

/** For an address that ends nothing; sent with status 404. */
export const wrongUnsubscribePage = (): string =>
  plainPage({
    number: 404,
    heading: 'This address ends no mails.',
    text: html`It may have been cut off in your mail program, or you have left the workspace. Under Profile you can choose what you are told.`,
  })
