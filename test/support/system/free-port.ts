import { createServer } from 'node:net'

/**
 * Finds an unused port below the system's ephemeral range. Each process takes the ports of its own
 * block in turn, so that no other test takes one while its server starts, is down or restarts.
 */
export function findFreePort(): Promise<number> {
  const port = MIN_PORT + (process.pid % BLOCKS) * BLOCK_SIZE + (next % BLOCK_SIZE)
  next += 1
  return new Promise((resolve) => {
    const server = createServer()
      .once('error', () => resolve(findFreePort()))
      .listen(port, '127.0.0.1', () => server.close(() => resolve(port)))
  })
}

const MIN_PORT = 12_000
const BLOCKS = 200
const BLOCK_SIZE = 100
/** Begins at random, because a process of another test run may have the same block. */
let next = Math.floor(Math.random() * BLOCK_SIZE)
