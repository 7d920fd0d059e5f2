import { Counter, Gauge, type Registry } from 'prom-client'
import type { JobKind } from '#core/job.ts'
import type { loadJobBacklog } from '#db/jobs/jobs.ts'
import { shareLoad } from '#lib/maybe-promise.ts'

/** How an attempt at a job ended; `interrupted`: the process stopped or lost its lease. */
export type JobOutcome = 'done' | 'again' | 'retried' | 'failed' | 'interrupted'

const EMAIL_OUTCOMES: Partial<Record<JobOutcome, string>> = {
  done: 'sent',
  retried: 'retried',
  failed: 'failed',
}

/** Registers the metrics of background jobs, and returns what counts an attempt. */
export function createJobMetrics(
  registry: Registry,
  loadBacklog: () => ReturnType<typeof loadJobBacklog>,
): (kind: Pick<JobKind, 'name'>, outcome: JobOutcome) => void {
  const registers = [registry]
  const attempts = new Counter({
    name: 'docket_job_attempts_total',
    help: 'Attempts at background jobs by kind and by how they ended',
    labelNames: ['kind', 'outcome'],
    registers,
  })
  const emails = new Counter({
    name: 'docket_email_attempts_total',
    help: 'Attempts to send emails, by whether they were sent, will be retried, or failed for good',
    labelNames: ['outcome'],
    registers,
  })
  // An alert sees only an increase of a series that exists already.
  for (const outcome of Object.values(EMAIL_OUTCOMES)) emails.inc({ outcome }, 0)
  const loadOnce = shareLoad(loadBacklog)
  const gaugeOfKinds = (name: string, help: string, of: 'open' | 'overdueSeconds') =>
    new Gauge({
      name,
      help,
      labelNames: ['kind'],
      registers,
      // Each of several processes on one port reports the jobs of the whole database.
      aggregator: 'max',
      async collect() {
        const backlog = await loadOnce()
        this.reset()
        for (const jobs of backlog?.kinds ?? []) this.set({ kind: jobs.kind }, jobs[of])
      },
    })
  gaugeOfKinds('docket_jobs_open', 'Background jobs that have not ended, by kind', 'open')
  gaugeOfKinds(
    'docket_jobs_overdue_seconds',
    'For how long the most overdue background job could have been run, by kind',
    'overdueSeconds',
  )
  new Gauge({
    name: 'docket_jobs_failed',
    help: 'Background jobs that have failed and are not retried',
    registers,
    aggregator: 'max',
    async collect() {
      this.set((await loadOnce())?.failed ?? Number.NaN)
    },
  })
  return ({ name: kind }, outcome) => {
    attempts.inc({ kind, outcome })
    const emailOutcome = kind.endsWith('_email') ? EMAIL_OUTCOMES[outcome] : undefined
    if (emailOutcome !== undefined) emails.inc({ outcome: emailOutcome })
  }
}
