import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { command, pickSlots, type Scoped } from '../core/statement.ts'
import {
  type EngineConnection,
  type PendingAuditEntry,
  Transaction,
  type TransactionContext,
} from '../core/transaction.ts'
import type { AuditEntryRow, AuditHeadRow } from '../schema/tables.ts'
import { auditChainHead } from './audit-log.ts'
import { AUDIT_CHAIN_GENESIS_HASH, hashAuditEntry } from './verify-chain.ts'

/**
 * Collects the audit entries of the writes that share a commit, and writes them once, at the end of
 * the transaction and in the order of the chains. So a transaction that holds the lock of a chain's
 * head on PostgreSQL waits for no other lock, which prevents deadlocks: a sign-in belongs to no
 * workspace yet and still adds to the chain of one.
 */
export class AuditWriter {
  readonly #connection: EngineConnection
  readonly #shared: TransactionContext
  #entries: PendingAuditEntry[] = []

  constructor(connection: EngineConnection, shared: TransactionContext) {
    this.#connection = connection
    this.#shared = shared
  }

  /** Drops the entries of a transaction that was rolled back. */
  begin(): void {
    this.#entries = []
  }

  /** Adds the entries of a write that will be committed. */
  add(audited: readonly PendingAuditEntry[]): void {
    this.#entries.push(...audited)
  }

  async write(): Promise<void> {
    if (this.#entries.length === 0) return
    const chains = [...Map.groupBy(this.#entries, ({ workspace_id }) => workspace_id)]
    for (const [workspace_id, audited] of chains.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      const tx = new Transaction(
        this.#connection,
        { ...ANONYMOUS_ACTOR, workspace_id },
        this.#shared,
      )
      await appendToChain(tx, audited)
    }
  }
}

/** Appends entries to the transaction's chain. Its head stays locked until the commit. */
async function appendToChain(
  tx: Transaction,
  audited: readonly PendingAuditEntry[],
): Promise<void> {
  const first = { sequence: 0, hash: AUDIT_CHAIN_GENESIS_HASH, updated_at: tx.now }
  // The connection runs them in order; awaiting them together saves a round trip.
  const [, head] = await Promise.all([tx.run(lockHead, first), tx.one(auditChainHead, {})])
  if (!head) throw new Error('A chain of the audit log has no end')
  let { sequence, hash } = head
  const entries = audited.map((entry) => {
    sequence += 1
    hash = hashAuditEntry(hash, { ...entry, sequence })
    return { ...entry, sequence, hash }
  })
  const end = { sequence, hash, updated_at: tx.now }
  await Promise.all([tx.runEach(insertEntry, entries), tx.run(moveHead, end)])
}

const lockHead = command((db, $: Scoped<AuditHeadRow>) =>
  db
    .insertInto('audit_heads')
    .values(pickSlots($, 'workspace_id', 'sequence', 'hash', 'updated_at'))
    .onConflict((conflict) =>
      conflict.column('workspace_id').doUpdateSet(pickSlots($, 'updated_at')),
    ),
)

const moveHead = command((db, $: Scoped<AuditHeadRow>) =>
  db
    .updateTable('audit_heads')
    .set(pickSlots($, 'sequence', 'hash', 'updated_at'))
    .where('workspace_id', '=', $.workspace_id),
)

const insertEntry = command((db, $: Scoped<AuditEntryRow>) =>
  db
    .insertInto('audit_entries')
    .values(
      pickSlots(
        $,
        'workspace_id',
        'sequence',
        'at',
        'actor_type',
        'actor_id',
        'credential_id',
        'action',
        'subject_id',
        'details',
        'operation_id',
        'hash',
      ),
    ),
)
