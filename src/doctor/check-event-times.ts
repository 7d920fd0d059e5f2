import type { Storage } from '#core/transaction.ts'
import { measureClockDifferences } from '#db/events/outbox.ts'
import { createFindings, type Finding } from './finding.ts'

const { ok, failed } = createFindings('event times')
/** Several processes that write to one database may differ by so much. */
const MAX_FUTURE_MS = 5_000

/** Checks that no event was stored later than now, which shows that the clock was set back. */
export async function checkEventTimes(storage: Storage): Promise<Finding> {
  const { newestEventMs } = await measureClockDifferences(storage)
  if (newestEventMs <= MAX_FUTURE_MS) return ok('no event is later than now')
  const seconds = (newestEventMs / 1_000).toFixed(1)
  const how = 'The clock was set back. Synchronize it with a time server before you start Docket.'
  return failed(`the newest event is ${seconds} s in the future`, how)
}
