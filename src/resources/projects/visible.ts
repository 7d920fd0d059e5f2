import { type ExpressionWrapper, type SqlBool, sql } from 'kysely'
import type { Scoped } from '#storage/statement.ts'

/**
 * Whether the actor sees the project of the row at hand (contract 4.3): owners and admins all;
 * members those open to the workspace, led by them, or listing them; guests those that list them.
 * `$` binds the viewer, `table` is the name under which the statement knows projects.
 */
export const visible = ($: Scoped, table = 'projects'): ExpressionWrapper<never, never, SqlBool> =>
  sql<SqlBool>`(
    ${$.viewer_sees_all} = 1
    or (${$.viewer_is_member} = 1 and (${sql.ref(`${table}.visibility`)} = 'workspace'
      or ${sql.ref(`${table}.lead_id`)} = ${$.viewer_id}))
    or exists (select 1 from project_people as people
      where people.workspace_id = ${$.workspace_id}
        and people.project_id = ${sql.ref(`${table}.id`)}
        and people.user_id = ${$.viewer_id})
  )` as never
