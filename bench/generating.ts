import { connect } from 'node:net'

/** What a generator of load is to do: so many connections ask the requests in turn, each its own way round. */
export interface Generating {
  port: number
  connections: number
  seconds: number
  /** Whole requests, as they travel. */
  requests: readonly string[]
}

/** What came of it. */
export interface Generated {
  count: number
  /** Seconds of processor time that the generator took itself. */
  cpu: number
  refused: number
}

/**
 * A client that takes as little of the machine as it can, in a process of its own: it reads of a reply
 * the status and the length. One request at a time is under way on a connection.
 */
process.once('message', async ({ port, connections, seconds, requests }: Generating) => {
  const before = process.cpuUsage()
  const end = performance.now() + 1_000 * seconds
  let count = 0
  let refused = 0
  await Promise.all(Array.from({ length: connections }, (_, at) => ask(at)))
  const { user, system } = process.cpuUsage(before)
  process.send?.({ count, refused, cpu: (user + system) / 1e6 }, () => process.exit(0))

  function ask(from: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const socket = connect(port, '127.0.0.1').setNoDelay().on('error', reject).on('close', resolve)
    // Coprime to the number of requests, so that connections do not go in step.
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
