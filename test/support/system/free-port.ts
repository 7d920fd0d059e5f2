import { createServer } from 'node:net'

/**
 * Finds an unused port. It is below the system's ephemeral range and chosen at random, so that no
 * other test takes it while its server is down or restarting.
 */
export function findFreePort(): Promise<number> {
  const port = MIN_PORT + Math.floor(Math.random() * PORT_COUNT)
  return new Promise((resolve) => {
    const server = createServer()
      .once('error', () => resolve(findFreePort()))
      .listen(port, '127.0.0.1', () => server.close(() => resolve(port)))
  })
}

const MIN_PORT = 12_000
const PORT_COUNT = 20_000
