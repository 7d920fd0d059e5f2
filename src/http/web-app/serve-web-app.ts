import { randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { MaybePromise } from '#lib/maybe-promise.ts'
import { webAppNotBuiltPage } from '../api-reference/site/message-pages.ts'
import type { AppContext } from '../app-context.ts'
import type { RequestHandler } from '../pipeline/request-handler.ts'
import { parseIfNoneMatch } from '../reply/conditional-requests.ts'
import { sendIfModified, sendReply } from '../reply/send.ts'
import type { ViteManifest, WebAppAsset, WebAppBuild } from './web-app-build.ts'

/** Options of a document's security headers. */
interface DocumentOptions {
  /** Allows the style element that the app inserts; each reply has a new nonce. */
  nonce?: string
  /** `no-referrer` for pages whose address is a secret. */
  referrer?: 'same-origin' | 'no-referrer'
  /** Whether the page keeps its opener, which must notice when a sign-in popup closes. */
  opener?: boolean
}

/**
 * Headers of an HTML document: it loads nothing from other origins, runs no inline script, turns
 * no text into markup (Trusted Types), and other pages can neither frame it nor keep a reference to
 * it.
 */
export function documentHeaders({
  nonce,
  referrer = 'same-origin',
  opener = false,
}: DocumentOptions = {}): Record<string, string> {
  return {
    ...RESOURCE_HEADERS,
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': createContentSecurityPolicy(nonce),
    'referrer-policy': referrer,
    'cross-origin-opener-policy': opener ? 'unsafe-none' : 'same-origin',
    'permissions-policy': NO_PERMISSIONS,
  }
}

/** Headers of every file that a document loads, beyond those of every reply. */
export const RESOURCE_HEADERS = { 'cross-origin-resource-policy': 'same-origin' } as const

/** Headers of the service worker: its scope is the whole origin, and it connects to no other. */
const workerHeaders = {
  'service-worker-allowed': '/',
  'content-security-policy': "default-src 'none'; connect-src 'self'",
}

const createContentSecurityPolicy = (nonce: string | undefined) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    nonce === undefined ? "style-src 'self'" : `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "worker-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    // The app's policy creates the one URL of its worker (web/src/data/offline/service-worker.ts).
    nonce === undefined ? "trusted-types 'none'" : 'trusted-types docket-worker',
  ].join('; ')

const NO_PERMISSIONS = [
  'accelerometer',
  'autoplay',
  'browsing-topics',
  'camera',
  'display-capture',
  'geolocation',
  'gyroscope',
  'hid',
  'idle-detection',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'serial',
  'usb',
  'xr-spatial-tracking',
]
  .map((feature) => `${feature}=()`)
  .join(', ')

/** Options of a route of the web app. */
interface WebAppRoute extends Pick<DocumentOptions, 'referrer' | 'opener'> {
  /** Whether the page begins with GET /internal/boot, which is then preloaded. */
  preloadsBootData?: boolean
}

/**
 * The routes of the web app by path. All of them reply 200 with the same page; only the app in the
 * browser finds out whether the record in the address exists.
 */
export const WEB_APP_ROUTES: Readonly<Record<string, WebAppRoute>> = {
  '/sign-in': { opener: true },
  // The address contains the authorization response of the company's provider.
  '/sign-in/company': { referrer: 'no-referrer' },
  '/sign-up': {},
  '/setup': {},
  '/forgot': {},
  '/deleted': {},
  '/no-workspace': {},
  '/second-factor': {},
  // The address is a secret: it allows setting the password, confirming an address, or joining.
  '/reset/:token': { referrer: 'no-referrer' },
  '/confirm-email/:token': { referrer: 'no-referrer' },
  '/invite/:token': { referrer: 'no-referrer' },
  // Applications open it as a popup and need to notice when it closes.
  '/oauth/consent/:uid': { referrer: 'no-referrer', opener: true },
  '/start': { preloadsBootData: true },
  '/t/:short_id': { preloadsBootData: true },
  '/w/*': { preloadsBootData: true },
}

/** The source file of the screen at each path, so that the page can preload its code. */
const SCREEN_SOURCES: readonly [paths: RegExp, source: string][] = [
  [/^\/(sign-in|oauth\/consent\/[^/]+)$/, 'src/features/accounts/accounts.ts'],
  [/^\/(start|w\/[^/]+(\/(my|all|p\/[^/]+))?)$/, 'src/features/project-view/project-page.tsx'],
  [/^\/(w\/[^/]+\/)?t\/[^/]+$/, 'src/features/task-detail/task-detail.ts'],
]

/** Fonts of the first screen, which are preloaded; the browser loads the others on demand. */
const PRELOADED_FONTS = ['fonts/instrument-sans-var.woff2', 'fonts/spline-sans-mono-450.woff2']
const ENTRY = 'index.html'

/** The page of the web app, with the CSP nonce of one reply. */
interface RenderedPage {
  body: string
  nonce: string
}

/**
 * Creates the renderer of index.html. It inserts the nonce that React Aria reads, and preloads
 * what the page needs before its script runs: fonts, the code of the screen, and the first data.
 */
function createPageRenderer({
  page,
  manifest,
}: WebAppBuild): (path: string, route: WebAppRoute) => RenderedPage {
  const [head = '', rest = ''] = page.split(/(?<=<\/title>)/, 2)
  const fonts = PRELOADED_FONTS.map((source) => manifest[source]?.file)
    .filter((file) => file !== undefined)
    .map((file) => preloadLink(`as="font" type="font/woff2" href="/app/${file}"`))
  const entry = filesOf(manifest, ENTRY)
  const screens = SCREEN_SOURCES.map(([paths, source]) => {
    const files = filesOf(manifest, source).difference(entry)
    return { paths, links: [...files].map(modulePreloadLink).join('') }
  })
  return (path, route) => {
    const nonce = randomBytes(16).toString('base64')
    const meta = `\n    <meta property="csp-nonce" nonce="${nonce}">`
    const screen = screens.find(({ paths }) => paths.test(path))?.links ?? ''
    const data = route.preloadsBootData ? BOOT_LINK : ''
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

/** Returns the files of a source and of its static imports; none for an unknown source. */
function filesOf(manifest: ViteManifest, source: string, files = new Set<string>()): Set<string> {
  const chunk = manifest[source]
  if (!chunk || files.has(chunk.file)) return files
  files.add(chunk.file)
  for (const imported of chunk.imports ?? []) filesOf(manifest, imported, files)
  return files
}

/**
 * Serves the web app: its files under /app/, and its page at all of its routes. Returns the
 * handler of all other paths, which sends the same page with status 404.
 */
export function serveWebApp(server: FastifyInstance, context: AppContext): RequestHandler {
  server.get('/app/*', (request, reply) => {
    const path = request.raw.url?.split('?', 1)[0]?.slice('/app/'.length) ?? ''
    const asset = context.pages.webApp?.assets.get(path)
    if (asset) {
      const isWorker = path === SERVICE_WORKER_FILE
      const assetHeaders = isWorker ? { ...RESOURCE_HEADERS, ...workerHeaders } : RESOURCE_HEADERS
      return sendAsset(request, reply, asset, assetHeaders)
    }
    const headers = { ...RESOURCE_HEADERS, 'content-type': 'text/plain; charset=utf-8' }
    return sendReply(request, reply, { status: 404, body: 'There is no such file.\n', headers })
  })

  const renderPage = context.pages.webApp && createPageRenderer(context.pages.webApp)
  const showPage =
    (status: number, route: WebAppRoute): RequestHandler =>
    (request, reply) => {
      if (!renderPage) {
        const headers = documentHeaders(route)
        return sendReply(request, reply, { status: 503, body: webAppNotBuiltPage(), headers })
      }
      const [path = ''] = request.raw.url?.split('?', 1) ?? []
      const { nonce, body } = renderPage(path, route)
      // No ETag: a page that was revalidated from a cache would contain an old nonce.
      const headers = {
        ...documentHeaders({ ...route, nonce }),
        'cache-control': 'no-cache',
      }
      return sendReply(request, reply, { status, body, headers })
    }
  for (const [path, route] of Object.entries(WEB_APP_ROUTES)) server.get(path, showPage(200, route))
  return showPage(404, {})
}

const SERVICE_WORKER_FILE = 'sw.js'
const IMMUTABLE_CACHE = 'public, max-age=31536000, immutable'

function sendAsset(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, body, precompressed, immutable, etag }: WebAppAsset,
  commonHeaders: Record<string, string>,
): MaybePromise<void> {
  const headers = {
    ...commonHeaders,
    etag,
    'content-type': type,
    'cache-control': immutable ? IMMUTABLE_CACHE : 'no-cache',
  }
  const knownTags = parseIfNoneMatch(request.headers['if-none-match'])
  return sendIfModified(request, reply, { status: 200, body, precompressed, headers }, knownTags)
}
