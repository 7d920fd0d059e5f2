import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** More than any client has under way on one connection. Each takes a few kilobytes while it waits. */
const MAX_WAITING_REQUESTS = 32

/**
 * Lets a request wait until the replies to those before it on its connection have left. Node itself reads as many as
 * arrive together, and keeps the replies to all of them in memory. A connection on which too many wait is closed.
 */
export function serveInTurn(serve: RequestListener): RequestListener {
  const waiting = new WeakMap<Socket, number>()
  return (request: IncomingMessage, response: ServerResponse) => {
    // Node gives the connection to one response after the other.
    if (response.socket) return void serve(request, response)
    const { socket } = request
    const count = (waiting.get(socket) ?? 0) + 1
    waiting.set(socket, count)
    if (count > MAX_WAITING_REQUESTS) return void socket.destroy()
    const begin = () => {
      response.off('socket', begin).off('close', begin)
      waiting.set(socket, (waiting.get(socket) ?? 1) - 1)
      // Not within the event: Node has not finished giving the connection to it.
      setImmediate(serve, request, response)
    }
    response.on('socket', begin).on('close', begin)
  }
}
