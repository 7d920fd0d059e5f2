import { hash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { Route } from '#core/route.ts'
import type { OpenApiDocument } from '../api-reference/openapi/openapi-types.ts'
import type { AppContext } from '../app-context.ts'
import { parseIfNoneMatch } from '../reply/conditional-requests.ts'
import { sendIfModified } from '../reply/send.ts'
import { createOpenApiDocument } from './openapi-document.ts'
import { shareComponents } from './shared-components.ts'

export const OPENAPI_PATH = '/api/v1/openapi.json'

/**
 * Serves the document, with an ETag that changes with it. It is created when it is first needed,
 * so that no start waits for it; returns the function that loads it for the pages.
 */
export function serveOpenApi(
  server: FastifyInstance,
  { eventSchemas, baseUrl }: AppContext,
  routes: readonly Route[],
): () => OpenApiDocument {
  const loadDocument = once(() => createOpenApiDocument(routes, eventSchemas, baseUrl))
  const loadReply = once(() => {
    const body = JSON.stringify(shareComponents(loadDocument()))
    const etag = `"${hash('sha256', body).slice(0, 16)}"`
    return { body, headers: { etag, 'cache-control': 'no-cache' } }
  })
  server.get(OPENAPI_PATH, (request, reply) => {
    const { body, headers } = loadReply()
    const knownTags = parseIfNoneMatch(request.headers['if-none-match'])
    return sendIfModified(request, reply, { status: 200, headers, body }, knownTags)
  })
  return loadDocument
}

function once<T>(load: () => T): () => T {
  let loaded: { value: T } | undefined
  return () => {
    loaded ??= { value: load() }
    return loaded.value
  }
}
