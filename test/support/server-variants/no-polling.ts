import { parseConfig } from '#config/config.ts'
import { openLog } from '#http/server/log.ts'
import { runServer } from '#server/run-server.ts'

const fail = (error: unknown): never => {
  console.error(error)
  process.exit(1)
}
const role = { servesRequests: true, runsJobs: true }
/** A server that never polls for deliveries, and waits for a commit or NOTIFY. */
const never = { tickMs: 1_000_000_000 }
await runServer(role, parseConfig(process.env), openLog('silent'), fail, never)
