import { hash } from 'node:crypto'
import { type Actor, ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { ReadTx, Storage } from '#core/transaction.ts'
import type { AuditEntryRow } from '../schema/tables.ts'
import {
  auditChainHead,
  auditEntriesAfter,
  auditEntriesBefore,
  auditEntryRange,
  lastAuditPurge,
} from './audit-log.ts'

/** The previous hash of the first entry in a chain. */
export const AUDIT_CHAIN_GENESIS_HASH = '0'.repeat(64)

/** The version of the hashed format: a new format gets a new name, and old entries keep theirs. */
const HASH_FORMAT = 'docket-audit-1'

type UnhashedAuditEntry = Omit<AuditEntryRow, 'hash'>

/** Hashes an entry together with the hash of the entry before it; lower-case hex. */
export const hashAuditEntry = (previous: string, entry: UnhashedAuditEntry): string =>
  hash(
    'sha256',
    JSON.stringify([
      HASH_FORMAT,
      previous,
      entry.workspace_id,
      entry.sequence,
      entry.at,
      entry.actor_type,
      entry.actor_id,
      entry.credential_id,
      entry.action,
      entry.subject_id,
      entry.details,
      entry.operation_id,
    ]),
  )

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
  if (newest?.sequence !== head.sequence) return createSegmentFault(head.sequence, 'is missing')
  return newest.hash === head.hash ? undefined : createSegmentFault(head.sequence, CHANGED_MESSAGE)
}

/** Checks entries in descending order, so that each is followed by its predecessor. */
function findFaultBetween(entries: readonly AuditEntryRow[]) {
  for (const [at, entry] of entries.entries()) {
    const before = entries[at + 1]
    if (!before) return undefined
    if (before.sequence !== entry.sequence - 1)
      return createSegmentFault(entry.sequence - 1, 'is missing')
    if (hashAuditEntry(before.hash, entry) !== entry.hash)
      return createSegmentFault(entry.sequence, CHANGED_MESSAGE)
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
  if (before?.sequence !== first.sequence - 1)
    return createSegmentFault(first.sequence - 1, 'is missing')
  return hashAuditEntry(before.hash, first) === first.hash
    ? undefined
    : createSegmentFault(first.sequence, CHANGED_MESSAGE)
}

const CHANGED_MESSAGE = 'was changed, or does not follow the previous entry'

const createSegmentFault = (sequence: number, what: string) => ({
  sequence,
  message: `Entry ${sequence} ${what}.`,
})

/** A position in a chain: an entry and its hash, which covers all entries before it. */
export interface AuditChainPosition {
  sequence: number
  hash: string
}

/** The first entry of a chain that was changed or is missing. */
interface AuditChainFault {
  sequence: number
  fault: 'changed' | 'missing' | 'cut' | 'added' | 'rewritten'
  message: string
}

/** The result of verifying a chain. */
export interface AuditChainVerification {
  /** The workspace, or `installation`. */
  chain: string
  /** How many entries were read. */
  entries: number
  /** The head of the chain; null for a chain without an entry. */
  head: AuditChainPosition | null
  fault: AuditChainFault | null
}

interface AuditVerificationOptions {
  /** Positions recorded outside the database that the chain must still contain. */
  recorded?: readonly AuditChainPosition[]
  /** How entries are hashed. */
  hash?: typeof hashAuditEntry
}

/** Entries are read in batches, so memory use does not grow with the chain. */
const BATCH_SIZE = 500

/**
 * Reads a chain to its end and reports the first wrong entry. The server may write meanwhile. If a
 * purge deletes entries while they are being read, the chain is read again.
 */
export async function verifyAuditChain(
  storage: Storage,
  chain: string,
  options: AuditVerificationOptions = {},
): Promise<AuditChainVerification> {
  for (;;) {
    const reader = new AuditChainReader(storage, chain, options)
    const verdict = await reader.verdict()
    if (!verdict.fault || !(await reader.wasPurged())) return verdict
  }
}

class AuditChainReader {
  readonly #storage: Storage
  readonly #actor: Actor
  readonly #recorded: readonly AuditChainPosition[]
  readonly #hash: typeof hashAuditEntry
  #first: AuditEntryRow | undefined
  #entryCount = 0
  #last: AuditChainPosition = { sequence: 0, hash: AUDIT_CHAIN_GENESIS_HASH }
  /** The last purged position, as an entry of the chain itself records it. */
  #purged: AuditChainPosition | undefined

  constructor(
    storage: Storage,
    chain: string,
    { recorded = [], hash = hashAuditEntry }: AuditVerificationOptions,
  ) {
    this.#storage = storage
    this.#actor = { ...ANONYMOUS_ACTOR, workspace_id: chain }
    this.#recorded = recorded
    this.#hash = hash
  }

  async verdict(): Promise<AuditChainVerification> {
    // An entry and its chain's head are written in one transaction, so no entry read before the
    // head can be beyond it.
    const { last } = await this.#loadRange()
    const head = await this.#storage.read(this.#actor, (tx) => tx.one(auditChainHead, {}))
    const fault =
      (await this.#readEntries(head?.sequence ?? 0)) ??
      this.#headFault(head, last ?? 0) ??
      this.#missingRecordedFault()
    const chain = this.#actor.workspace_id
    return { chain, entries: this.#entryCount, head: head ?? null, fault: fault ?? null }
  }

  async wasPurged(): Promise<boolean> {
    const { first } = await this.#loadRange()
    return first !== null && this.#first !== undefined && first > this.#first.sequence
  }

  async #loadRange(): Promise<{ first: number | null; last: number | null }> {
    const ends = await this.#storage.read(this.#actor, (tx) => tx.one(auditEntryRange, {}))
    return ends ?? { first: null, last: null }
  }

  async #readEntries(end: number): Promise<AuditChainFault | undefined> {
    let fault: AuditChainFault | undefined
    while (this.#last.sequence < end && !fault) {
      const range = { after: this.#last.sequence, limit: BATCH_SIZE }
      const page = await this.#storage.read(this.#actor, (tx) => tx.all(auditEntriesAfter, range))
      if (page.length === 0) break
      for (const entry of page) {
        if (entry.sequence > end) break
        fault = this.#verifyEntry(entry)
        if (fault) break
      }
    }
    return fault ?? this.#startFault()
  }

  #verifyEntry(entry: AuditEntryRow): AuditChainFault | undefined {
    const { sequence, hash } = entry
    const isFirst = this.#first === undefined
    this.#first ??= entry
    this.#entryCount += 1
    const expected = this.#last.sequence + 1
    if (sequence !== expected && !isFirst) {
      return createFault(expected, 'missing', 'is missing, but later entries exist')
    }
    // The first entry of a purged chain is verified later, against the purge entry that names its
    // predecessor.
    const canVerify = !isFirst || sequence === 1
    if (canVerify && this.#hash(this.#last.hash, entry) !== hash) {
      return changedFault(sequence)
    }
    if (
      this.#recorded.some((position) => position.sequence === sequence && position.hash !== hash)
    ) {
      return rewrittenFault(sequence)
    }
    if (entry.action === 'audit.purged')
      this.#purged = JSON.parse(entry.details) as AuditChainPosition
    this.#last = { sequence, hash }
    return undefined
  }

  #startFault(): AuditChainFault | undefined {
    const first = this.#first
    if (!first || first.sequence === 1) return undefined
    const { sequence, hash } = this.#purged ?? { sequence: 0, hash: AUDIT_CHAIN_GENESIS_HASH }
    if (sequence < first.sequence - 1) {
      return createFault(
        sequence + 1,
        'missing',
        'is missing, and no entry records that it was purged',
      )
    }
    if (this.#hash(hash, first) !== first.hash) return changedFault(first.sequence)
    const isRewritten = this.#recorded.some(
      (position) => position.sequence === sequence && position.hash !== hash,
    )
    return isRewritten ? rewrittenFault(sequence) : undefined
  }

  #headFault(head: AuditChainPosition | undefined, last: number): AuditChainFault | undefined {
    const reached = this.#last
    const end = head?.sequence ?? 0
    if (last > end) return createFault(end + 1, 'added', 'is after the head of the chain')
    if (reached.sequence < end) {
      return createFault(reached.sequence + 1, 'cut', `and all up to ${end} are missing`)
    }
    if (head && end > 0 && reached.hash !== head.hash) {
      return createFault(
        end,
        'changed',
        'is the last one, but does not match the head of the chain',
      )
    }
    return undefined
  }

  #missingRecordedFault(): AuditChainFault | undefined {
    const { sequence } = this.#last
    const missing = this.#recorded.find((position) => position.sequence > sequence)
    if (!missing) return undefined
    const why = `and all up to the recorded head ${missing.sequence} are missing`
    return createFault(sequence + 1, 'cut', why)
  }
}

const changedFault = (sequence: number) =>
  createFault(sequence, 'changed', 'was changed, or does not follow the previous entry')

const rewrittenFault = (sequence: number) =>
  createFault(sequence, 'rewritten', 'does not match the recorded head: the chain was rewritten')

const createFault = (
  sequence: number,
  fault: AuditChainFault['fault'],
  what: string,
): AuditChainFault => ({
  sequence,
  fault,
  message: `Entry ${sequence} ${what}.`,
})
