import { delay } from '../../lib/browser/delay.ts'
import { runWhenIdle } from '../../lib/browser/run-when-idle.ts'
import { cacheReplies } from '../../lib/http/reply-cache.ts'
import { copyKey, getHeldLists, recordReplica, subscribeToHeldRecords } from './held-records.ts'

const INTERVAL_MS = 2_000
const MAX_IDLE_WAIT_MS = 1_000

/**
 * Stores the held lists in the browser and keeps them up to date, so that the next page opens with what
 * this one has shown last. Returns a function that ends it.
 */
export function copyHeldRecords(): () => void {
  const stored = new Map<string, readonly object[]>()
  let isScheduled = false
  let hasEnded = false

  const write = () => {
    if (hasEnded) return
    for (const list of getHeldLists()) {
      const records = list.read()
      const copy =
        stored.get(list.name) === records ? undefined : recordReplica.copyScope(list.name)
      if (!copy) continue
      stored.set(list.name, records)
      cacheReplies([[copyKey(list.name), JSON.stringify(copy)]])
    }
  }
  const stop = subscribeToHeldRecords(async () => {
    if (isScheduled) return
    isScheduled = true
    await delay(INTERVAL_MS)
    isScheduled = false
    runWhenIdle(write, MAX_IDLE_WAIT_MS)
  })
  // Before the page writes its replies for the last time.
  addEventListener('pagehide', write, { capture: true })
  runWhenIdle(write, MAX_IDLE_WAIT_MS)
  return () => {
    hasEnded = true
    removeEventListener('pagehide', write, { capture: true })
    stop()
  }
}
