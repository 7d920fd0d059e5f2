import { rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { Duplex } from 'node:stream'
import { CLIENT } from './hand.ts'
import { type Answers, answerOn, LINE } from './line.ts'

/** A little more than what clients may send: who they are is added to it. */
const MAX_HEADER_BYTES = 20_480

/** Where the process that writes is asked by the others on this machine. */
export interface Hall {
  /** How many of those that only read are connected. */
  readers(): number
  /** Lets in nobody any more, once all those that only read have left. */
  close(): Promise<void>
}

/**
 * Serves what the others hand over, and answers what they ask. Whoever may open the socket is believed
 * who the client is: so it is this user's alone.
 */
export async function openHall(
  path: string,
  serve: RequestListener,
  answers: Answers,
): Promise<Hall> {
  // Those that hand over have waited for requests already, and end connections themselves.
  const server = createServer(
    {
      ...{ maxHeaderSize: MAX_HEADER_BYTES, requestTimeout: 0, headersTimeout: 0 },
      ...{ keepAliveTimeout: 0, requireHostHeader: false },
    },
    (request, response) => {
      speakFor(request)
      serve(request, response)
    },
  )
  const lines = new Set<Duplex>()
  let left = () => {}
  server.on('upgrade', (request, socket) => {
    if (request.headers.upgrade !== LINE) return void socket.destroy()
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: ${LINE}\r\n\r\n`,
    )
    lines.add(socket)
    socket.on('error', () => {})
    // A server's sockets stay half open.
    socket.on('end', () => socket.destroy())
    socket.on('close', () => {
      lines.delete(socket)
      if (lines.size === 0) left()
    })
    answerOn(socket, answers)
  })
  // Of a process that was killed it is still there.
  rmSync(path, { force: true })
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject)
  const before = process.umask(0o077)
  server.listen({ path, exclusive: true }, resolve)
  process.umask(before)
  await promise

  return {
    readers: () => lines.size,
    async close() {
      if (lines.size > 0) {
        await new Promise<void>((gone) => {
          left = gone
        })
      }
      server.close()
      server.closeAllConnections()
    },
  }
}

/** The connection has the address of the client whose request it brings: it brings one after the other. */
function speakFor({ headers, rawHeaders, socket }: IncomingMessage): void {
  const value = headers[CLIENT]
  // It was added last.
  rawHeaders.length -= 2
  delete headers[CLIENT]
  Object.defineProperty(socket, 'remoteAddress', { value, configurable: true })
}
