import { NOBODY } from '#core/actor.ts'
import type { Storage } from '#core/tx.ts'
import { lostEnds } from '#storage/audit-log.ts'
import { type Finding, findings } from './finding.ts'

const { ok, failed } = findings('audit log')

/** Whether every chain of the audit log ends where it should. Reading all of it is for `audit verify`. */
export async function lookAtAudit(storage: Storage): Promise<Finding> {
  const [lost] = await storage.read(NOBODY, (tx) => tx.all(lostEnds, { limit: 1 }))
  if (!lost) return ok('every chain has its end')
  return failed(
    `the end of the chain ${lost.chain} is missing or was changed`,
    'See what else was: docket audit verify. Who had access to the database?',
  )
}
