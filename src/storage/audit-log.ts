import { sql } from 'kysely'
import type { WriteTx } from '#core/tx.ts'
import { command, query, queryOfAll, type Scoped } from './statement.ts'

/** The end of the chain at hand. */
export const headAtHand = query((db, $: Scoped) =>
  db
    .selectFrom('audit_heads')
    .select(['sequence', 'hash'])
    .where('workspace_id', '=', $.workspace_id),
)

const ENTRY = [
  ...(['workspace_id', 'sequence', 'at', 'actor_type', 'actor_id', 'credential_id'] as const),
  ...(['action', 'subject_id', 'details', 'operation_id', 'hash'] as const),
]

type From = Scoped<{ after: number; limit: number }>

/** Entries of the chain at hand behind `after`, the oldest first. */
export const entriesAfter = query((db, $: From) =>
  db
    .selectFrom('audit_entries')
    .select(ENTRY)
    .where('workspace_id', '=', $.workspace_id)
    .where('sequence', '>', $.after)
    .orderBy('sequence')
    .limit($.limit),
)

/** Entries of the chain at hand before `before`, the newest first. */
export const entriesBefore = query((db, $: Scoped<{ before: number; limit: number }>) =>
  db
    .selectFrom('audit_entries')
    .select(ENTRY)
    .where('workspace_id', '=', $.workspace_id)
    .where('sequence', '<', $.before)
    .orderBy('sequence', 'desc')
    .limit($.limit),
)

/** What the chain at hand says of the last time that entries were taken away. */
export const lastPurge = query((db, $: Scoped) =>
  db
    .selectFrom('audit_entries')
    .select('details')
    .where('workspace_id', '=', $.workspace_id)
    .where('action', '=', 'audit.purged')
    .orderBy('sequence', 'desc')
    .limit(1),
)

/** The first and the last entry that there is of the chain at hand. */
export const endsOfEntries = query((db, $: Scoped) =>
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

/** Chains of which the end is known, by their workspaces. */
export const chainsAfter = queryOfAll((db, $: { after: string; limit: number }) =>
  db
    .selectFrom('audit_heads')
    .select('workspace_id as id')
    .where('workspace_id', '>', $.after)
    .orderBy('workspace_id')
    .limit($.limit),
)

/** The next chain of which there are entries, whether or not its end is known. */
export const entriesOfNext = queryOfAll((db, $: { after: string }) =>
  db
    .selectFrom('audit_entries')
    .select('workspace_id as id')
    .where('workspace_id', '>', $.after)
    .orderBy('workspace_id')
    .limit(1),
)

/** The ends of chains that have moved since then, in that order. */
export const headsSince = queryOfAll((db, $: { since: string; after: string; limit: number }) =>
  db
    .selectFrom('audit_heads')
    .select(['workspace_id as chain', 'sequence', 'hash', 'updated_at'])
    .where(sql<boolean>`(updated_at, workspace_id) > (${$.since}, ${$.after})`)
    .orderBy('updated_at')
    .orderBy('workspace_id')
    .limit($.limit),
)

/** Chains whose last entry is not there as their end says. */
export const lostEnds = queryOfAll((db, $: { limit: number }) =>
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
 * Takes away the entries of the chain at hand up to the one that is named. The chain itself keeps where
 * it begins from now on, and so nobody can shorten it in another way without its being seen.
 */
export async function purgeEntries(
  tx: WriteTx,
  { sequence, hash }: { sequence: number; hash: string },
): Promise<void> {
  if ((await tx.run(removeEntries, { sequence })) === 0) return
  tx.audit('audit.purged', null, { sequence, hash })
}

const removeEntries = command((db, $: Scoped<{ sequence: number }>) =>
  db
    .deleteFrom('audit_entries')
    .where('workspace_id', '=', $.workspace_id)
    .where('sequence', '<=', $.sequence),
)
