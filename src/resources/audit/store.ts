import { type RawBuilder, sql } from 'kysely'
import { query, type Scoped, shaped } from '#storage/statement.ts'
import type { AuditEntry } from './internal.ts'

interface Filters {
  action: string
  user_id: string
  before: string
  /** Only entries of a smaller sequence. */
  below: number
  limit: number
}

/** Which of the filters hold. */
type Has = Record<'action' | 'person' | 'before', boolean>

/** Entries of the workspace's chain, the newest first. */
export const entriesWhere = shaped((has: Has) =>
  query((db, $: Scoped<Filters>, { json }) => {
    let found = db
      .selectFrom('audit_entries')
      .select([
        'sequence as key',
        sql<string>`audit_entries.operation_id`.as('id'),
        json<AuditEntry>('audit_entries', {
          sequence: 'whole',
          at: 'word',
          actor_type: 'word',
          actor_id: 'plain',
          credential_id: 'plain',
          action: 'word',
          subject_id: 'plain',
          subject_name: nameOfSubject($),
          details: 'json',
          operation_id: 'word',
          hash: 'word',
        }).as('json'),
      ])
      .where('workspace_id', '=', $.workspace_id)
      .where('sequence', '<', $.below)
    if (has.action) found = found.where('action', '=', $.action as 'session.created')
    if (has.person) found = found.where('actor_id', '=', $.user_id)
    if (has.before) found = found.where('at', '<', $.before)
    return found.orderBy('sequence', 'desc').limit($.limit)
  }),
)

/** What the subject is called now: each kind by its key, and of persons those of the workspace alone. */
function nameOfSubject($: Scoped): RawBuilder<string | null> {
  const named = (table: string) =>
    sql`(select name from ${sql.table(table)} as named
      where named.workspace_id = ${$.workspace_id} and named.id = audit_entries.subject_id)`
  const person = sql`(select users.name from memberships
    join users on users.id = memberships.user_id
    where memberships.workspace_id = ${$.workspace_id}
      and memberships.user_id = audit_entries.subject_id)`
  return sql`coalesce(${person}, ${named('api_keys')}, ${named('projects')}, ${named('applications')})`
}
