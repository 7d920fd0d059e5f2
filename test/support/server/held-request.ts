import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { waitUntil } from '../system/wait-until.ts'
import { exchangeRaw, listenOnPort, type RawExchange } from './raw-exchange.ts'

/** A request whose body the server waits for. */
export interface HeldRequest {
  /** Sends the last byte, and returns the reply. */
  release(): Promise<RawExchange['replies'][number]>
}

/**
 * Sends a request, given as a line such as `POST /api/v1/tasks`, without the last byte of its body.
 * Returns once the server has admitted it and reads the body.
 */
export async function holdRequest(
  server: FastifyInstance,
  line: string,
  headers: Record<string, string>,
  body: string,
): Promise<HeldRequest> {
  const port = await listenOnPort(server)
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<IncomingMessage>()
  const { promise: lastByte, resolve: sendLastByte } = Promise.withResolvers<string>()
  const head = Object.entries({
    host: '127.0.0.1',
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  server.server.once('request', arrive)
  const start = `${line} HTTP/1.1\r\n${head.join('')}\r\n${body.slice(0, -1)}`
  const exchange = exchangeRaw(port, [start, lastByte])
  const incoming = await arrived
  // It is null until a handler begins to read.
  await waitUntil('the server to read the body', () => incoming.readableFlowing !== null)
  return {
    async release() {
      sendLastByte(body.slice(-1))
      const [reply] = (await exchange).replies
      if (!reply) throw new Error(`No reply to ${line}`)
      return reply
    },
  }
}
