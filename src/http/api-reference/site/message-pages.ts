import { DOCKET_BRAND, type Html, html, pageShell } from '../html/html.ts'

/** The page of unknown paths below /docs; sent with status 404. */
export const notFoundPage = (): string =>
  messagePage({
    number: 404,
    heading: 'There is nothing here.',
    text: html`The address may be misspelt, or what it named has gone. The API itself is under <code>/api/v1</code>.`,
  })

/** The page in place of the web app until it is built; sent with status 503. */
export const webAppNotBuiltPage = (): string =>
  messagePage({
    number: 503,
    heading: 'The web app is not built.',
    text: html`<code>npm start</code> builds it before it serves. The API works without it.`,
  })

/**
 * The page for an invalid authorization request. Sent instead of a redirect if it is not certain
 * that the redirect URI belongs to the application.
 */
export const authorizationFailedPage = (reason: string): string =>
  messagePage({
    number: 400,
    heading: 'This request cannot go on.',
    text: html`The application sent you here with a request that Docket does not take${
      reason === '' ? '.' : html`: <code>${reason}</code>.`
    } Nothing was allowed. Go back to the application and start again; if it happens once more, tell those who make it.`,
  })

interface MessagePageContent {
  /** The status, if it helps the reader. */
  number?: number
  heading: string
  text: Html
  /** Buttons; links to the start page and the reference by default. */
  acts?: Html
}

const DEFAULT_LINKS = html`<a class="btn primary" href="/">To the start page</a><a class="btn" href="/docs">Read the docs</a>`

/** A page with a single message. */
export function messagePage({
  number,
  heading,
  text,
  acts = DEFAULT_LINKS,
}: MessagePageContent): string {
  return pageShell({
    title: `${heading.replace(/[.?]$/, '')} – Docket`,
    kind: 'land',
    main: 'Skip to the content',
    body: html`
<div class="paper">
<header>${DOCKET_BRAND}<nav aria-label="Main"><a href="/docs">Docs</a></nav></header>
<main id="main" tabindex="-1">
<div class="hero"><div class="gut big">${number}</div><div><h1>${heading}</h1><p>${text}</p>
<div class="acts">${acts}</div></div></div>
</main>
</div>`,
  })
}

/** The page at `/status`: in words what `/readyz` replies to programs. */
export const statusPage = (status: {
  isServing: boolean
  isDatabaseReady: boolean
  version: string
}): string =>
  messagePage({
    heading: status.isServing ? 'Docket is ready.' : 'Docket is not ready.',
    text: html`${explain(status)} It runs version ${status.version}. Programs can read the same at <code>/readyz</code>.`,
  })

function explain({ isServing, isDatabaseReady }: { isServing: boolean; isDatabaseReady: boolean }) {
  if (isServing) return 'The server takes requests and its database answers.'
  if (!isDatabaseReady) return 'The server runs, but its database does not answer.'
  return 'The server is starting or shutting down. Try again in a moment.'
}
