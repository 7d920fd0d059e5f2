import { createExportJob } from '#archive/export/export-jobs.ts'
import type { Storage } from '#core/transaction.ts'
import type { Files } from '#files/files.ts'
import { createJobWorker } from '#jobs/queue/job-worker.ts'
import { testLog } from '../engines/test-docket.ts'

/** Makes the archives that are waiting, as one process; returns how many jobs it found. */
export async function runExportJobs(
  storage: Storage,
  files: Files,
  maxBytes = Number.POSITIVE_INFINITY,
): Promise<number> {
  const kinds = [createExportJob({ storage, files, log: testLog, maxBytes })]
  const worker = createJobWorker({ storage, kinds, log: testLog })
  return worker.runDueJobs()
}
