import { sql } from 'kysely'
import type { WriteTx } from '#core/tx.ts'
import { command, query, type Scoped } from './statement.ts'

/** The oldest events of the log. */
export const oldestEvents = query((db, $: Scoped<{ limit: number }>) =>
  db
    .selectFrom('events')
    .select(['sequence', 'created_at'])
    .where('workspace_id', '=', $.workspace_id)
    .where('sequence', '>=', (is) =>
      is.selectFrom('workspaces').select('log_from_sequence').where('id', '=', $.workspace_id),
    )
    .orderBy('sequence')
    .limit($.limit),
)

/**
 * Lets the events from `first` to `last`, the oldest of the log, leave it, as far as they need not be
 * made deliveries of any more. Those of which there is a delivery are kept for it. Tells whether all
 * have left.
 */
export async function leaveLog(
  tx: WriteTx,
  { first, last }: { first: number; last: number },
): Promise<boolean> {
  const { unsent = null, replayed = null } = (await tx.one(stillNeeded, {})) ?? {}
  const until = Math.min(last + 1, unsent ?? Infinity, replayed ?? Infinity)
  if (until <= first) return false
  await tx.run(beginLogAt, { sequence: until })
  await tx.run(forgetUndelivered, { first, until })
  return until > last
}

/** Forgets those of some events that have left the log and of which there is no delivery any more. */
export async function forgetDelivered(tx: WriteTx, sequences: readonly number[]): Promise<void> {
  await tx.each(
    forgetOne,
    sequences.map((sequence) => ({ sequence })),
  )
}

/** The first event that a fan-out, and the first that a replay, has still to look at. */
const stillNeeded = query((db, $: Scoped) =>
  db
    .selectFrom('workspaces')
    .select((is) => [
      sql<number | null>`case when has_unsent_events = 1 then fanned_out_sequence + 1 end`.as(
        'unsent',
      ),
      is
        .selectFrom('replays')
        .select((replay) => replay.fn.min<number | null>('next_sequence').as('first'))
        .where('workspace_id', '=', $.workspace_id)
        .as('replayed'),
    ])
    .where('id', '=', $.workspace_id),
)

const beginLogAt = command((db, $: Scoped<{ sequence: number }>) =>
  db
    .updateTable('workspaces')
    .set({ log_from_sequence: $.sequence })
    .where('id', '=', $.workspace_id)
    .where('log_from_sequence', '<', $.sequence),
)

const withDelivery = ($: Scoped) => sql<boolean>`exists (select 1 from deliveries
  where deliveries.workspace_id = ${$.workspace_id} and deliveries.event_id = events.id)`

const forgetUndelivered = command((db, $: Scoped<{ first: number; until: number }>) =>
  db
    .deleteFrom('events')
    .where('workspace_id', '=', $.workspace_id)
    .where('sequence', '>=', $.first)
    .where('sequence', '<', $.until)
    .where((is) => is.not(withDelivery($))),
)

const forgetOne = command((db, $: Scoped<{ sequence: number }>) =>
  db
    .deleteFrom('events')
    .where('workspace_id', '=', $.workspace_id)
    .where('sequence', '=', $.sequence)
    .where('sequence', '<', (is) =>
      is.selectFrom('workspaces').select('log_from_sequence').where('id', '=', $.workspace_id),
    )
    .where((is) => is.not(withDelivery($))),
)
