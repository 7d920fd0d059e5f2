import { sql } from 'kysely'
import type { Json } from '#lib/json.ts'
import { query, type Scoped, shaped } from '#storage/statement.ts'
import type { Event } from './contract.ts'

interface Filters {
  after: number
  type: string[]
  project_id: string
  limit: number
}

/** Events after a sequence, in its order; `has` says which filters there are. */
export const eventsAfter = shaped((has: { type: boolean; project_id: boolean }) =>
  query((db, $: Scoped<Filters>, { engine, among }) => {
    // What left the log may be kept for its deliveries. One bound, for SQLite would walk along one of two.
    const latest = sql.raw(engine === 'sqlite' ? 'max' : 'greatest')
    const begin = db
      .selectFrom('workspaces')
      .select((is) => is('log_from_sequence', '-', 1).as('before'))
      .where('id', '=', $.workspace_id)
    let found = db
      .selectFrom('events')
      // The envelope lies there as it was sent: it is its own JSON.
      .select(['id', 'sequence as key', sql.ref<Json<Event>>('events.payload').as('json')])
      .where('workspace_id', '=', $.workspace_id)
      .where('sequence', '>', sql<number>`${latest}(${$.after}, ${begin})`)
    if (has.type) found = found.where(among('events.type', $.type))
    if (has.project_id) found = found.where('project_id', '=', $.project_id)
    return found.orderBy('sequence').limit($.limit)
  }),
)

/** The sequence of the oldest event of the log, or that of the next one where there is none. */
export const oldestKept = query((db, $: Scoped) =>
  db
    .selectFrom('workspaces')
    .select('log_from_sequence as sequence')
    .where('id', '=', $.workspace_id),
)
