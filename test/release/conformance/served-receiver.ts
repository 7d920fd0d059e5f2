import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

/** Decides about a request; returns the status of the reply. */
export type HandleDelivery = (
  headers: IncomingHttpHeaders,
  body: Buffer,
) => number | Promise<number>

/** Serves a receiver until the end of the test; returns its URL. */
export async function serveReceiver(t: TestContext, handle: HandleDelivery): Promise<string> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    response.writeHead(await handle(request.headers, Buffer.concat(chunks))).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  return `http://127.0.0.1:${port}/hook`
}
