import { sql } from 'kysely'
import { memoizeByShape, query, type Scoped } from '#db/core/statement.ts'
import type { Json } from '#lib/json.ts'
import type { EventEnvelope } from './contract.ts'

interface EventFilters {
  after: number
  type: string[]
  project_id: string
  limit: number
}

/** Events after a sequence, in order; `has` says which filters the request has. */
export const selectEvents = memoizeByShape((has: { type: boolean; project_id: boolean }) =>
  query((db, $: Scoped<EventFilters>, { engine, inList }) => {
    // Events that have left the log may remain for their deliveries. Both bounds are one
    // expression,
    // because SQLite would use only one of two for its index scan.
    const greatest = sql.raw(engine === 'sqlite' ? 'max' : 'greatest')
    const logStart = db
      .selectFrom('workspaces')
      .select((is) => is('log_from_sequence', '-', 1).as('before'))
      .where('id', '=', $.workspace_id)
    let kept = db
      .selectFrom('events')
      .where('workspace_id', '=', $.workspace_id)
      .where('sequence', '>', sql<number>`${greatest}(${$.after}, ${logStart})`)
      .orderBy('sequence')
      .limit($.limit)
    if (has.type) kept = kept.where(inList('events.type', $.type))
    // A page of each column that names a project, by its own index: a condition with "or" would
    // read the log from its beginning.
    const pageOf = (column: 'project_id' | 'former_project_id') =>
      db
        .selectFrom(kept.select('sequence').where(column, '=', $.project_id).as('page'))
        .select('page.sequence')
    if (has.project_id) {
      kept = kept.where('sequence', 'in', pageOf('project_id').union(pageOf('former_project_id')))
    }
    // The stored payload is the envelope as it was sent, and so the JSON of the record.
    return kept.select([
      'id',
      'sequence as key',
      sql.ref<Json<EventEnvelope>>('events.payload').as('json'),
    ])
  }),
)
