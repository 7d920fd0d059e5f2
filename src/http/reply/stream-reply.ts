import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AppContext } from '../app-context.ts'
import { requestFields } from '../server/log.ts'

/** The status line and the headers of a reply whose body is sent by a function. */
interface StreamHead {
  status: number
  headers: Record<string, string>
}

/** Logs an error that no reply can tell any more, and breaks the connection to signal it. */
export function abortReply(
  { log }: Pick<AppContext, 'log'>,
  request: FastifyRequest,
  { raw }: FastifyReply,
  err: unknown,
): void {
  log.error({ ...requestFields(request), err }, 'A reply failed after it had begun')
  raw.destroy()
}

/**
 * Sends the head of a reply, and then its body by `sendBody`. Until the head is sent, errors become
 * error replies. From then on Fastify would drop them without a trace and leave the client waiting,
 * so that here they are logged and the connection is closed.
 */
export async function streamReply(
  context: Pick<AppContext, 'log'>,
  request: FastifyRequest,
  reply: FastifyReply,
  { status, headers }: StreamHead,
  sendBody: () => void | Promise<void>,
): Promise<void> {
  reply.raw.writeHead(status, { ...request.replyHeaders, ...headers })
  reply.hijack()
  try {
    await sendBody()
  } catch (error) {
    abortReply(context, request, reply, error)
  }
}

/**
 * Sends a piece of a body, and resolves when the client has taken it or has left. The maker of the pieces waits
 * for that, so that a slow client takes the memory of one piece. `count` counts the bytes that wait.
 */
export function sendPiece(
  raw: ServerResponse,
  piece: string | Uint8Array,
  count: (bytes: number) => void,
): Promise<void> {
  if (raw.destroyed || raw.writableEnded) return Promise.resolve()
  const length = Buffer.byteLength(piece)
  count(length)
  return new Promise((resolve) => {
    const settle = () => {
      raw.off('close', settle)
      count(-length)
      resolve()
    }
    raw.once('close', settle)
    raw.write(piece, settle)
  })
}
