import { loadBackupState, overdueMs } from '#backup/scheduled/backup-records.ts'
import type { BackupSettings } from '#backup/scheduled/run-backup.ts'
import { openBackupTarget } from '#backup/targets/backup-target.ts'
import type { Storage } from '#core/transaction.ts'
import { HOUR_MS } from '#lib/durations.ts'
import { createFindings, describeError, type Finding } from './finding.ts'

const { ok, warning, failed } = createFindings('backups')

/** A backup that is due should be there after this long. */
const MAX_OVERDUE_MS = 2 * HOUR_MS

/** Checks whether scheduled backups succeed, and whether their target can be read. */
export async function checkBackups(
  storage: Storage,
  dataDir: string,
  settings: BackupSettings | undefined,
): Promise<Finding> {
  if (!settings) return ok('not scheduled: set DOCKET_BACKUP_TO and DOCKET_BACKUP_SCHEDULE')
  const target = openBackupTarget(settings.place, dataDir)
  const now = storage.clock.now()
  const state = await loadBackupState(storage)
  const { failure, last_success: last } = state
  const retry = 'Correct it and run docket backup; the log of the server has more.'
  if (failure) {
    const times = `${failure.attempts} failed since ${failure.since}`
    return failed(`${times}; the last one: ${failure.reason}`, retry)
  }
  let count: number
  try {
    count = (await target.list()).length
  } catch (error) {
    return failed(`${target.description} cannot be read: ${describeError(error)}`, retry)
  }
  if (overdueMs(state, settings.schedule, now, now) > MAX_OVERDUE_MS) {
    const how =
      'Check that a server runs with a role other than serve, see docket jobs list, and run webhook resume if this data was restored.'
    return failed(`none was made since ${last?.started_at ?? state.since}`, how)
  }
  if (!last) return ok(`none yet, in ${target.description}`)
  const hours = Math.floor((now - Date.parse(last.started_at)) / HOUR_MS)
  const message = `the last sound one is ${hours} h old, of ${count} in ${target.description}`
  if (last.missing === 0) return ok(message)
  const how = 'Restore these attachments from an older backup, or delete them.'
  return warning(`${message}; ${last.missing} attachments were missing or damaged`, how)
}
