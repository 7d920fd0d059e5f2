import type { ReadTx } from '#core/tx.ts'
import { BEGINNING, hashOfEntry } from './audit-chain.ts'
import { entriesBefore, headAtHand, lastPurge } from './audit-log.ts'
import type { AuditEntryRow } from './tables.ts'

/** So many are read at a time, some hundred bytes each. */
const AT_ONCE = 1_000

interface Stretch {
  newest: AuditEntryRow | undefined
  oldest: AuditEntryRow | undefined
  fault: { sequence: number; message: string } | undefined
  /** Whether there are entries before the oldest. */
  has_more: boolean
}

/**
 * Reckons the hashes of the newest entries of the chain at hand anew, or of those up to `to`, back over at
 * most 1,000. What is before them is not looked at: whoever wants all of it goes on from the oldest.
 */
export async function checkStretch(tx: ReadTx, to?: number): Promise<Stretch> {
  const head = await tx.one(headAtHand, {})
  const end = to ?? head?.sequence ?? 0
  // One more, so that the oldest has the one before.
  const entries = await tx.all(entriesBefore, { before: end + 1, limit: AT_ONCE + 1 })
  const has_more = entries.length > AT_ONCE
  const looked = entries.slice(0, AT_ONCE)
  const fault =
    (to === undefined ? faultOfEnd(head, looked[0]) : undefined) ??
    faultWithin(entries) ??
    (has_more ? undefined : await faultOfBeginning(tx, looked.at(-1)))
  return { newest: looked[0], oldest: looked.at(-1), fault, has_more }
}

type Place = Pick<AuditEntryRow, 'sequence' | 'hash'>

function faultOfEnd(head: Place | undefined, newest: AuditEntryRow | undefined) {
  if (!head || head.sequence === 0) return undefined
  if (newest?.sequence !== head.sequence) return faulty(head.sequence, 'is missing')
  return newest.hash === head.hash ? undefined : faulty(head.sequence, CHANGED)
}

/** Of entries in descending order, each with the one before it behind it. */
function faultWithin(entries: readonly AuditEntryRow[]) {
  for (const [at, entry] of entries.entries()) {
    const before = entries[at + 1]
    if (!before) return undefined
    if (before.sequence !== entry.sequence - 1) return faulty(entry.sequence - 1, 'is missing')
    if (hashOfEntry(before.hash, entry) !== entry.hash) return faulty(entry.sequence, CHANGED)
  }
  return undefined
}

/** The first that there is: of all, or the one behind those that the chain itself says were purged. */
async function faultOfBeginning(tx: ReadTx, first: AuditEntryRow | undefined) {
  if (!first) return undefined
  const purged = await tx.one(lastPurge, {})
  const said = purged && (JSON.parse(purged.details) as Place)
  // It was taken away meanwhile, with those before it.
  if (said && said.sequence >= first.sequence) return undefined
  const before = first.sequence === 1 ? { sequence: 0, hash: BEGINNING } : said
  if (before?.sequence !== first.sequence - 1) return faulty(first.sequence - 1, 'is missing')
  return hashOfEntry(before.hash, first) === first.hash
    ? undefined
    : faulty(first.sequence, CHANGED)
}

const CHANGED = 'is not what was written, or does not follow the one before'

const faulty = (sequence: number, what: string) => ({
  sequence,
  message: `Entry ${sequence} ${what}.`,
})
