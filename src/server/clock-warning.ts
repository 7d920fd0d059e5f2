import type { Storage } from '#core/transaction.ts'
import { measureClockDifferences } from '#db/events/newest-event.ts'

const MAX_DIFFERENCE_MS = 5_000
const REMEDY = 'Synchronize it with a time server (chrony, systemd-timesyncd).'

/**
 * Logs if the clock of this machine was set back since the last event, or differs from that of
 * PostgreSQL: stored times and what depends on them, such as due dates and retries, are wrong then.
 */
export async function warnOfWrongClock(
  storage: Storage,
  log: { warn(figures: object, message: string): void },
): Promise<void> {
  const { newestEventMs, databaseMs } = await measureClockDifferences(storage)
  const figures = (ms: number) => ({ seconds: Math.round(ms / 1_000) })
  if (newestEventMs > MAX_DIFFERENCE_MS) {
    log.warn(
      figures(newestEventMs),
      `The newest event is in the future: the clock of this machine was set back. ${REMEDY}`,
    )
  }
  if (Math.abs(databaseMs) > MAX_DIFFERENCE_MS) {
    log.warn(
      figures(databaseMs),
      `The clock of PostgreSQL differs from that of this machine. ${REMEDY}`,
    )
  }
}
