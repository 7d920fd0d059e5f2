import type { Storage } from '#core/transaction.ts'
import { loadJobBacklog } from '#db/jobs/jobs.ts'
import { createFindings, type Finding } from './finding.ts'

const { ok, warning } = createFindings('jobs')
/** A working server claims a job within seconds of its due time. */
const MAX_OVERDUE_SECONDS = 300

/**
 * Checks whether background jobs are run, and whether any have failed. `isRunning`: a server is known
 * to run. `hasMail`: a mail server is configured.
 */
export async function checkJobs(
  storage: Storage,
  isRunning: boolean,
  hasMail: boolean,
): Promise<Finding[]> {
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
