import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** Forwards connections to a port of this machine, and disturbs them. */
export interface DelayProxy {
  port: number
  /** Delays what is sent in each direction by half of these milliseconds. */
  delay(ms: number): void
  /** Ends all connections and refuses new ones until `restore`. */
  cut(): void
  restore(): void
  close(): Promise<void>
}

export async function startDelayProxy(targetPort: number): Promise<DelayProxy> {
  const sockets = new Set<Socket>()
  let delayMs = 0
  let isCut = false

  function forward(from: Socket, to: Socket): void {
    // In order also if the delay becomes shorter, when a later timer may run before an earlier one.
    const queue: (() => void)[] = []
    let lastAt = 0
    const later = (act: () => void) => {
      queue.push(act)
      lastAt = Math.max(lastAt, performance.now() + delayMs / 2)
      setTimeout(() => queue.shift()?.(), Math.max(0, lastAt - performance.now()))
    }
    sockets.add(from)
    from.on('data', (bytes) => later(() => to.write(bytes)))
    from.on('error', () => from.destroy())
    from.on('close', () => {
      sockets.delete(from)
      later(() => to.destroy())
    })
  }

  const server = createServer((client) => {
    if (isCut) {
      client.destroy()
      return
    }
    const target = connect(targetPort, '127.0.0.1')
    forward(client, target)
    forward(target, client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const endConnections = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    delay(ms) {
      delayMs = ms
    },
    cut() {
      isCut = true
      endConnections()
    },
    restore() {
      isCut = false
    },
    async close() {
      endConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
