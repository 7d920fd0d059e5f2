import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { House } from './house.ts'
import { PAGE_HEADERS, pageAssets } from './pages/assets.ts'
import type { OpenApiDocument } from './pages/document.ts'
import { errorsPage } from './pages/errors.ts'
import { homePage, notFoundPage } from './pages/home.ts'
import { referencePage } from './pages/reference.ts'
import { send } from './send.ts'

/** Serves the pages for people. They are made once; gives what answers an address that is none. */
export function serveSite(server: FastifyInstance, { baseUrl }: House, openapi: OpenApiDocument) {
  const pages = {
    '/': homePage({ base_url: baseUrl }),
    '/docs': referencePage(openapi),
    '/docs/errors': errorsPage(),
  }
  for (const [url, body] of Object.entries(pages)) {
    server.get(url, (request, reply) => show(request, reply, 200, body))
  }
  for (const [name, { type, body }] of pageAssets) {
    server.get(`/docs/assets/${name}`, (request, reply) =>
      send(request, reply, {
        status: 200,
        body,
        headers: { 'content-type': type, 'cache-control': 'public, max-age=3600' },
      }),
    )
  }
  const missing = notFoundPage()
  return (request: FastifyRequest, reply: FastifyReply) => show(request, reply, 404, missing)
}

const show = (request: FastifyRequest, reply: FastifyReply, status: number, body: string) =>
  send(request, reply, {
    status,
    body,
    headers: { ...PAGE_HEADERS, 'content-type': 'text/html; charset=utf-8' },
  })
