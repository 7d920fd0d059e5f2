import { sql } from 'kysely'
import type { WriteTx } from '#core/transaction.ts'
import { command, query, type Scoped } from '../core/statement.ts'
import { bytesOfRow } from '../workspaces/stored-bytes.ts'

/** The oldest events of the log. */
export const oldestEvents = query((db, $: Scoped<{ limit: number }>) =>
  db
    .selectFrom('events')
    .select(['sequence', 'created_at', bytesOfRow('events').as('size')])
    .where('sequence', '>=', (is) => is.selectFrom('workspaces').select('log_from_sequence'))
    .orderBy('sequence')
    .limit($.limit),
)

/**
 * Removes the events from `first` to `last`, the oldest of the log, unless a fan-out or a replay still
 * needs them. Events that have a delivery leave the log but stay stored for it. Returns whether all
 * have left the log.
 */
export async function trimEventLog(
  tx: WriteTx,
  { first, last }: { first: number; last: number },
): Promise<boolean> {
  const { unsent = null, replayed = null } = (await tx.one(neededEvents, {})) ?? {}
  const until = Math.min(last + 1, unsent ?? Infinity, replayed ?? Infinity)
  if (until <= first) return false
  await tx.run(setLogStart, { sequence: until })
  await tx.run(deleteEventsWithoutDelivery, { first, until })
  return until > last
}

/** Deletes those events that have left the log and have no delivery any more. */
export async function deleteUndeliveredEvents(
  tx: WriteTx,
  sequences: readonly number[],
): Promise<void> {
  const events = await tx.all(undeliveredEvents, { sequences })
  await tx.runEach(
    deleteEvent,
    events.map(({ sequence }) => ({ sequence })),
  )
}

/** The first events that the fan-out and the replays have not processed yet. */
const neededEvents = query((db) =>
  db.selectFrom('workspaces').select((is) => [
    sql<number | null>`case when has_unsent_events = 1 then fanned_out_sequence + 1 end`.as(
      'unsent',
    ),
    is
      .selectFrom('replays')
      .select((replay) => replay.fn.min<number | null>('next_sequence').as('first'))
      .as('replayed'),
  ]),
)

const setLogStart = command((db, $: Scoped<{ sequence: number }>) =>
  db
    .updateTable('workspaces')
    .set({ log_from_sequence: $.sequence })
    .where('log_from_sequence', '<', $.sequence),
)

/**
 * A scalar with a limit is looked up for each event. `exists` may become a join, for which PostgreSQL
 * has read all deliveries of the workspace while only one of the two tables had statistics.
 */
const hasDelivery = ($: Scoped) => sql<boolean>`(select 1 from deliveries
  where deliveries.workspace_id = ${$.workspace_id} and deliveries.event_id = events.id
  limit 1) is not null`

const deleteEventsWithoutDelivery = command((db, $: Scoped<{ first: number; until: number }>) =>
  db
    .deleteFrom('events')
    .where('sequence', '>=', $.first)
    .where('sequence', '<', $.until)
    .where((is) => is.not(hasDelivery($))),
)

/** Those of some events that have left the log and have no delivery. */
const undeliveredEvents = query((db, $: Scoped<{ sequences: readonly number[] }>, dialect) =>
  db
    .selectFrom('events')
    .select('sequence')
    .where(dialect.inNumberList('events.sequence', $.sequences))
    .where('sequence', '<', (is) => is.selectFrom('workspaces').select('log_from_sequence'))
    .where((is) => is.not(hasDelivery($))),
)

const deleteEvent = command((db, $: Scoped<{ sequence: number }>) =>
  db.deleteFrom('events').where('sequence', '=', $.sequence),
)
