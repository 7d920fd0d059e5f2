import { type RawBuilder, sql } from 'kysely'
import { memoizeByShape, query, type Scoped } from '#db/core/statement.ts'
import type { AuditEntry } from './internal.ts'

interface AuditFilters {
  action: string
  user_id: string
  before: string
  /** Only entries of a smaller sequence. */
  below: number
  limit: number
}

/** Which filters the request has. */
type AuditFilterFlags = Record<'action' | 'person' | 'before', boolean>

/** Entries of the workspace's log, newest first. */
export const selectAuditEntries = memoizeByShape((has: AuditFilterFlags) =>
  query((db, $: Scoped<AuditFilters>, { json }) => {
    let rows = db
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
          subject_name: subjectName($),
          details: 'json',
          operation_id: 'word',
        }).as('json'),
      ])
      .where('sequence', '<', $.below)
    if (has.action) rows = rows.where('action', '=', $.action as 'session.created')
    if (has.person) rows = rows.where('actor_id', '=', $.user_id)
    if (has.before) rows = rows.where('at', '<', $.before)
    return rows.orderBy('sequence', 'desc').limit($.limit)
  }),
)

/**
 * The present name of the subject, the address of an invitation, the URL of a webhook, or the file of an import. Users are
 * looked up among the members of the workspace alone.
 */
function subjectName($: Scoped): RawBuilder<string | null> {
  const nameIn = (table: string, column = 'name') =>
    sql`(select ${sql.ref(column)} from ${sql.table(table)} as named
      where named.workspace_id = ${$.workspace_id} and named.id = audit_entries.subject_id)`
  const memberName = sql`(select users.name from memberships
    join users on users.id = memberships.user_id
    where memberships.workspace_id = ${$.workspace_id}
      and memberships.user_id = audit_entries.subject_id)`
  const workspaceName = sql`(select name from workspaces
    where workspaces.id = ${$.workspace_id} and workspaces.id = audit_entries.subject_id)`
  return sql`coalesce(${memberName}, ${nameIn('api_keys')}, ${nameIn('projects')}, ${nameIn('applications')},
    ${nameIn('invitations', 'email')}, ${nameIn('webhooks', 'url')}, ${nameIn('imports', 'filename')},
    ${workspaceName})`
}
