import type { FastifyInstance } from 'fastify'
import type { Handler } from './handling.ts'
import type { House } from './house.ts'
import { pageAssets } from './pages/assets.ts'
import type { OpenApiDocument } from './pages/document.ts'
import { errorsPage } from './pages/errors.ts'
import { homePage } from './pages/home.ts'
import { notFoundPage } from './pages/missing.ts'
import { referencePage } from './pages/reference.ts'
import { send } from './send.ts'
import { sessionHere } from './session-here.ts'
import { documentHeaders, resourceHeaders } from './web/policy.ts'

/** The addresses of the pages that need no script. */
export const SITE = ['/', '/docs', '/docs/errors'] as const

/** Serves these pages, made once. Gives what answers an address among them that is none. */
export function serveSite(
  server: FastifyInstance,
  house: House,
  openapi: OpenApiDocument,
): Handler {
  const { baseUrl, landing, name } = house
  const headers = documentHeaders(baseUrl)
  const show =
    (status: number, body: string): Handler =>
    (request, reply) =>
      send(request, reply, { status, body, headers })
  // What it answers depends on the cookie.
  const home = { ...headers, 'cache-control': 'private, no-cache' }
  const text = homePage({ base_url: baseUrl, name })
  const atHome: Handler = landing
    ? (request, reply) => send(request, reply, { status: 200, body: text, headers: home })
    : to('/sign-in')
  const pages: Record<(typeof SITE)[number], Handler> = {
    '/': async (request, reply) => {
      if (await sessionHere(house, request)) return to('/start')(request, reply)
      return atHome(request, reply)
    },
    '/docs': show(200, referencePage(openapi)),
    '/docs/errors': show(200, errorsPage()),
  }
  for (const address of SITE) server.get(address, pages[address])
  for (const [name, { type, body }] of pageAssets) {
    const kept = { 'content-type': type, 'cache-control': 'public, max-age=3600' }
    server.get(`/docs/assets/${name}`, (request, reply) =>
      send(request, reply, {
        status: 200,
        body,
        headers: { ...resourceHeaders(baseUrl), ...kept },
        // A font is compressed already.
        ...(type.startsWith('font/') && { packed: {} }),
      }),
    )
  }
  return show(404, notFoundPage())
}

const to =
  (location: string): Handler =>
  (request, reply) =>
    send(request, reply, {
      status: 302,
      headers: { location, 'cache-control': 'private, no-cache' },
    })
