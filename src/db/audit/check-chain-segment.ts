import type { ReadTx } from '#core/transaction.ts'
import type { AuditEntryRow } from '../schema/tables.ts'
import { auditChainHead, auditEntriesBefore, lastAuditPurge } from './audit-log.ts'
import { AUDIT_CHAIN_GENESIS_HASH, hashAuditEntry } from './hash-chain.ts'

/** Entries per check; each has a few hundred bytes. */
const MAX_ENTRIES = 1_000

interface AuditChainSegment {
  newest: AuditEntryRow | undefined
  oldest: AuditEntryRow | undefined
  fault: { sequence: number; message: string } | undefined
  /** Whether there are entries before the oldest. */
  has_more: boolean
}

/**
 * Recomputes the hashes of the newest 1,000 entries of the workspace's chain, or of the 1,000 up to
 * `to`. Earlier entries are not checked: a caller that wants the whole chain continues from `oldest`.
 */
export async function checkChainSegment(tx: ReadTx, to?: number): Promise<AuditChainSegment> {
  const head = await tx.one(auditChainHead, {})
  const end = to ?? head?.sequence ?? 0
  // One entry more, because checking the oldest needs the hash of its predecessor.
  const entries = await tx.all(auditEntriesBefore, { before: end + 1, limit: MAX_ENTRIES + 1 })
  const has_more = entries.length > MAX_ENTRIES
  const checked = entries.slice(0, MAX_ENTRIES)
  const fault =
    (to === undefined ? findFaultAtHead(head, checked[0]) : undefined) ??
    findFaultBetween(entries) ??
    (has_more ? undefined : await findFaultAtStart(tx, checked.at(-1)))
  return { newest: checked[0], oldest: checked.at(-1), fault, has_more }
}

type SequenceAndHash = Pick<AuditEntryRow, 'sequence' | 'hash'>

function findFaultAtHead(head: SequenceAndHash | undefined, newest: AuditEntryRow | undefined) {
  if (!head || head.sequence === 0) return undefined
  if (newest?.sequence !== head.sequence) return createFault(head.sequence, 'is missing')
  return newest.hash === head.hash ? undefined : createFault(head.sequence, CHANGED_MESSAGE)
}

/** Checks entries in descending order, so that each is followed by its predecessor. */
function findFaultBetween(entries: readonly AuditEntryRow[]) {
  for (const [at, entry] of entries.entries()) {
    const before = entries[at + 1]
    if (!before) return undefined
    if (before.sequence !== entry.sequence - 1) return createFault(entry.sequence - 1, 'is missing')
    if (hashAuditEntry(before.hash, entry) !== entry.hash)
      return createFault(entry.sequence, CHANGED_MESSAGE)
  }
  return undefined
}

/** Checks the oldest entry left: entry 1, or the one after the last entry recorded as purged. */
async function findFaultAtStart(tx: ReadTx, first: AuditEntryRow | undefined) {
  if (!first) return undefined
  const purged = await tx.one(lastAuditPurge, {})
  const lastPurged = purged && (JSON.parse(purged.details) as SequenceAndHash)
  // A purge has deleted this entry and its predecessors since they were read.
  if (lastPurged && lastPurged.sequence >= first.sequence) return undefined
  const before = first.sequence === 1 ? { sequence: 0, hash: AUDIT_CHAIN_GENESIS_HASH } : lastPurged
  if (before?.sequence !== first.sequence - 1) return createFault(first.sequence - 1, 'is missing')
  return hashAuditEntry(before.hash, first) === first.hash
    ? undefined
    : createFault(first.sequence, CHANGED_MESSAGE)
}

const CHANGED_MESSAGE = 'was changed, or does not follow the previous entry'

const createFault = (sequence: number, what: string) => ({
  sequence,
  message: `Entry ${sequence} ${what}.`,
})
