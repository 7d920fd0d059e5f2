import { setTimeout as pause } from 'node:timers/promises'
import type { Config } from '#config/config.ts'
import { isPostgresMissing } from '#db/postgres/errors.ts'
import type { Logger } from '#http/server/log.ts'
import { describeDatabase } from './start-messages.ts'

const RETRY_INTERVAL_MS = 1_000

/**
 * Opens the database, and tries again while PostgreSQL cannot be reached: after a reboot it may start
 * later than Docket. Says once that it waits. Any other error is thrown at once.
 */
export async function waitForDatabase<T>(
  config: Pick<Config, 'dataDir' | 'databaseUrl' | 'databaseWaitSeconds'>,
  log: Logger,
  open: () => Promise<T>,
): Promise<T> {
  const { databaseUrl, databaseWaitSeconds: seconds } = config
  const startedAt = performance.now()
  const deadline = startedAt + seconds * 1000
  for (let tries = 1; ; tries += 1) {
    try {
      const opened = await open()
      if (tries > 1) {
        const waited = Math.round((performance.now() - startedAt) / 1000)
        console.log(`${describeDatabase(config)} answers after ${waited} s`)
      }
      return opened
    } catch (error) {
      if (databaseUrl === undefined || !isPostgresMissing(error)) throw error
      if (performance.now() + RETRY_INTERVAL_MS > deadline) throw error
      if (tries === 1) {
        const reason = reasonOf(error)
        console.error(
          `${describeDatabase(config)} cannot be reached (${reason}); waiting for it for up to ${seconds} s (DOCKET_DATABASE_WAIT)`,
        )
        log.warn({ reason, seconds }, 'Waiting for the database')
      }
      await pause(RETRY_INTERVAL_MS)
    }
  }
}

/** A refused connection to several addresses of a host has a code and no message. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  if (!(cause instanceof Error)) return String(cause)
  return cause.message || ('code' in cause ? String(cause.code) : cause.name)
}
