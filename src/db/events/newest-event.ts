import { sql } from 'kysely'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import { unscopedQuery } from '../core/statement.ts'

/**
 * The time of the newest event of all workspaces, found by one key of each workspace. A subquery, because
 * SQLite would begin a join with all events: a start with 100,000 of them read 326 MB.
 */
export const newestEvent = unscopedQuery((db, _: object) =>
  db
    .with('newest', (db) =>
      db
        .selectFrom('workspaces')
        .select((row) =>
          row
            .selectFrom('events')
            .whereRef('events.workspace_id', '=', 'workspaces.id')
            .whereRef('events.sequence', '=', 'workspaces.last_sequence')
            .select('events.created_at')
            .as('created_at'),
        ),
    )
    .selectFrom('newest')
    .select((is) => is.fn.max<string | null>('created_at').as('created_at')),
)

/** The clock of the machine on which PostgreSQL runs. */
const postgresTime = unscopedQuery((db, _: object) =>
  db.selectNoFrom(sql<number>`(extract(epoch from clock_timestamp()) * 1000)::float8`.as('ms')),
)

/** How far clocks and stored times are ahead of the clock of this process, in milliseconds. */
export interface ClockDifferences {
  /** Of the newest event; negative if it is in the past, as it should be. */
  newestEventMs: number
  /** Of PostgreSQL; 0 on SQLite, which has no clock of its own. */
  databaseMs: number
}

/** Compares the clock of this process with its own past and with the clock of the database. */
export async function measureClockDifferences(storage: Storage): Promise<ClockDifferences> {
  const { clock, engine } = storage
  const newest = await storage.read(ANONYMOUS_ACTOR, (tx) => tx.one(newestEvent, {}))
  const newestEventMs = newest?.created_at ? Date.parse(newest.created_at) - clock.now() : 0
  if (engine === 'sqlite') return { newestEventMs, databaseMs: 0 }
  const before = clock.now()
  const time = await storage.read(ANONYMOUS_ACTOR, (tx) => tx.one(postgresTime, {}))
  const now = (before + clock.now()) / 2
  return { newestEventMs, databaseMs: (time?.ms ?? now) - now }
}
