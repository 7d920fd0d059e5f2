import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { EmptyServerFixture } from '../browser-test.ts'

/** A server of another party on this machine. */
interface ForeignSite {
  origin: string
  /** The received requests, in order. */
  requests: { url: URL }[]
}

/** Handles a request of a foreign site. */
type ForeignSiteHandler = (url: URL, request: IncomingMessage, reply: ServerResponse) => unknown

/**
 * Starts a server that runs until the tests of the file end. For browsers, another port of
 * 127.0.0.1 is another origin of the same site, and `localhost` is another site.
 */
export async function startForeignSite(
  { allow }: Pick<EmptyServerFixture, 'allow'>,
  answer: ForeignSiteHandler = (url, _, reply) => sendPage(reply, `Elsewhere ${url.pathname}`),
  host: '127.0.0.1' | 'localhost' = '127.0.0.1',
): Promise<ForeignSite> {
  const requests: ForeignSite['requests'] = []
  const server = createServer(async (request, reply) => {
    const url = new URL(request.url ?? '/', origin)
    if (url.pathname === '/favicon.ico') return void reply.writeHead(204).end()
    requests.push({ url })
    try {
      await answer(url, request, reply)
    } catch (error) {
      sendPage(reply, `Failed: ${error}`, 500)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // It must not keep the process alive after the last test, also if one failed.
  server.unref().on('connection', (socket) => socket.unref())
  const origin = `http://${host}:${(server.address() as AddressInfo).port}`
  allow(new RegExp(`^foreign request: ${origin}/`))
  return { origin, requests }
}

/** Responds with a page that has one heading. */
export function sendPage(reply: ServerResponse, text: string, status = 200): void {
  const escaped = text.replace(/[&<]/g, (one) => `&#${one.charCodeAt(0)};`)
  reply.writeHead(status, { 'content-type': 'text/html; charset=utf-8' })
  reply.end(`<!doctype html><html lang="en"><title>App</title><h1>${escaped}</h1></html>`)
}
