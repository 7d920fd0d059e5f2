import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { JOB_KIND_NAMES, type JobKindName } from '#core/job.ts'
import type { Storage } from '#core/transaction.ts'
import { timestampOf } from '#lib/clock.ts'
import { unscopedQuery } from '../core/statement.ts'

/** The jobs of one kind that have not ended. */
export interface JobBacklog {
  kind: JobKindName
  open: number
  /** Seconds since the most overdue one could have been claimed. */
  overdueSeconds: number
}

/** Reads how many jobs of each kind have not ended, and how many have failed and are kept. */
export async function loadJobBacklog(
  storage: Storage,
): Promise<{ kinds: JobBacklog[]; failed: number }> {
  const now = storage.clock.now()
  return storage.read(ANONYMOUS_ACTOR, async (tx) => {
    const kinds: JobBacklog[] = []
    for (const kind of JOB_KIND_NAMES) {
      const counts = await tx.one(openJobCounts, { kind })
      const dueAt = Date.parse(counts?.due_at ?? timestampOf(now))
      const overdueSeconds = Math.max(0, now - dueAt) / 1000
      kinds.push({ kind, open: Number(counts?.open ?? 0), overdueSeconds })
    }
    return { kinds, failed: Number((await tx.one(failedJobCount, {}))?.failed ?? 0) }
  })
}

const openJobCounts = unscopedQuery((db, $: { kind: JobKindName }) =>
  db
    .selectFrom('jobs')
    .select((job) => [
      job.fn.countAll<number>().as('open'),
      job.fn.min<string | null>('run_at').as('due_at'),
    ])
    .where('kind', '=', $.kind)
    .where('ended_at', 'is', null),
)

/** At most as many as the purge keeps. */
const failedJobCount = unscopedQuery((db) =>
  db
    .selectFrom('jobs')
    .select((job) => job.fn.countAll<number>().as('failed'))
    .where('status', '=', 'failed')
    .where('ended_at', 'is not', null),
)
