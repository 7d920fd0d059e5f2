import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'

/** A TCP server that answers each request with arbitrary bytes, whether they are HTTP or not. */
export interface RawServer {
  port: number
  /** The raw requests, head and body. */
  requests: string[]
  /** All connections since the start, including closed ones. */
  connections: Socket[]
}

export interface RawServerOptions {
  host?: string
  /** If set, the server speaks TLS. */
  tls?: TlsOptions
}

/** Listens until the test `t` ends. `answer` is called with each request once it is complete. */
export async function startRawServer(
  t: { after(undo: () => void): void },
  answer: (socket: Socket, request: string) => void,
  { host = '127.0.0.1', tls }: RawServerOptions = {},
): Promise<RawServer> {
  const requests: string[] = []
  const connections: Socket[] = []
  const serve = (socket: Socket) => {
    connections.push(socket)
    let text = ''
    socket.on('error', () => socket.destroy())
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      for (let end = endOf(text); end !== undefined; end = endOf(text)) {
        const request = Buffer.from(text.slice(0, end), 'latin1').toString()
        text = text.slice(end)
        requests.push(request)
        answer(socket, request)
      }
    })
  }
  const server: Server = tls ? createTlsServer(tls, serve) : createServer(serve)
  server.on('tlsClientError', () => {})
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  t.after(() => {
    server.close()
    for (const socket of connections) socket.destroy()
  })
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    requests,
    connections,
  }
}

/** The length of the first request in the text; undefined while it is incomplete. */
function endOf(text: string): number | undefined {
  const head = text.indexOf('\r\n\r\n') + 4
  if (head === 3) return undefined
  const [, length = '0'] = /content-length: (\d+)/i.exec(text.slice(0, head)) ?? []
  const end = head + Number(length)
  return text.length < end ? undefined : end
}

/** Formats a complete HTTP/1.1 response. */
export const formatHttpReply = (
  status: number,
  body = '',
  headers: Record<string, string> = {},
): string =>
  [
    `HTTP/1.1 ${status} Status`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '',
    body,
  ].join('\r\n')
