import { hash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { Route } from '#core/route.ts'
import { nextTurn } from '#lib/turns.ts'
import type { AppContext } from '../app-context.ts'
import { parseIfNoneMatch } from '../reply/conditional-requests.ts'
import { shareBody } from '../reply/content-coding.ts'
import { sendIfModified, sendReply } from '../reply/send.ts'
import { listCalls, type OpenApiDocument } from './document-types.ts'
import { createOpenApiDocument, shareComponents } from './openapi-document.ts'

export const OPENAPI_PATH = '/api/v1/openapi.json'
export const API_INDEX_PATH = '/api/v1'

/**
 * Serves the document, with an ETag that changes with it. It is created when it is first needed,
 * so that no start waits for it; returns the function that loads it for the pages.
 */
export function serveOpenApi(
  server: FastifyInstance,
  { pages, baseUrl }: AppContext,
  routes: readonly Route[],
): () => Promise<OpenApiDocument> {
  const loadDocument = once(async () => {
    const document = createOpenApiDocument(routes, pages.eventSchemas, baseUrl)
    // Whatever is made of it takes as long again.
    await nextTurn()
    return document
  })
  const loadReply = once(async () => {
    const body = JSON.stringify(shareComponents(await loadDocument()))
    const etag = `"${hash('sha256', body).slice(0, 16)}"`
    const headers = { etag, 'cache-control': 'no-cache' }
    return { ...shareBody(body), headers }
  })
  server.get(OPENAPI_PATH, async (request, reply) => {
    const knownTags = parseIfNoneMatch(request.headers['if-none-match'])
    return sendIfModified(request, reply, { status: 200, ...(await loadReply()) }, knownTags)
  })
  const loadIndex = once(async () =>
    shareBody(JSON.stringify(createIndex(await loadDocument(), baseUrl))),
  )
  server.get(API_INDEX_PATH, async (request, reply) =>
    sendReply(request, reply, { status: 200, ...(await loadIndex()) }),
  )
  return loadDocument
}

/** What there is below `/api/v1`, for somebody who tries the address (docs/spec/api.md#addresses-and-methods). */
function createIndex(openapi: OpenApiDocument, baseUrl: string) {
  return {
    version: openapi.info.version,
    docs_url: `${baseUrl}/docs`,
    openapi_url: baseUrl + OPENAPI_PATH,
    llms_url: `${baseUrl}/llms.txt`,
    endpoints: listCalls(openapi).map(({ method, path, operation: { summary } }) => ({
      method: method.toUpperCase(),
      path,
      summary,
    })),
  }
}

function once<T>(load: () => T): () => T {
  let loaded: { value: T } | undefined
  return () => {
    loaded ??= { value: load() }
    return loaded.value
  }
}
