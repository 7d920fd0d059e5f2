import { type Html, html } from './html.ts'
import { brand, shell } from './shell.ts'

/** The page of every path below /docs that leads nowhere; sent with status 404. */
export const notFoundPage = (): string =>
  plainPage({
    number: 404,
    heading: 'There is nothing here.',
    text: html`The address may be misspelt, or what it named has gone. The API itself is under <code>/api/v1</code>.`,
  })

/** What stands in place of the web app until it is built; sent with status 503. */
export const unbuiltPage = (): string =>
  plainPage({
    number: 503,
    heading: 'The web app is not built.',
    text: html`<code>npm start</code> builds it before it serves. The API works without it.`,
  })

/**
 * Says why an application cannot be answered; sent in place of a redirect wherever it is not known
 * that the address is the application's own.
 */
export const authorizationFailedPage = (reason: string): string =>
  plainPage({
    number: 400,
    heading: 'This request cannot go on.',
    text: html`The application sent you here with a request that Docket does not take${
      reason === '' ? '.' : html`: <code>${reason}</code>.`
    } Nothing was allowed. Go back to the application and start again; if it happens once more, tell those who make it.`,
  })

interface Plain {
  /** The status, where that says something. */
  number?: number
  heading: string
  text: Html
  /** What can be done; ways to other pages if not said. */
  acts?: Html
}

const ELSEWHERE = html`<a class="btn primary" href="/">To the start page</a><a class="btn" href="/docs">Read the API reference</a>`

/** A page that says one thing. */
export function plainPage({ number, heading, text, acts = ELSEWHERE }: Plain): string {
  return shell({
    title: `${heading.replace(/[.?]$/, '')} – Docket`,
    kind: 'land',
    main: 'Skip to the content',
    body: html`
<div class="paper">
<header>${brand}<nav aria-label="Main"><a href="/docs">API reference</a></nav></header>
<main id="main" tabindex="-1">
<div class="hero"><div class="gut big">${number}</div><div><h1>${heading}</h1><p>${text}</p>
<div class="acts">${acts}</div></div></div>
</main>
</div>`,
  })
}
