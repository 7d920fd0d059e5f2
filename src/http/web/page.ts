import { randomBytes } from 'node:crypto'
import type { Build } from './build.ts'

/** What the first screen is set in; the others come when something asks for them. */
const FONTS = ['fonts/instrument-sans-var.woff2', 'fonts/spline-sans-mono-450.woff2']

/** A page of the web app, with the nonce of this reply in it. */
export interface Page {
  body: string
  nonce: string
}

/**
 * Gives what makes index.html for a reply: with the nonce that React Aria reads, and with what the page
 * asks for first under way before its script runs. `boots`: whether it begins with GET /internal/boot.
 */
export function pageOf({ page, manifest }: Build): (boots: boolean) => Page {
  const [head = '', rest = ''] = page.split(/(?<=<\/title>)/, 2)
  const fonts = FONTS.map((source) => manifest[source]?.file)
    .filter((file) => file !== undefined)
    .map(
      (file) =>
        `\n    <link rel="preload" as="font" type="font/woff2" href="/app/${file}" crossorigin>`,
    )
  const before = `${head}${fonts.join('')}`
  // Taken over by a fetch of the same mode and credentials; `crossorigin` alone is that of fetch().
  const boot = '\n    <link rel="preload" as="fetch" href="/internal/boot" crossorigin>'
  return (boots) => {
    const nonce = randomBytes(16).toString('base64')
    const meta = `\n    <meta property="csp-nonce" nonce="${nonce}">`
    return { nonce, body: `${before}${boots ? boot : ''}${meta}${rest}` }
  }
}
