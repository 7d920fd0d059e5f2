import { connect, createServer, type Socket } from 'node:net'

/** What stands before databases of which one is the primary: an address that moves, HAProxy, a pooler. */
export interface Forwarder {
  port: number
  /** From now on connections lead there; those that there are end. */
  leadTo(port: number): void
  /** The same, as a name does that moves: connections that there are stay. */
  leadNewTo(port: number): void
  close(): Promise<void>
}

/** Passes bytes on to a port of this machine. */
export async function forwarder(to: number): Promise<Forwarder> {
  let target = to
  const open = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1')
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one)
      // Who is gone is gone: the other side hears of it by its own end.
      one.on('error', () => {})
      one.on('close', () => {
        open.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const cut = () => {
    for (const socket of open) socket.destroy()
  }
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    leadTo(port) {
      target = port
      cut()
    },
    leadNewTo(port) {
      target = port
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        cut()
      }),
  }
}
