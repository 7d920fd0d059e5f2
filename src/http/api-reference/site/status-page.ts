import { html } from '../html/html.ts'
import { messagePage } from './message-pages.ts'

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
