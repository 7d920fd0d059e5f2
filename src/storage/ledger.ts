import { NOBODY } from '#core/actor.ts'
import { BEGINNING, hashOfEntry } from './audit-chain.ts'
import { headAtHand } from './audit-log.ts'
import { command, row, type Scoped } from './statement.ts'
import type { AuditEntryRow, AuditHeadRow } from './tables.ts'
import { type Audited, type Connection, type Shared, Transaction } from './transaction.ts'

/**
 * What the writes that share a commit say to the audit log. It is written down once they are all done,
 * last of all and in the order of the chains: so on PostgreSQL whoever holds the end of a chain waits
 * for nothing that somebody else holds who waits for it. A sign-in is of no workspace yet, and still
 * adds to the chain of one.
 */
export class Ledger {
  readonly #on: Connection
  readonly #shared: Shared
  #audited: Audited[] = []

  constructor(on: Connection, shared: Shared) {
    this.#on = on
    this.#shared = shared
  }

  /** A transaction begins: what one that was taken back has said is forgotten. */
  begin(): void {
    this.#audited = []
  }

  /** A write is done, and stays. */
  note(audited: readonly Audited[]): void {
    this.#audited.push(...audited)
  }

  async write(): Promise<void> {
    if (this.#audited.length === 0) return
    const chains = [...Map.groupBy(this.#audited, ({ workspace_id }) => workspace_id)]
    for (const [workspace_id, audited] of chains.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      const tx = new Transaction(this.#on, { ...NOBODY, workspace_id }, this.#shared)
      await extend(tx, audited)
    }
  }
}

/** Adds entries to the chain of the transaction. Its end is held until the commit: nobody else adds. */
async function extend(tx: Transaction, audited: readonly Audited[]): Promise<void> {
  const first = { sequence: 0, hash: BEGINNING, updated_at: tx.now }
  // The one after the other, but without waiting in between.
  const [, head] = await Promise.all([tx.run(holdHead, first), tx.one(headAtHand, {})])
  if (!head) throw new Error('A chain of the audit log has no end')
  let { sequence, hash } = head
  const entries = audited.map((one) => {
    sequence += 1
    hash = hashOfEntry(hash, { ...one, sequence })
    return { ...one, sequence, hash }
  })
  const end = { sequence, hash, updated_at: tx.now }
  await Promise.all([tx.each(append, entries), tx.run(moveHead, end)])
}

const holdHead = command((db, $: Scoped<AuditHeadRow>) =>
  db
    .insertInto('audit_heads')
    .values(row($, 'workspace_id', 'sequence', 'hash', 'updated_at'))
    .onConflict((conflict) => conflict.column('workspace_id').doUpdateSet(row($, 'updated_at'))),
)

const moveHead = command((db, $: Scoped<AuditHeadRow>) =>
  db
    .updateTable('audit_heads')
    .set(row($, 'sequence', 'hash', 'updated_at'))
    .where('workspace_id', '=', $.workspace_id),
)

const append = command((db, $: Scoped<AuditEntryRow>) =>
  db
    .insertInto('audit_entries')
    .values(
      row(
        $,
        ...(['workspace_id', 'sequence', 'at', 'actor_type', 'actor_id', 'credential_id'] as const),
        ...(['action', 'subject_id', 'details', 'operation_id', 'hash'] as const),
      ),
    ),
)
