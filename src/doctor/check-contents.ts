import { AUTH_VERSION_KEY, isAuthVersion, loadAuthVersion } from '#auth/auth-version.ts'
import { loadBackupState, overdueMs } from '#backup/scheduled/backup-records.ts'
import type { BackupSettings } from '#backup/scheduled/run-backup.ts'
import { openBackupTarget } from '#backup/targets/backup-target.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import { auditChainsMissingHead } from '#db/audit/audit-log.ts'
import { measureClockDifferences } from '#db/events/outbox.ts'
import { loadJobBacklog } from '#db/jobs/jobs.ts'
import { storedBytesAfter } from '#db/workspaces/stored-bytes.ts'
import { HOUR_MS } from '#lib/durations.ts'
import { openInstallationId } from '#webhooks/dispatch/installation-id.ts'
import { MISMATCH_REASONS } from '#webhooks/dispatch/sending-switch.ts'
import { loadBacklog } from '#webhooks/queue/backlog.ts'
import { createFindings, describeError, type Finding } from './finding.ts'

const PAGE_SIZE = 500
/** A workspace with more than this part of its quota is reported. */
const WARNING_PART = 0.8
const MAX_NAMED = 5
const GIGABYTE = 1024 ** 3

/** Checks how much of its quota each workspace has used, and how much all of them store. */
export async function checkStorage(storage: Storage, workspaceBytes: number): Promise<Finding> {
  const { ok, warning } = createFindings('storage')
  const nearlyFull: string[] = []
  let total = 0
  for (let after = '', isLast = false; !isLast; ) {
    const page = await storage.read(ANONYMOUS_ACTOR, (tx) =>
      tx.all(storedBytesAfter, { after, limit: PAGE_SIZE }),
    )
    for (const { id, content_bytes, history_bytes } of page) {
      const used = content_bytes + history_bytes
      total += used
      const percent = Math.floor((used / workspaceBytes) * 100)
      if (used > WARNING_PART * workspaceBytes) nearlyFull.push(`${id} (${percent} %)`)
    }
    after = page.at(-1)?.id ?? after
    isLast = page.length < PAGE_SIZE
  }
  const sum = `${(total / GIGABYTE).toFixed(1)} GiB in all`
  if (nearlyFull.length === 0) return ok(`${sum}, and no workspace is nearly full`)
  const others = nearlyFull.length - MAX_NAMED
  const named = nearlyFull.slice(0, MAX_NAMED).join(', ')
  return warning(
    `${sum}; nearly full: ${named}${others > 0 ? ` and ${others} more` : ''}`,
    'Have attachments and tasks deleted there, or raise DOCKET_WORKSPACE_BYTES if the disk has room.',
  )
}

/**
 * Checks that every chain of the audit log has its end. `docket audit verify` reads the whole log.
 */
export async function checkAuditLog(storage: Storage): Promise<Finding> {
  const { ok, failed } = createFindings('audit log')
  const [missing] = await storage.read(ANONYMOUS_ACTOR, (tx) =>
    tx.all(auditChainsMissingHead, { limit: 1 }),
  )
  if (!missing) return ok('the head of every chain is present')
  return failed(
    `the head of chain ${missing.chain} is missing or was changed`,
    'Run docket audit verify, and check who had access to the database.',
  )
}

/** Checks that members, keys and sessions can be changed: each change increments the auth version. */
export async function checkAccessChanges(storage: Storage): Promise<Finding> {
  const { ok, failed } = createFindings('access')
  const version = await loadAuthVersion(storage)
  if (version === undefined || isAuthVersion(version)) return ok('members and keys can be changed')
  return failed(
    `members and keys cannot be changed: ${AUTH_VERSION_KEY} is not a whole number`,
    `Run in the database: update installation set value = '1' where name = '${AUTH_VERSION_KEY}'; then restart every process of Docket.`,
  )
}

/** Several processes that write to one database may differ by so much. */
const MAX_FUTURE_MS = 5_000

/** Checks that no event was stored later than now, which shows that the clock was set back. */
export async function checkEventTimes(storage: Storage): Promise<Finding> {
  const { ok, failed } = createFindings('event times')
  const { newestEventMs } = await measureClockDifferences(storage)
  if (newestEventMs <= MAX_FUTURE_MS) return ok('no event is later than now')
  const seconds = (newestEventMs / 1_000).toFixed(1)
  const how = 'The clock was set back. Synchronize it with a time server before you start Docket.'
  return failed(`the newest event is ${seconds} s in the future`, how)
}

/** A working server attempts a delivery and claims a job within seconds of its due time. */
const MAX_OVERDUE_SECONDS = 300

/**
 * Checks whether this installation sends, and what waits. `isRunning`: a server is known to run.
 */
export async function checkWebhooks(
  storage: Storage,
  dataDir: string,
  isRunning: boolean,
): Promise<Finding[]> {
  const { ok, warning } = createFindings('webhooks')
  const { deliveries, events, overdueSeconds } = await loadBacklog(storage)
  const waiting = `${deliveries} deliveries and ${events} events pending`
  const state = await openInstallationId(storage, dataDir).inspect()
  if (state !== undefined && state !== 'new') {
    const how = 'Once no other server sends for this data, run docket webhook resume.'
    return [warning(`not sent: ${MISMATCH_REASONS[state]}; ${waiting}`, how)]
  }
  if (isRunning && overdueSeconds > MAX_OVERDUE_SECONDS) {
    const how =
      'Check docket_webhook_… in /metrics, the load of the server, and its outgoing network.'
    return [warning(`${waiting}, the oldest overdue by ${Math.round(overdueSeconds)} s`, how)]
  }
  return [ok(waiting)]
}

/** A backup that is due should be there after this long. */
const MAX_OVERDUE_MS = 2 * HOUR_MS

/** Checks whether scheduled backups succeed, and whether their target can be read. */
export async function checkBackups(
  storage: Storage,
  dataDir: string,
  settings: BackupSettings | undefined,
): Promise<Finding> {
  const { ok, warning, failed } = createFindings('backups')
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

/**
 * Checks whether background jobs are run, and whether any have failed. `isRunning`: a server is known
 * to run. `hasMail`: a mail server is configured.
 */
export async function checkJobs(
  storage: Storage,
  isRunning: boolean,
  hasMail: boolean,
): Promise<Finding[]> {
  const { ok, warning } = createFindings('jobs')
  const { kinds, failed } = await loadJobBacklog(storage)
  // The periodic job never ends.
  const open = kinds.reduce((sum, { kind, open }) => sum + (kind === 'periodic' ? 0 : open), 0)
  const emails = kinds
    .filter(({ kind }) => kind.endsWith('_email'))
    .reduce((sum, kind) => sum + kind.open, 0)
  const findings: Finding[] = []
  if (emails > 0 && !hasMail) {
    const how = 'Set DOCKET_SMTP_URL and DOCKET_MAIL_FROM for the processes that run jobs.'
    findings.push(warning(`${emails} emails wait for a mail server`, how))
  }
  const overdueSeconds = Math.max(...kinds.map((kind) => kind.overdueSeconds))
  if (isRunning && overdueSeconds > MAX_OVERDUE_SECONDS) {
    const how = 'Check the log of the server, and docket_jobs_… in /metrics.'
    const seconds = Math.round(overdueSeconds)
    findings.push(warning(`${open} pending, the oldest overdue by ${seconds} s`, how))
  }
  if (failed > 0) {
    const how =
      'See why: docket jobs list --status failed. Run one again: docket jobs run --job ID.'
    findings.push(warning(`${failed} have failed in the last 30 days`, how))
  }
  return findings.length > 0 ? findings : [ok(`${open} pending, none failed`)]
}
