import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { MaybePromise } from '#lib/maybe-promise.ts'
import { webAppNotBuiltPage } from '../api-reference/site/message-pages.ts'
import type { AppContext } from '../app-context.ts'
import type { RequestHandler } from '../pipeline/request-handler.ts'
import { parseIfNoneMatch } from '../reply/conditional-requests.ts'
import { sendIfModified, sendReply } from '../reply/send.ts'
import { documentHeaders, RESOURCE_HEADERS, workerHeaders } from './document-headers.ts'
import { createPageRenderer } from './page-renderer.ts'
import type { WebAppAsset } from './web-app-build.ts'
import { WEB_APP_ROUTES, type WebAppRoute } from './web-app-routes.ts'

/**
 * Serves the web app: its files under /app/, and its page at all of its routes. Returns the
 * handler of all other paths, which sends the same page with status 404.
 */
export function serveWebApp(server: FastifyInstance, context: AppContext): RequestHandler {
  server.get('/app/*', (request, reply) => {
    const path = request.raw.url?.split('?', 1)[0]?.slice('/app/'.length) ?? ''
    const asset = context.webApp?.assets.get(path)
    if (asset) {
      const isWorker = path === SERVICE_WORKER_FILE
      const assetHeaders = isWorker ? { ...RESOURCE_HEADERS, ...workerHeaders } : RESOURCE_HEADERS
      return sendAsset(request, reply, asset, assetHeaders)
    }
    const headers = { ...RESOURCE_HEADERS, 'content-type': 'text/plain; charset=utf-8' }
    return sendReply(request, reply, { status: 404, body: 'There is no such file.\n', headers })
  })

  const renderPage = context.webApp && createPageRenderer(context.webApp)
  const showPage =
    (status: number, route: WebAppRoute): RequestHandler =>
    (request, reply) => {
      if (!renderPage) {
        const headers = documentHeaders(route)
        return sendReply(request, reply, { status: 503, body: webAppNotBuiltPage(), headers })
      }
      const [path = '', search = ''] = request.raw.url?.split(/\?(.*)/s, 2) ?? []
      const { nonce, body } = renderPage({ path, search }, route)
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
