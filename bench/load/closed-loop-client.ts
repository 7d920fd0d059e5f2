import { connect } from 'node:net'

/** A closed loop: each connection sends its next request once the previous one is answered. */
export interface ClosedLoopOptions {
  port: number
  connections: number
  seconds: number
  /** Complete HTTP requests as text. */
  requests: readonly string[]
}

/** The result of the load. */
export interface ClosedLoopResult {
  count: number
  /** CPU time of this client itself, in seconds. */
  cpu: number
  refused: number
}

/**
 * A client in its own process that uses as little CPU as possible: it parses only the status and
 * the length of a response. Each connection has one request in flight.
 */
process.once('message', async ({ port, connections, seconds, requests }: ClosedLoopOptions) => {
  const before = process.cpuUsage()
  const end = performance.now() + 1_000 * seconds
  let count = 0
  let refused = 0
  await Promise.all(Array.from({ length: connections }, (_, at) => runConnection(at)))
  const { user, system } = process.cpuUsage(before)
  process.send?.({ count, refused, cpu: (user + system) / 1e6 }, () => process.exit(0))

  function runConnection(from: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const socket = connect(port, '127.0.0.1').setNoDelay().on('error', reject).on('close', resolve)
    // Coprime to the number of requests, so that connections start at different ones.
    let next = from * 7
    let head = ''
    let missing = 0
    const send = () => {
      socket.write(requests[next % requests.length] ?? '')
      next += 1
    }
    socket.on('data', (chunk) => {
      if (missing > 0) missing -= chunk.length
      else {
        head += chunk.toString('latin1')
        const over = head.indexOf('\r\n\r\n')
        if (over < 0) return
        const length = Number(/content-length: (\d+)/i.exec(head)?.[1])
        if (!head.startsWith('HTTP/1.1 2')) refused += 1
        missing = length - (head.length - over - 4)
        head = ''
      }
      if (missing > 0) return
      count += 1
      if (performance.now() < end) send()
      else socket.destroy()
    })
    send()
    return promise
  }
})
