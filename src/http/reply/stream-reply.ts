import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AppContext } from '../app-context.ts'

/** The status line and the headers of a reply whose body is sent by a function. */
interface StreamHead {
  status: number
  headers: Record<string, string>
}

/** Logs an error that no reply can tell any more, and breaks the connection to signal it. */
export function abortReply(
  { log }: Pick<AppContext, 'log'>,
  { id }: FastifyRequest,
  { raw }: FastifyReply,
  err: unknown,
): void {
  log.error({ request_id: id, err }, 'A reply failed after it had begun')
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
