import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import { auditChainHeadsSince, auditEntriesAfter, purgeAuditEntries } from '#db/audit/audit-log.ts'
import { timestampOf } from '#lib/clock.ts'
import { DAY_MS, HOUR_MS } from '#lib/durations.ts'
import { forEachAuditChain } from './for-each-workspace.ts'

const MAX_ENTRIES = 500
/** Clocks of several processes differ: this much of the previous round is read again. */
const OVERLAP_MS = 60_000

/**
 * Purges the entries of the audit log that are past their retention. Each purge adds an entry, so a
 * chain is purged only when a whole day of entries is due.
 */
export const purgeOldAuditEntries = (storage: Storage, retentionDays: number) =>
  forEachAuditChain(storage, async (workspace_id) => {
    const actor = { ...ANONYMOUS_ACTOR, workspace_id }
    const daysAgo = (days: number) => timestampOf(storage.clock.now() - days * DAY_MS)
    const query = { after: 0, limit: MAX_ENTRIES }
    const oldest = await storage.read(actor, (tx) => tx.all(auditEntriesAfter, query))
    if ((oldest[0]?.at ?? daysAgo(0)) >= daysAgo(retentionDays + 1)) return false
    const before = daysAgo(retentionDays)
    const firstKept = oldest.findIndex(({ at }) => at >= before)
    const last = firstKept === -1 ? oldest.at(-1) : oldest[firstKept - 1]
    if (!last) return false
    await storage.write(actor, (tx) => purgeAuditEntries(tx, last))
    return firstKept === -1 && oldest.length === MAX_ENTRIES
  })

/**
 * Logs the heads of the audit chains that have grown since the previous round. The log leaves the
 * machine, so that somebody who truncates or rewrites a chain cannot change the heads that were
 * logged.
 */
export function logAuditHeads(
  storage: Storage,
  log: { info(about: object, message: string): void },
): () => Promise<boolean> {
  let roundStartedAt = ''
  let cursor = { since: timestampOf(storage.clock.now() - HOUR_MS), after: '' }
  return async () => {
    if (roundStartedAt === '') roundStartedAt = timestampOf(storage.clock.now() - OVERLAP_MS)
    const heads = await storage.read(ANONYMOUS_ACTOR, (tx) =>
      tx.all(auditChainHeadsSince, { ...cursor, limit: MAX_ENTRIES }),
    )
    for (const { chain, sequence, hash } of heads) {
      log.info({ head: `${chain}:${sequence}:${hash}` }, 'Audit log')
    }
    const last = heads.at(-1)
    if (last && heads.length === MAX_ENTRIES) {
      cursor = { since: last.updated_at, after: last.chain }
      return true
    }
    cursor = { since: roundStartedAt, after: '' }
    roundStartedAt = ''
    return false
  }
}
