import { conflict, notFound } from '#core/api-error.ts'
import {
  JOB_KIND_NAMES,
  JOB_STATUSES,
  type JobKindName,
  type JobPayload,
  type JobStatus,
} from '#core/job.ts'
import type { ReadTx, WriteTx } from '#core/transaction.ts'
import { endedJobs, jobInAnyWorkspace, openJobsOfKind, runJobAgain } from '#db/jobs/jobs.ts'
import { restartFailedExport } from '#resources/exports/operations.ts'
import { resumeFailedImport } from '#resources/imports/operations.ts'
import { Optional, StringEnum } from '#wire/schema-builders.ts'
import { defineCommand, IdOption } from '../arguments.ts'
import { systemActor } from '../installation.ts'

const MAX_LISTED = 100

const list = defineCommand({
  access: 'read',
  name: 'jobs list',
  summary: 'List background jobs: those that have not ended, or those with a status',
  options: {
    status: Optional(StringEnum(JOB_STATUSES)),
    kind: Optional(StringEnum(JOB_KIND_NAMES)),
  },
  async run({ storage, installationActor }, { status, kind }) {
    const jobs = await (await storage()).read(installationActor, (tx) => listJobs(tx, status))
    return { data: jobs.filter((job) => kind === undefined || job.kind === kind) }
  },
})

async function listJobs(tx: ReadTx, status: JobStatus | undefined) {
  const limit = MAX_LISTED
  if (status === 'done' || status === 'failed') return tx.all(endedJobs, { status, limit })
  const jobs = await Promise.all(
    JOB_KIND_NAMES.map((kind) => tx.all(openJobsOfKind, { kind, limit })),
  )
  return jobs.flat().filter((job) => status === undefined || job.status === status)
}

const show = defineCommand({
  access: 'read',
  name: 'jobs show',
  summary: 'Show a background job with its progress, its last error and what it is about',
  options: { job: IdOption('job') },
  async run({ storage, installationActor }, { job: id }) {
    const job = await (await storage()).read(installationActor, (tx) =>
      tx.one(jobInAnyWorkspace, { id }),
    )
    if (!job) throw notFound()
    return { ...job, payload: JSON.parse(job.payload) as JobPayload }
  },
})

/** Kinds whose secret is removed when the job ends. */
const KINDS_WITH_SECRET: readonly JobKindName[] = ['password_reset_email', 'invitation_email']

const run = defineCommand({
  name: 'jobs run',
  summary: 'Run a background job now that waits for its next attempt or has failed',
  options: { job: IdOption('job') },
  async run({ storage, installationActor }, { job: id }) {
    const opened = await storage()
    const job = await opened.read(installationActor, (tx) => tx.one(jobInAnyWorkspace, { id }))
    if (!job) throw notFound()
    await opened.write(systemActor(job.workspace_id), async (tx) => {
      if ((await tx.run(runJobAgain, { id, now: tx.now })) === 0) {
        throw conflict(
          'job_not_runnable',
          'The job is running or done, or has been enqueued again.',
        )
      }
      if (job.status === 'failed') await prepareFailedJob(tx, job)
    })
    return { id, kind: job.kind, status: 'waiting' }
  },
})

async function prepareFailedJob(
  tx: WriteTx,
  { kind, payload }: { kind: JobKindName; payload: string },
): Promise<void> {
  if (KINDS_WITH_SECRET.includes(kind)) {
    throw conflict(
      'job_not_runnable',
      'The link of this email was removed when the job failed. Invite again, or request another link.',
    )
  }
  const subject = JSON.parse(payload) as JobPayload
  if (kind === 'import') await resumeFailedImport(tx, subject)
  if (kind === 'export') await restartFailedExport(tx, subject)
}

export const jobCommands = [list, show, run]
