import { connect, createServer, type Socket } from 'node:net'

/** A TCP proxy in front of a primary database, like a floating IP address, HAProxy or a pooler. */
export interface TcpProxy {
  port: number
  /** Forwards new connections to this port, and closes existing ones. */
  redirect(port: number): void
  /** Forwards new connections to this port, and keeps existing ones, like a changed DNS record. */
  redirectNewConnections(port: number): void
  close(): Promise<void>
}

/** Forwards bytes to a port of this machine. */
export async function startTcpProxy(to: number): Promise<TcpProxy> {
  let target = to
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const database = connect(target, '127.0.0.1')
    for (const [one, other] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(one)
      // An error on one side closes the other side through the close event below.
      one.on('error', () => {})
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const closeAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    redirect(port) {
      target = port
      closeAll()
    },
    redirectNewConnections(port) {
      target = port
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        closeAll()
      }),
  }
}
