import { createServer } from 'node:net'

/**
 * A port on which nothing listens. It is below those that a system gives to connections and to servers without a wish,
 * and taken at random: while its server is down, or starts again, no other test comes to be there.
 */
export function freePort(): Promise<number> {
  const port = LOWEST + Math.floor(Math.random() * COUNT)
  return new Promise((resolve) => {
    const server = createServer()
      .once('error', () => resolve(freePort()))
      .listen(port, '127.0.0.1', () => server.close(() => resolve(port)))
  })
}

const LOWEST = 12_000
const COUNT = 20_000
