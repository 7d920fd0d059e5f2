import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Bare } from './browse.ts'

/** A request as it came. */
export interface Came {
  url: URL
  method: string
  referer: string | undefined
}

/** A server of somebody else on this computer. */
export interface Elsewhere {
  origin: string
  /** What it was asked for, in order. */
  came: Came[]
}

/** What it answers. */
export type Answer = (url: URL, request: IncomingMessage, reply: ServerResponse) => unknown

/**
 * Listens as long as the tests of the file run. The name decides how near it is to the browser's
 * eye: another port of the same name counts as the same site, `localhost` as another one.
 */
export async function elsewhere(
  { allow }: Pick<Bare, 'allow'>,
  answer: Answer = (url, _, reply) => page(reply, `Elsewhere ${url.pathname}`),
  name: '127.0.0.1' | 'localhost' = '127.0.0.1',
): Promise<Elsewhere> {
  const came: Came[] = []
  const server = createServer(async (request, reply) => {
    const url = new URL(request.url ?? '/', origin)
    if (url.pathname === '/favicon.ico') return void reply.writeHead(204).end()
    came.push({ url, method: request.method ?? '', referer: request.headers.referer })
    try {
      await answer(url, request, reply)
    } catch (error) {
      page(reply, `Failed: ${error}`, 500)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // It holds up nobody: also where a test has failed, the file ends with its last test.
  server.unref().on('connection', (socket) => socket.unref())
  const origin = `http://${name}:${(server.address() as AddressInfo).port}`
  allow(new RegExp(`^foreign request: ${origin}/`))
  return { origin, came }
}

/** Answers with a page that says one thing. */
export function page(reply: ServerResponse, text: string, status = 200): void {
  const shown = text.replace(/[&<]/g, (one) => `&#${one.charCodeAt(0)};`)
  reply.writeHead(status, { 'content-type': 'text/html; charset=utf-8' })
  reply.end(`<!doctype html><html lang="en"><title>App</title><h1>${shown}</h1></html>`)
}
