import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'

/** A way in which a webhook receiver responds. */
export type ReceiverBehavior = keyof typeof receiverBehaviors

/** Behaviors that count as success for the sender: the status alone decides (docs/spec/api.md#webhook-delivery). */
export const SUCCESS_BEHAVIORS: ReadonlySet<ReceiverBehavior> = new Set(['ok', 'huge', 'bomb'])

const MEGABYTE = Buffer.alloc(1024 * 1024, 'x')
/** 100 MB that compress to 100 kB; created on first use. */
let bomb: Buffer | undefined

/** Good, failing and hostile responses, including none at all. */
export const receiverBehaviors = {
  ok: (reply: ServerResponse) => reply.writeHead(204).end(),
  error: (reply: ServerResponse) => reply.writeHead(500).end('Not now'),
  reset: (reply: ServerResponse) => reply.socket?.resetAndDestroy(),
  hang: (_: ServerResponse) => {},
  /** A successful response, sent at one byte per second. */
  drip(reply: ServerResponse) {
    const { socket } = reply
    const bytes = [...'HTTP/1.1 200 OK\r\n\r\n']
    const timer = setInterval(() => socket?.write(bytes.shift() ?? '\n'), 1_000)
    socket?.once('close', () => clearInterval(timer))
  },
  redirect: (reply: ServerResponse) => reply.writeHead(302, { location: '/elsewhere' }).end(),
  gone: (reply: ServerResponse) => reply.writeHead(410).end(),
  later: (reply: ServerResponse) => reply.writeHead(429, { 'retry-after': '1' }).end(),
  /** 100 MB, sent as long as the sender keeps reading. */
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
