import { setTimeout as pause } from 'node:timers/promises'
import { parseConfig } from '#config/config.ts'
import { ChangeFeed } from '#core/changes/change-feed.ts'
import { openLog } from '#http/server/log.ts'
import { runServer } from '#server/run-server.ts'

const COUNT_DELAY_MS = 2_000

/**
 * A server that never polls for deliveries and waits for a commit or NOTIFY. A change of another
 * server may also be late by seconds, as on a busy machine, before it counts as missed: each count
 * of the database arrives late.
 */
const { checkForGaps } = ChangeFeed.prototype
ChangeFeed.prototype.checkForGaps = function (this: ChangeFeed, loadCounts, isSure) {
  const loadLate: typeof loadCounts = async (ids) => {
    const counts = await loadCounts(ids)
    await pause(COUNT_DELAY_MS)
    return counts
  }
  return checkForGaps.call(this, loadLate, isSure)
}

const fail = (error: unknown): never => {
  console.error(error)
  process.exit(1)
}
const role = { servesRequests: true, runsJobs: true }
const never = { tickMs: 1_000_000_000 }
await runServer(role, parseConfig(process.env), openLog('silent'), fail, never)
