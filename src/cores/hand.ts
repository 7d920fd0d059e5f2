import {
  Agent,
  type ClientRequest,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http'
import { linger } from '#http/send.ts'
import { away } from './line.ts'

/** By this header the process that writes is told who really asks. */
export const CLIENT = 'docket-client'

/** What is of one connection, and not of the request; what Docket answers itself; and what only we may say. */
const NOT_PASSED = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'upgrade', 'expect', 'te', CLIENT],
])
const BODIED = new Set(['POST', 'PATCH', 'PUT'])

/** Hands a request to the process that writes, and its reply back. */
export interface Hands {
  /** Fails, with a refusal, where no reply has begun; ends when the reply has, or the client has gone. */
  hand(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void>
  close(): void
}

/**
 * Hands requests over as they are, by HTTP on a socket of this machine: both bodies flow, none
 * faster than it is taken, and who breaks off on one side breaks off on the other.
 */
export function handsTo(socketPath: string): Hands {
  const agent = new Agent({ keepAlive: true })

  function hand(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const { method, url: path } = incoming
    const passed = request({ socketPath, agent, method, path, headers: headersOf(incoming) })
    let isAnswered = false
    passed.once('response', (reply) => {
      isAnswered = true
      giveBack(passed, reply, incoming, outgoing).then(resolve)
    })
    passed.on('error', (error) => {
      incoming.unpipe(passed)
      // A reply that has begun tells of its end by itself; a client that has gone needs none.
      if (isAnswered) return
      if (outgoing.destroyed) resolve()
      else reject(away(error))
    })
    incoming.once('close', () => {
      if (!incoming.complete) passed.destroy()
    })
    outgoing.once('close', () => {
      if (!outgoing.writableFinished) passed.destroy()
    })
    incoming.pipe(passed)
    return promise
  }

  return { hand, close: () => agent.destroy() }
}

/** Ends when the reply is given back, or broken off on either side. */
function giveBack(
  passed: ClientRequest,
  reply: IncomingMessage,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const closes = reply.headers.connection === 'close'
  outgoing.writeHead(reply.statusCode ?? 502, [
    ...without(reply.rawHeaders, OF_CONNECTION),
    ...(closes ? ['connection', 'close'] : []),
  ])
  // What comes bit by bit begins at once.
  if (reply.headers['content-length'] === undefined) outgoing.flushHeaders()
  const { promise, resolve } = Promise.withResolvers<void>()
  // Nobody is there to read what came too late.
  outgoing.on('error', () => {})
  // A pipeline of Node's costs a third of all that is done here.
  reply.on('data', (chunk) => {
    if (!outgoing.write(chunk)) reply.pause()
  })
  outgoing.on('drain', () => reply.resume())
  reply.once('end', () => {
    if (closes && !incoming.complete) {
      incoming.unpipe(passed)
      linger(incoming, outgoing)
    } else outgoing.end()
    resolve()
  })
  reply.once('close', () => {
    // What has begun can only be broken off.
    if (!reply.complete) outgoing.destroy()
    resolve()
  })
  reply.on('error', () => {})
  return promise
}

const OF_CONNECTION = new Set(['connection', 'keep-alive', 'transfer-encoding'])

/** As they were sent, in their order, with the address from which they came. */
function headersOf(incoming: IncomingMessage): string[] {
  const { rawHeaders, headers, socket, method = '' } = incoming
  const passed = without(rawHeaders, NOT_PASSED)
  // Without a word of it Node would announce a body here.
  const isSaid = 'content-length' in headers || 'transfer-encoding' in headers
  if (BODIED.has(method) && !isSaid) passed.push('content-length', '0')
  passed.push(CLIENT, socket.remoteAddress ?? '')
  return passed
}

function without(rawHeaders: readonly string[], names: ReadonlySet<string>): string[] {
  const left: string[] = []
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    if (!names.has(name.toLowerCase())) left.push(name, rawHeaders[at + 1] ?? '')
  }
  return left
}
