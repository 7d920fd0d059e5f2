import { hash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { BUILD_INFO } from '#db/installation/build-info.ts'
import { pageAssets } from '../api-reference/assets/page-assets.ts'
import { GUIDES, guidePath } from '../api-reference/guides/guide-files.ts'
import { homePage } from '../api-reference/site/home-page.ts'
import { notFoundPage, statusPage } from '../api-reference/site/message-pages.ts'
import type { AppContext } from '../app-context.ts'
import type { OpenApiDocument } from '../openapi/document-types.ts'
import type { RequestHandler } from '../pipeline/request-handler.ts'
import { parseIfNoneMatch } from '../reply/conditional-requests.ts'
import { type SharedBody, shareBody } from '../reply/content-coding.ts'
import { sendIfModified, sendReply } from '../reply/send.ts'
import { findSessionId } from '../request/request-origin.ts'
import { documentHeaders, RESOURCE_HEADERS } from '../web-app/serve-web-app.ts'
import type { Readiness } from './health.ts'

const PAGE_PATHS: readonly string[] = [
  '/docs',
  '/docs/errors',
  ...GUIDES.map(({ slug }) => guidePath(slug)),
]
/** Docs as Markdown and JSON, for programs, and the page of an operation, also with `.md`. */
const OTHER_DOCS_PATHS: readonly string[] = [
  '/llms.txt',
  '/docs/errors.md',
  '/docs/search.json',
  ...GUIDES.map(({ slug }) => `${guidePath(slug)}.md`),
  '/docs/operations/:operation',
]

/** Where addresses lead that people type or shorten: the list of all guides is on the page /docs. */
const DOCS_REDIRECTS: ReadonlyMap<string, string> = new Map([
  ...['/docs/guides', '/docs/guides/'].map((path) => [path, '/docs'] as const),
  ...PAGE_PATHS.map((path) => [`${path}/`, path] as const),
])

/** Paths of the server-rendered pages, and those that redirect to them. */
export const SITE_PATHS: readonly string[] = [
  '/',
  '/status',
  ...PAGE_PATHS,
  ...OTHER_DOCS_PATHS,
  ...DOCS_REDIRECTS.keys(),
]

interface SiteDeps {
  /** Loads the OpenAPI document, in a turn of the event loop of its own when it is created. */
  loadOpenApi: () => Promise<OpenApiDocument>
  checkReadiness: () => Promise<Readiness>
}

/** Serves these pages. Returns the handler that replies 404 below /docs. */
export function serveSite(
  server: FastifyInstance,
  context: AppContext,
  { loadOpenApi, checkReadiness }: SiteDeps,
): RequestHandler {
  const { baseUrl } = context
  const headers = documentHeaders()
  const privateHeaders = { ...headers, 'cache-control': 'private, no-cache' }

  const missing = shareBody(notFoundPage())
  const replyMissing: RequestHandler = (request, reply) =>
    sendReply(request, reply, { status: 404, ...missing, headers })
  const landingPage = shareBody(homePage(baseUrl))
  server.get('/', async (request, reply) => {
    if (await findSessionId(context, request)) return redirectTo('/start')(request, reply)
    // The reply depends on the cookie, so no shared cache may store it.
    return sendReply(request, reply, { status: 200, ...landingPage, headers: privateHeaders })
  })
  server.get('/status', async (request, reply) => {
    const readiness = await checkReadiness()
    const body = statusPage({ ...readiness, version: BUILD_INFO.version })
    const status = readiness.isServing ? 200 : 503
    return sendReply(request, reply, { status, body, headers: privateHeaders })
  })

  for (const [path, target] of DOCS_REDIRECTS) server.get(path, redirectTo(target))
  /** Each page is rendered at its first request: no start has to wait for it. */
  const pages = new Map<string, TaggedPage>()
  const loadPage = async (path: string): Promise<TaggedPage | undefined> => {
    const { renderDocsPage } = await import('../api-reference/docs-pages.ts')
    const body = await renderDocsPage(path, await loadOpenApi(), baseUrl)
    if (body === undefined) return undefined
    const etag = `"${hash('sha256', body).slice(0, 22)}"`
    const page = { ...shareBody(body), headers: { ...headersOf(path), etag } }
    pages.set(path, page)
    return page
  }
  const sendDocs: RequestHandler = async (request, reply) => {
    const path = request.raw.url?.split('?', 1)[0] ?? ''
    const page = pages.get(path) ?? (await loadPage(path))
    if (!page) return replyMissing(request, reply)
    const knownTags = parseIfNoneMatch(request.headers['if-none-match'])
    return sendIfModified(request, reply, { status: 200, ...page }, knownTags)
  }
  for (const path of [...PAGE_PATHS, ...OTHER_DOCS_PATHS]) server.get(path, sendDocs)

  for (const [file, { type, body }] of pageAssets) {
    const assetHeaders = { 'content-type': type, 'cache-control': 'public, max-age=3600' }
    // Fonts are compressed already.
    const shared = typeof body === 'string' ? shareBody(body) : { body, precompressed: {} }
    server.get(`/docs/assets/${file}`, (request, reply) =>
      sendReply(request, reply, {
        status: 200,
        ...shared,
        headers: { ...RESOURCE_HEADERS, ...assetHeaders },
      }),
    )
  }
  return replyMissing
}

interface TaggedPage extends SharedBody {
  headers: Record<string, string> & { etag: string }
}

function headersOf(path: string): Record<string, string> {
  if (!/\.(md|json|txt)$/.test(path)) return { ...documentHeaders(), 'cache-control': 'no-cache' }
  const type = path.endsWith('.json') ? 'application/json' : 'text/markdown'
  return {
    ...RESOURCE_HEADERS,
    'content-type': `${type}; charset=utf-8`,
    'cache-control': 'no-cache',
  }
}

const redirectTo =
  (location: string): RequestHandler =>
  (request, reply) =>
    sendReply(request, reply, {
      status: 302,
      headers: { location, 'cache-control': 'private, no-cache' },
    })
