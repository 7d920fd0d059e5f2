import { sql } from 'kysely'
import type { WriteTx } from '#core/transaction.ts'
import { command, query, type Scoped, unscopedQuery } from '../core/statement.ts'

/** The head of the workspace's chain: its last sequence and hash. */
export const auditChainHead = query((db, $: Scoped) =>
  db
    .selectFrom('audit_heads')
    .select(['sequence', 'hash'])
    .where('workspace_id', '=', $.workspace_id),
)

const ENTRY_COLUMNS = [
  ...(['workspace_id', 'sequence', 'at', 'actor_type', 'actor_id', 'credential_id'] as const),
  ...(['action', 'subject_id', 'details', 'operation_id', 'hash'] as const),
]

type AuditEntriesAfterParams = Scoped<{ after: number; limit: number }>

/** Entries of the workspace's chain after `after`, oldest first. */
export const auditEntriesAfter = query((db, $: AuditEntriesAfterParams) =>
  db
    .selectFrom('audit_entries')
    .select(ENTRY_COLUMNS)
    .where('workspace_id', '=', $.workspace_id)
    .where('sequence', '>', $.after)
    .orderBy('sequence')
    .limit($.limit),
)

/** Entries of the workspace's chain before `before`, newest first. */
export const auditEntriesBefore = query((db, $: Scoped<{ before: number; limit: number }>) =>
  db
    .selectFrom('audit_entries')
    .select(ENTRY_COLUMNS)
    .where('workspace_id', '=', $.workspace_id)
    .where('sequence', '<', $.before)
    .orderBy('sequence', 'desc')
    .limit($.limit),
)

/** The chain's own record of the last purge: its details name the last entry deleted. */
export const lastAuditPurge = query((db, $: Scoped) =>
  db
    .selectFrom('audit_entries')
    .select('details')
    .where('workspace_id', '=', $.workspace_id)
    .where('action', '=', 'audit.purged')
    .orderBy('sequence', 'desc')
    .limit(1),
)

/** The sequences of the first and last entries stored for the workspace's chain. */
export const auditEntryRange = query((db, $: Scoped) =>
  db.selectNoFrom((is) => [
    is
      .selectFrom('audit_entries')
      .select((of) => of.fn.min<number | null>('sequence').as('first'))
      .where('workspace_id', '=', $.workspace_id)
      .as('first'),
    is
      .selectFrom('audit_entries')
      .select((of) => of.fn.max<number | null>('sequence').as('last'))
      .where('workspace_id', '=', $.workspace_id)
      .as('last'),
  ]),
)

/** Chains that have a head, in order of workspace ids. */
export const auditChainsAfter = unscopedQuery((db, $: { after: string; limit: number }) =>
  db
    .selectFrom('audit_heads')
    .select('workspace_id as id')
    .where('workspace_id', '>', $.after)
    .orderBy('workspace_id')
    .limit($.limit),
)

/** The next chain with entries, whether or not it has a head. */
export const nextAuditChainWithEntries = unscopedQuery((db, $: { after: string }) =>
  db
    .selectFrom('audit_entries')
    .select('workspace_id as id')
    .where('workspace_id', '>', $.after)
    .orderBy('workspace_id')
    .limit(1),
)

/** Heads of chains that were extended since `since`, in the order of those changes. */
export const auditChainHeadsSince = unscopedQuery(
  (db, $: { since: string; after: string; limit: number }) =>
    db
      .selectFrom('audit_heads')
      .select(['workspace_id as chain', 'sequence', 'hash', 'updated_at'])
      .where(sql<boolean>`(updated_at, workspace_id) > (${$.since}, ${$.after})`)
      .orderBy('updated_at')
      .orderBy('workspace_id')
      .limit($.limit),
)

/** Chains whose head refers to an entry that is missing or has another hash. */
export const auditChainsMissingHead = unscopedQuery((db, $: { limit: number }) =>
  db
    .selectFrom('audit_heads')
    .select('workspace_id as chain')
    .where((is) =>
      is.not(
        is.exists(
          is
            .selectFrom('audit_entries')
            .select('audit_entries.sequence')
            .whereRef('audit_entries.workspace_id', '=', 'audit_heads.workspace_id')
            .whereRef('audit_entries.sequence', '=', 'audit_heads.sequence')
            .whereRef('audit_entries.hash', '=', 'audit_heads.hash'),
        ),
      ),
    )
    .orderBy('workspace_id')
    .limit($.limit),
)

/**
 * Deletes the entries of the workspace's chain up to `sequence`. The chain records its new start in
 * an entry of its own, so shortening it in any other way is detected.
 */
export async function purgeAuditEntries(
  tx: WriteTx,
  { sequence, hash }: { sequence: number; hash: string },
): Promise<void> {
  if ((await tx.run(deleteEntries, { sequence })) === 0) return
  tx.audit('audit.purged', null, { sequence, hash })
}

const deleteEntries = command((db, $: Scoped<{ sequence: number }>) =>
  db
    .deleteFrom('audit_entries')
    .where('workspace_id', '=', $.workspace_id)
    .where('sequence', '<=', $.sequence),
)
