import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { WriteTx } from '#core/transaction.ts'
import { command, pickSlots, query, type Scoped, unscopedQuery } from '../core/statement.ts'
import {
  type EngineConnection,
  type PendingAuditEntry,
  Transaction,
  type TransactionContext,
} from '../core/transaction.ts'

/** An entry with its place in the log of its workspace, or of the installation. */
export interface AuditLogEntry extends PendingAuditEntry {
  sequence: number
}

const ENTRY_COLUMNS = [
  ...(['workspace_id', 'sequence', 'at', 'actor_type', 'actor_id', 'credential_id'] as const),
  ...(['action', 'subject_id', 'details', 'operation_id'] as const),
]

/** The sequence of the newest entry of the workspace's log. */
export const lastAuditSequence = query((db) => db.selectFrom('audit_heads').select('sequence'))

/** Entries of the workspace's log after `after`, oldest first. */
export const auditEntriesAfter = query((db, $: Scoped<{ after: number; limit: number }>) =>
  db
    .selectFrom('audit_entries')
    .select(ENTRY_COLUMNS)
    .where('sequence', '>', $.after)
    .orderBy('sequence')
    .limit($.limit),
)

/** Entries of the workspace's log before `before`, newest first. */
export const auditEntriesBefore = query((db, $: Scoped<{ before: number; limit: number }>) =>
  db
    .selectFrom('audit_entries')
    .select(ENTRY_COLUMNS)
    .where('sequence', '<', $.before)
    .orderBy('sequence', 'desc')
    .limit($.limit),
)

/** Workspaces with an audit log, also deleted ones, and `installation`, in order of their ids. */
export const auditLogsAfter = unscopedQuery((db, $: { after: string; limit: number }) =>
  db
    .selectFrom('audit_heads')
    .select('workspace_id as id')
    .where('workspace_id', '>', $.after)
    .orderBy('workspace_id')
    .limit($.limit),
)

/** Deletes the entries of the workspace's log up to `sequence`, and records that in an entry. */
export async function purgeAuditEntries(tx: WriteTx, sequence: number): Promise<void> {
  if ((await tx.run(deleteEntries, { sequence })) === 0) return
  tx.audit('audit.purged', null, { sequence })
}

const deleteEntries = command((db, $: Scoped<{ sequence: number }>) =>
  db.deleteFrom('audit_entries').where('sequence', '<=', $.sequence),
)

/**
 * Collects the audit entries of the writes that share a commit, and writes them once, at the end of
 * the transaction and in the order of the logs. So a transaction that holds the lock of a log's last
 * sequence on PostgreSQL waits for no other lock, which prevents deadlocks: a sign-in belongs to no
 * workspace yet and still adds to the log of one.
 */
export class AuditWriter {
  readonly #connection: EngineConnection
  readonly #shared: TransactionContext
  #pending: PendingAuditEntry[] = []
  #written: AuditLogEntry[] = []

  constructor(connection: EngineConnection, shared: TransactionContext) {
    this.#connection = connection
    this.#shared = shared
  }

  /** Drops the entries of a transaction that was rolled back. */
  begin(): void {
    this.#pending = []
    this.#written = []
  }

  /** Adds the entries of a write that will be committed. */
  add(audited: readonly PendingAuditEntry[]): void {
    this.#pending.push(...audited)
  }

  async write(): Promise<void> {
    if (this.#pending.length === 0) return
    const logs = [...Map.groupBy(this.#pending, ({ workspace_id }) => workspace_id)]
    for (const [workspace_id, audited] of logs.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      const actor = { ...ANONYMOUS_ACTOR, workspace_id }
      const tx = new Transaction(this.#connection, actor, this.#shared)
      this.#written.push(...(await appendEntries(tx, audited)))
    }
  }

  /** Hands the entries to `onAuditEntry`, once they are committed. */
  announce(): void {
    const { onAuditEntry } = this.#shared
    if (onAuditEntry) this.#written.forEach(onAuditEntry)
  }
}

/** Appends entries to the transaction's log, whose last sequence stays locked until the commit. */
async function appendEntries(
  tx: Transaction,
  audited: readonly PendingAuditEntry[],
): Promise<AuditLogEntry[]> {
  const count = audited.length
  // The connection runs them in order; awaiting them together saves a round trip.
  const [, last] = await Promise.all([
    tx.run(takeSequences, { count, updated_at: tx.now }),
    tx.one(lastAuditSequence, {}),
  ])
  if (!last) throw new Error('An audit log has no last sequence')
  const first = last.sequence - count + 1
  const entries = audited.map((entry, at) => ({ ...entry, sequence: first + at }))
  await tx.runEach(insertEntry, entries)
  return entries
}

/** No code reads the columns `hash`, which have no default. */
const UNUSED_HASH = { hash: '' }

const takeSequences = command((db, $: Scoped<{ count: number; updated_at: string }>) =>
  db
    .insertInto('audit_heads')
    .values({ ...pickSlots($, 'workspace_id', 'updated_at'), ...UNUSED_HASH, sequence: $.count })
    .onConflict((conflict) =>
      conflict.column('workspace_id').doUpdateSet((is) => ({
        ...pickSlots($, 'updated_at'),
        ...UNUSED_HASH,
        sequence: is('audit_heads.sequence', '+', is.ref('excluded.sequence')),
      })),
    ),
)

const insertEntry = command((db, $: Scoped<AuditLogEntry>) =>
  db.insertInto('audit_entries').values({ ...pickSlots($, ...ENTRY_COLUMNS), ...UNUSED_HASH }),
)
