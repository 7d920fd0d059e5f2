import { connect } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** The responses on a connection, and how it ended. */
export interface RawExchange {
  /** The responses in order; header names are in lower case. */
  replies: { status: number; headers: Record<string, string>; body: string }[]
  /** Whether the server closed the connection before the timeout. */
  closed: boolean
  /** An error of the socket, such as ECONNRESET. */
  error: string | undefined
  /** How many of the pieces were sent before the end. */
  sent: number
}

interface RawExchangeOptions {
  replies?: number
  timeoutMs?: number
  pauseMs?: number
  keepsOpen?: boolean
  readsAfterWriting?: boolean
  stopWhen?: Promise<void>
}

/** Makes a server listen if it does not yet, and returns its port. */
export async function listenOnPort(server: FastifyInstance): Promise<number> {
  if (!server.server.listening) await server.listen({ host: '127.0.0.1', port: 0 })
  const address = server.server.address()
  return typeof address === 'object' && address ? address.port : 0
}

/**
 * Sends raw bytes piece by piece, with `pauseMs` in between, each as soon as it is there. Returns the responses once
 * the server closes, once `replies` of them have arrived (unless `keepsOpen` is set), once `stopWhen`
 * resolves, or after `timeoutMs`. With `readsAfterWriting` it reads nothing until all is written.
 */
export function exchangeRaw(
  port: number,
  pieces: string | readonly (string | Buffer | Promise<string>)[],
  {
    replies = 1,
    timeoutMs = 30_000,
    pauseMs = 5,
    keepsOpen = false,
    readsAfterWriting = false,
    stopWhen,
  }: RawExchangeOptions = {},
): Promise<RawExchange> {
  const socket = connect(port, '127.0.0.1')
  const chunks: Buffer[] = []
  let error: string | undefined
  let sent = 0
  return new Promise((resolve) => {
    const finish = (closed: boolean) => {
      clearTimeout(timer)
      socket.destroy()
      resolve({ replies: repliesIn(Buffer.concat(chunks)), closed, error, sent })
    }
    const timer = setTimeout(() => finish(false), timeoutMs)
    void stopWhen?.then(() => finish(false))
    socket.on('error', ({ message }) => {
      error = message
    })
    socket.on('close', () => finish(true))
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      if (!keepsOpen && repliesIn(Buffer.concat(chunks)).length >= replies) finish(false)
    })
    if (readsAfterWriting) socket.pause()
    void write().then(() => socket.resume())
  })

  async function write() {
    for (const next of typeof pieces === 'string' ? [pieces] : pieces) {
      const piece = await next
      if (socket.destroyed) return
      sent += 1
      if (!socket.write(piece)) await new Promise((resolve) => socket.once('drain', resolve))
      if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  }
}

function repliesIn(bytes: Buffer): RawExchange['replies'] {
  const replies: RawExchange['replies'] = []
  let rest = bytes.toString('latin1')
  for (;;) {
    const end = rest.indexOf('\r\n\r\n')
    if (end === -1) return replies
    const [line = '', ...lines] = rest.slice(0, end).split('\r\n')
    const headers = Object.fromEntries(
      lines.map((one) => {
        const at = one.indexOf(':')
        return [one.slice(0, at).toLowerCase(), one.slice(at + 1).trim()]
      }),
    )
    const length = Number(headers['content-length'] ?? 0)
    // The response to HEAD has a content length, but no body.
    const bodiless = rest.startsWith('HTTP/1.1 ', end + 4)
    const body = bodiless ? '' : rest.slice(end + 4, end + 4 + length)
    const status = Number(line.split(' ')[1])
    if (body.length < length && body.length > 0) return replies
    if (status >= 200) replies.push({ status, headers, body })
    rest = rest.slice(end + 4 + body.length)
  }
}
