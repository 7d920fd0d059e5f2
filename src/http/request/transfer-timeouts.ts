import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { ApiError } from '#core/api-error.ts'

/**
 * Timeouts of uploads, in total and between bytes (docs/spec/api.md#addresses-and-methods), and the least rate of uploads
 * and replies: in each window of `rateWindowMs` a client must send, or take, `minWindowBytes`, which is 4 KiB a second. A
 * byte now and then would otherwise hold one of the few places of uploads for ten minutes, or the memory of a reply.
 */
export const TRANSFER_TIMEOUTS = {
  wholeMs: 600_000,
  idleMs: 30_000,
  rateWindowMs: 30_000,
  minWindowBytes: 30 * 4_096,
} as const

export type TransferTimeouts = { readonly [name in keyof typeof TRANSFER_TIMEOUTS]: number }

const exemptSockets = new WeakSet<Duplex>()

/** Whether the socket carries an upload, to which the 30 seconds of other requests do not apply. */
export const isExemptFromRequestTimeout = (socket: Duplex): boolean => exemptSockets.has(socket)

/**
 * Yields the chunks of a body without reading ahead, and throws 408 when an upload timeout
 * passes. A consumer that stops early leaves the rest of the body unread.
 */
export async function* readWithTimeouts(
  request: IncomingMessage,
  timeouts: TransferTimeouts,
): AsyncGenerator<Buffer> {
  const { socket } = request
  if (request.readableEnded) return
  const chunks = request.iterator({ destroyOnReturn: false })
  const deadline = performance.now() + timeouts.wholeMs
  const rate = createRateWindow(timeouts)
  exemptSockets.add(socket)
  try {
    for (;;) {
      const waitsSince = performance.now()
      const timeoutMs = Math.min(timeouts.idleMs, deadline - waitsSince, rate.getTimeout())
      const next = await withTimeout(chunks.next(), timeoutMs)
      if (next.done) {
        exemptSockets.delete(socket)
        return
      }
      const chunk = next.value as Buffer
      if (rate.isTooSlow(chunk.length, performance.now() - waitsSince)) throw requestTimeout()
      yield chunk
    }
  } finally {
    // A socket with unread bytes stays exempt: the upload handler closes it after the reply, so that
    // no other request follows on it.
    // A pending `next()` settles when the socket closes.
    chunks.return?.().catch(() => {})
  }
}

/**
 * Measures how fast a client sends or takes bytes, one window after the other. Only the time spent waiting for the
 * client counts: storing what has arrived may take long.
 */
export function createRateWindow({ rateWindowMs, minWindowBytes }: TransferTimeouts) {
  let [bytes, waitedMs] = [0, 0]
  return {
    /** How long the next chunk may take before the client is too slow. */
    getTimeout: () => (bytes < minWindowBytes ? rateWindowMs - waitedMs : Number.POSITIVE_INFINITY),
    /** Counts bytes and the wait for them. Returns whether they end a window that had too few. */
    isTooSlow(length: number, ms: number): boolean {
      bytes += length
      waitedMs += ms
      if (waitedMs < rateWindowMs) return false
      const wasTooSlow = bytes < minWindowBytes
      bytes = 0
      waitedMs = 0
      return wasTooSlow
    },
  }
}

export type RateWindow = ReturnType<typeof createRateWindow>

async function withTimeout<T>(work: Promise<T>, ms: number): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(requestTimeout()), ms)
  try {
    return await Promise.race([work, promise])
  } catch (error) {
    throw error instanceof ApiError ? error : bodyAborted()
  } finally {
    clearTimeout(timer)
  }
}

const requestTimeout = () =>
  new ApiError(408, 'request_timeout', 'The file did not arrive in time. Upload it again.', {
    headers: { connection: 'close' },
  })

/** The client has gone, so this error only ends the request. */
const bodyAborted = () =>
  new ApiError(400, 'invalid_request', 'The body ended before it was complete.')
