import { connect } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** All that came back on a connection, and what became of it. */
export interface Exchange {
  /** Each reply in order: status, headers in lower case, body. */
  replies: { status: number; headers: Record<string, string>; body: string }[]
  /** Whether the server closed the connection before the patience ended. */
  closed: boolean
  /** An error of the socket, such as ECONNRESET. */
  error: string | undefined
  ms: number
}

interface Manner {
  replies?: number
  patience?: number
  pause?: number
  hold?: boolean
  deaf?: boolean
  over?: Promise<void>
}

/** Lets a server listen; gives its port, the same each time. */
export async function portOf(server: FastifyInstance): Promise<number> {
  if (!server.server.listening) await server.listen({ host: '127.0.0.1', port: 0 })
  const address = server.server.address()
  return typeof address === 'object' && address ? address.port : 0
}

/**
 * Sends bytes as they are, piece by piece with `pause` milliseconds between, and gives what came back
 * when the server closed, when `replies` have come (unless told to `hold` on), when `over` has come
 * true, or after `patience` milliseconds. A `deaf` sender reads nothing before all is written.
 */
export function exchange(
  port: number,
  pieces: string | readonly (string | Buffer)[],
  { replies = 1, patience = 30_000, pause = 5, hold = false, deaf = false, over }: Manner = {},
): Promise<Exchange> {
  const started = performance.now()
  const socket = connect(port, '127.0.0.1')
  const chunks: Buffer[] = []
  let error: string | undefined
  return new Promise((resolve) => {
    const finish = (closed: boolean) => {
      clearTimeout(timer)
      socket.destroy()
      const ms = performance.now() - started
      resolve({ replies: repliesIn(Buffer.concat(chunks)), closed, error, ms })
    }
    const timer = setTimeout(() => finish(false), patience)
    void over?.then(() => finish(false))
    socket.on('error', ({ message }) => {
      error = message
    })
    socket.on('close', () => finish(true))
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      if (!hold && repliesIn(Buffer.concat(chunks)).length >= replies) finish(false)
    })
    if (deaf) socket.pause()
    void write().then(() => socket.resume())
  })

  async function write() {
    for (const piece of typeof pieces === 'string' ? [pieces] : pieces) {
      if (socket.destroyed) return
      if (!socket.write(piece)) await new Promise((resolve) => socket.once('drain', resolve))
      if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause))
    }
  }
}

function repliesIn(bytes: Buffer): Exchange['replies'] {
  const replies: Exchange['replies'] = []
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
    // The reply to HEAD tells a length and has no body.
    const bodiless = rest.startsWith('HTTP/1.1 ', end + 4)
    const body = bodiless ? '' : rest.slice(end + 4, end + 4 + length)
    const status = Number(line.split(' ')[1])
    if (body.length < length && body.length > 0) return replies
    if (status >= 200) replies.push({ status, headers, body })
    rest = rest.slice(end + 4 + body.length)
  }
}
