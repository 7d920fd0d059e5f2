import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'

/** How a receiver may behave. */
export type Manner = keyof typeof manners

/** Those that are a success for who sends: it is the status that decides (contract 8.5). */
export const KIND: ReadonlySet<Manner> = new Set(['ok', 'huge', 'bomb'])

const MEGABYTE = Buffer.alloc(1024 * 1024, 'x')
/** 100 MB that are 100 kB on the way; made when first asked for. */
let bomb: Buffer | undefined

/** Ways to answer, or not to. */
export const manners = {
  ok: (reply: ServerResponse) => reply.writeHead(204).end(),
  error: (reply: ServerResponse) => reply.writeHead(500).end('Not now'),
  reset: (reply: ServerResponse) => reply.socket?.resetAndDestroy(),
  hang: (_: ServerResponse) => {},
  /** A reply that would be well, a byte a second. */
  drip(reply: ServerResponse) {
    const { socket } = reply
    const bytes = [...'HTTP/1.1 200 OK\r\n\r\n']
    const timer = setInterval(() => socket?.write(bytes.shift() ?? '\n'), 1_000)
    socket?.once('close', () => clearInterval(timer))
  },
  redirect: (reply: ServerResponse) => reply.writeHead(302, { location: '/elsewhere' }).end(),
  gone: (reply: ServerResponse) => reply.writeHead(410).end(),
  later: (reply: ServerResponse) => reply.writeHead(429, { 'retry-after': '1' }).end(),
  /** 100 MB, for as long as somebody takes them. */
  huge(reply: ServerResponse) {
    reply.writeHead(200)
    let left = 100
    const more = () => {
      while (left > 0 && !reply.destroyed) {
        left -= 1
        if (!reply.write(MEGABYTE)) return reply.once('drain', more)
      }
      return reply.end()
    }
    more()
  },
  bomb(reply: ServerResponse) {
    bomb ??= gzipSync(Buffer.alloc(100 * 1024 * 1024))
    reply.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb)
  },
}
