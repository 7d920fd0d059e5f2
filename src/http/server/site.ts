import { hash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { BUILD_INFO } from '#db/installation/build-info.ts'
import { giveWay, nextTurn } from '#lib/turns.ts'
import { pageAssets } from '../api-reference/assets/page-assets.ts'
import { errorsPage } from '../api-reference/errors/errors-page.ts'
import { GUIDES, guidePath } from '../api-reference/guides/guide-files.ts'
import type { GuideContent } from '../api-reference/guides/guides.ts'
import type { OpenApiDocument } from '../api-reference/openapi/operations.ts'
import { homePage } from '../api-reference/site/home-page.ts'
import { notFoundPage, statusPage } from '../api-reference/site/message-pages.ts'
import type { AppContext } from '../app-context.ts'
import type { RequestHandler } from '../pipeline/request-handler.ts'
import { parseIfNoneMatch } from '../reply/conditional-requests.ts'
import { type SharedBody, shareBody } from '../reply/content-coding.ts'
import { sendIfModified, sendReply } from '../reply/send.ts'
import { findSessionId } from '../request/request-origin.ts'
import { documentHeaders, RESOURCE_HEADERS } from '../web-app/serve-web-app.ts'
import type { Readiness } from './health.ts'

const SEARCH_INDEX_PATH = '/docs/search.json'

const DOCS_PATHS: readonly string[] = [
  '/docs',
  '/docs/errors',
  ...GUIDES.map(({ slug }) => guidePath(slug)),
]
/** Docs for readers without a browser (src/http/api-reference/markdown-pages.ts). */
const MARKDOWN_PATHS: readonly string[] = [
  '/llms.txt',
  '/docs/errors.md',
  ...GUIDES.map(({ slug }) => `${guidePath(slug)}.md`),
]
/** The page of an operation, or with `.md` its Markdown. */
const OPERATION_PATH = '/docs/operations/:operation'

/** Where addresses lead that people type or shorten: the list of all guides is on the page /docs. */
const DOCS_REDIRECTS: ReadonlyMap<string, string> = new Map([
  ...['/docs/guides', '/docs/guides/'].map((path) => [path, '/docs'] as const),
  ...DOCS_PATHS.map((path) => [`${path}/`, path] as const),
])

/** Paths of the server-rendered pages, and those that redirect to them. */
export const SITE_PATHS: readonly string[] = [
  '/',
  '/status',
  SEARCH_INDEX_PATH,
  ...DOCS_PATHS,
  ...MARKDOWN_PATHS,
  OPERATION_PATH,
  ...DOCS_REDIRECTS.keys(),
]

/** Loads the OpenAPI document, in a turn of the event loop of its own when it is created. */
type OpenApiLoader = () => Promise<OpenApiDocument>

interface SiteDeps {
  loadOpenApi: OpenApiLoader
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
  const loadReference = createReferenceLoader(loadOpenApi)
  server.get('/docs', sendTagged(headers, loadReference))
  let errors: TaggedPage | undefined
  server.get(
    '/docs/errors',
    sendTagged(headers, () => {
      errors ??= taggedPage(errorsPage())
      return errors
    }),
  )
  const loadGuides = createGuideLoader(baseUrl, loadOpenApi)
  for (const { slug } of GUIDES) {
    const path = guidePath(slug)
    server.get(
      path,
      sendTagged(headers, async () => (await loadGuides()).get(path)),
    )
  }
  const indexHeaders = {
    ...RESOURCE_HEADERS,
    'content-type': 'application/json; charset=utf-8',
  }
  server.get(
    SEARCH_INDEX_PATH,
    sendTagged(indexHeaders, async () => (await loadGuides()).get(SEARCH_INDEX_PATH)),
  )

  const loadTexts = createTextLoader(baseUrl, loadOpenApi)
  const textHeaders = { ...RESOURCE_HEADERS, 'content-type': 'text/markdown; charset=utf-8' }
  for (const path of MARKDOWN_PATHS)
    server.get(
      path,
      sendTagged(textHeaders, async () => (await loadTexts()).get(path)),
    )
  const replyMissing: RequestHandler = (request, reply) =>
    sendReply(request, reply, { status: 404, ...missing, headers })
  server.get(OPERATION_PATH, async (request, reply) => {
    const path = request.raw.url?.split('?', 1)[0] ?? ''
    const page = (await loadTexts()).get(path)
    if (!page) return replyMissing(request, reply)
    return sendTagged(path.endsWith('.md') ? textHeaders : headers, () => page)(request, reply)
  })

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
  /** In quotes. */
  etag: string
}

const taggedPage = (body: string): TaggedPage => ({
  ...shareBody(body),
  etag: `"${hash('sha256', body).slice(0, 22)}"`,
})

/** Renders the reference once, at its first request: no start has to wait 50 ms for it. */
function createReferenceLoader(loadOpenApi: OpenApiLoader) {
  let page: Promise<TaggedPage> | undefined
  return () => {
    page ??= renderReference(loadOpenApi)
    return page
  }
}

async function renderReference(loadOpenApi: OpenApiLoader): Promise<TaggedPage> {
  const { referencePage } = await import('../api-reference/reference/reference-page.ts')
  return taggedPage(referencePage(await loadOpenApi()))
}

/**
 * Renders the guides and their search index once, at the first request of one: the Markdown parser
 * need not be loaded by a server whose docs nobody reads.
 */
function createGuideLoader(baseUrl: string, loadOpenApi: OpenApiLoader) {
  let pages: Promise<ReadonlyMap<string, TaggedPage>> | undefined
  return () => {
    pages ??= renderGuides(baseUrl, loadOpenApi)
    return pages
  }
}

async function renderGuides(baseUrl: string, loadOpenApi: OpenApiLoader) {
  const openapi = await loadOpenApi()
  const [{ renderGuide }, { guidePage }, { createSearchIndex }] = await Promise.all([
    import('../api-reference/guides/guides.ts'),
    import('../api-reference/guides/guides.ts'),
    import('../api-reference/guides/search-index.ts'),
  ])
  const pages = new Map<string, TaggedPage>()
  const guides: GuideContent[] = []
  for (const file of GUIDES) {
    await giveWay()
    const guide = renderGuide(file, baseUrl)
    guides.push(guide)
    pages.set(guidePath(guide.slug), taggedPage(guidePage(guide)))
  }
  await nextTurn()
  pages.set(SEARCH_INDEX_PATH, taggedPage(JSON.stringify(createSearchIndex(guides, openapi))))
  return pages
}

/**
 * Renders the pages of single operations and all docs as Markdown once, at the first request of one.
 */
function createTextLoader(baseUrl: string, loadOpenApi: OpenApiLoader) {
  let pages: Promise<ReadonlyMap<string, TaggedPage>> | undefined
  return () => {
    pages ??= renderTexts(baseUrl, loadOpenApi)
    return pages
  }
}

async function renderTexts(baseUrl: string, loadOpenApi: OpenApiLoader) {
  const openapi = await loadOpenApi()
  const [
    markdown,
    { operationPage, operationPath },
    { createReferenceContext },
    { listOperations },
  ] = await Promise.all([
    import('../api-reference/markdown-pages.ts'),
    import('../api-reference/reference/reference-page.ts'),
    import('../api-reference/openapi/reference-context.ts'),
    import('../api-reference/openapi/operations.ts'),
  ])
  const context = createReferenceContext(openapi)
  const renderers: [path: string, render: () => string][] = [
    ['/llms.txt', () => markdown.llmsText(openapi, baseUrl)],
    ['/docs/errors.md', () => markdown.errorsMarkdown()],
    ...GUIDES.map((guide): [string, () => string] => [
      `${guidePath(guide.slug)}.md`,
      () => markdown.guideMarkdown(guide, baseUrl),
    ]),
    ...listOperations(openapi).flatMap((call): [string, () => string][] => [
      [operationPath(call), () => operationPage(openapi, call)],
      [`${operationPath(call)}.md`, () => markdown.operationMarkdown(context, call)],
    ]),
  ]
  const pages = new Map<string, TaggedPage>()
  for (const [path, render] of renderers) {
    await giveWay()
    pages.set(path, taggedPage(render()))
  }
  return pages
}

/** Sends a page, or 304 if the client has it. */
const sendTagged =
  (
    headers: Record<string, string>,
    load: () => TaggedPage | undefined | Promise<TaggedPage | undefined>,
  ): RequestHandler =>
  async (request, reply) => {
    const page = await load()
    if (!page) throw new Error(`No page was rendered for ${request.raw.url}`)
    const { etag, ...fixed } = page
    const tagged = { ...headers, etag, 'cache-control': 'no-cache' }
    const knownTags = parseIfNoneMatch(request.headers['if-none-match'])
    return sendIfModified(request, reply, { status: 200, ...fixed, headers: tagged }, knownTags)
  }

const redirectTo =
  (location: string): RequestHandler =>
  (request, reply) =>
    sendReply(request, reply, {
      status: 302,
      headers: { location, 'cache-control': 'private, no-cache' },
    })
