import { createServer } from 'node:net'

/**
 * A server that measures the processor time of the main thread between two turns of the event loop, and
 * sends the longest ones to everyone who connects to the socket TURN_MONITOR. Other work on the
 * machine does not count, as it would in a delay by the clock.
 */
const INTERVAL_MS = 1
const MAX_KEPT_TURNS = 100_000

const readCpuMs = () => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

let turns: number[] = []
let last = readCpuMs()

// A timer that is due runs once a turn, so no turn is counted in two parts.
setInterval(() => {
  const now = readCpuMs()
  if (turns.length < MAX_KEPT_TURNS) turns.push(now - last)
  last = now
}, INTERVAL_MS).unref()

createServer((socket) => {
  socket.end(JSON.stringify(turns))
  turns = []
})
  .listen(process.env.TURN_MONITOR)
  .unref()
await import('../../../src/main.ts')
