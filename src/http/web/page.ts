import { randomBytes } from 'node:crypto'
import { type Address, SCREENS } from './addresses.ts'
import type { Build, Manifest } from './build.ts'

/** What the first screen is set in; the others come when something asks for them. */
const FONTS = ['fonts/instrument-sans-var.woff2', 'fonts/spline-sans-mono-450.woff2']
const ENTRY = 'index.html'

/** A page of the web app, with the nonce of this reply in it. */
export interface Page {
  body: string
  nonce: string
}

/**
 * Gives what makes index.html for a reply: with the nonce that React Aria reads, and with what the page
 * asks for first under way before its script runs: fonts, the screen of the address, and the first data.
 */
export function pageOf({ page, manifest }: Build): (path: string, address: Address) => Page {
  const [head = '', rest = ''] = page.split(/(?<=<\/title>)/, 2)
  const fonts = FONTS.map((source) => manifest[source]?.file)
    .filter((file) => file !== undefined)
    .map((file) => link(`as="font" type="font/woff2" href="/app/${file}"`))
  const entry = filesOf(manifest, ENTRY)
  const screens = SCREENS.map(([addresses, source]) => {
    const own = filesOf(manifest, source).difference(entry)
    return { addresses, links: [...own].map(module).join('') }
  })
  return (path, { boots = false }) => {
    const nonce = randomBytes(16).toString('base64')
    const meta = `\n    <meta property="csp-nonce" nonce="${nonce}">`
    const screen = screens.find(({ addresses }) => addresses.test(path))?.links ?? ''
    // Vite's own links stand in the rest: what the screen adds comes after all of them.
    const body = head + fonts.join('') + (boots ? BOOT : '') + meta
    return { nonce, body: body + rest.replace('\n  </head>', `${screen}\n  </head>`) }
  }
}

const link = (rest: string) => `\n    <link rel="preload" ${rest} crossorigin>`
const module = (file: string) => `\n    <link rel="modulepreload" href="/app/${file}" crossorigin>`
/** Taken over by a fetch of the same mode and credentials; `crossorigin` alone is that of fetch(). */
const BOOT = link('as="fetch" href="/internal/boot"')

/** The files of a source and of all that it imports before it runs; none of an unknown one. */
function filesOf(manifest: Manifest, source: string, known = new Set<string>()): Set<string> {
  const chunk = manifest[source]
  if (!chunk || known.has(chunk.file)) return known
  known.add(chunk.file)
  for (const one of chunk.imports ?? []) filesOf(manifest, one, known)
  return known
}
