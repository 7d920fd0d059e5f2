import { randomBytes } from 'node:crypto'
import { DEFAULT_PROJECT_VIEW, INITIAL_ROWS } from '#wire/default-project-view.ts'
import type { ViteManifest, WebAppBuild } from './web-app-build.ts'
import { SCREEN_SOURCES, type WebAppRoute } from './web-app-routes.ts'

/** Fonts of the first screen, which are preloaded; the browser loads the others on demand. */
const PRELOADED_FONTS = ['fonts/instrument-sans-var.woff2', 'fonts/spline-sans-mono-450.woff2']
const ENTRY = 'index.html'

/** The page of the web app, with the CSP nonce of one reply. */
export interface RenderedPage {
  body: string
  nonce: string
}

/** The address of a page: its path, and what follows the question mark. */
export interface PageAddress {
  path: string
  search: string
}

/**
 * Creates the renderer of index.html. It inserts the nonce that React Aria reads, and preloads
 * what the page needs before its script runs: fonts, the code of the screen, and the first data.
 */
export function createPageRenderer({
  page,
  manifest,
}: WebAppBuild): (address: PageAddress, route: WebAppRoute) => RenderedPage {
  const [head = '', rest = ''] = page.split(/(?<=<\/title>)/, 2)
  const fonts = PRELOADED_FONTS.map((source) => manifest[source]?.file)
    .filter((file) => file !== undefined)
    .map((file) => preloadLink(`as="font" type="font/woff2" href="/app/${file}"`))
  const entry = filesOf(manifest, ENTRY)
  const screens = SCREEN_SOURCES.map(([paths, source]) => {
    const files = filesOf(manifest, source).difference(entry)
    return { paths, links: [...files].map(modulePreloadLink).join('') }
  })
  return (address, route) => {
    const nonce = randomBytes(16).toString('base64')
    const meta = `\n    <meta property="csp-nonce" nonce="${nonce}">`
    const screen = screens.find(({ paths }) => paths.test(address.path))?.links ?? ''
    const data = route.preloadsBootData ? BOOT_LINK + indexLink(address) : ''
    // Vite's own links are in `rest`: those of the screen must come after them.
    const body = head + fonts.join('') + data + meta
    return { nonce, body: body + rest.replace('\n  </head>', `${screen}\n  </head>`) }
  }
}

const preloadLink = (rest: string) => `\n    <link rel="preload" ${rest} crossorigin>`
const modulePreloadLink = (file: string) =>
  `\n    <link rel="modulepreload" href="/app/${file}" crossorigin>`
/**
 * A fetch reuses a preload of the same mode and credentials; `crossorigin` gives those of fetch().
 */
const BOOT_LINK = preloadLink('as="fetch" href="/internal/boot"')

const PROJECT_PAGE = /^\/w\/[^/]+\/p\/([A-Za-z][A-Za-z0-9]{1,9})$/
const INDEX_QUERY = new URLSearchParams({ ...DEFAULT_PROJECT_VIEW, rows: String(INITIAL_ROWS) })

/** Preloads the tasks of a project at an address that names no other view. */
function indexLink({ path, search }: PageAddress): string {
  const [, prefix] = PROJECT_PAGE.exec(path) ?? []
  // An open task covers the list and does not change it.
  const isDefaultView = [...new URLSearchParams(search).keys()].every((name) => name === 'task')
  if (prefix === undefined || !isDefaultView) return ''
  const href = `/internal/projects/${prefix}/index?${INDEX_QUERY}`.replaceAll('&', '&amp;')
  return preloadLink(`as="fetch" href="${href}"`)
}

/** Returns the files of a source and of its static imports; none for an unknown source. */
function filesOf(manifest: ViteManifest, source: string, files = new Set<string>()): Set<string> {
  const chunk = manifest[source]
  if (!chunk || files.has(chunk.file)) return files
  files.add(chunk.file)
  for (const imported of chunk.imports ?? []) filesOf(manifest, imported, files)
  return files
}
