import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import { auditChainsMissingHead } from '#db/audit/audit-log.ts'
import { createFindings, type Finding } from './finding.ts'

const { ok, failed } = createFindings('audit log')

/**
 * Checks that every chain of the audit log has its end. `docket audit verify` reads the whole log.
 */
export async function checkAuditLog(storage: Storage): Promise<Finding> {
  const [missing] = await storage.read(ANONYMOUS_ACTOR, (tx) =>
    tx.all(auditChainsMissingHead, { limit: 1 }),
  )
  if (!missing) return ok('the head of every chain is present')
  return failed(
    `the head of chain ${missing.chain} is missing or was changed`,
    'Run docket audit verify, and check who had access to the database.',
  )
}
