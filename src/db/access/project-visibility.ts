import { type ExpressionWrapper, type RawBuilder, type SqlBool, sql } from 'kysely'
import { type Right, rolesWith } from '#wire/rights.ts'
import type { Scoped } from '../core/statement.ts'

/** Who is asked about, as SQL. */
interface ProjectViewer {
  seesAll: RawBuilder<unknown>
  seesOpen: RawBuilder<unknown>
  user_id: unknown
}

/**
 * Who sees a project (docs/spec/api.md#roles-and-visibility). Owners and admins see every project.
 * Members see those that are open to the workspace, that they lead, or whose people list they are
 * in. Guests see only the last.
 */
const seesProject = (
  { workspace_id }: Scoped,
  { seesAll, seesOpen, user_id }: ProjectViewer,
  table: string,
): RawBuilder<SqlBool> => sql<SqlBool>`(
    ${seesAll}
    or (${seesOpen} and (${sql.ref(`${table}.visibility`)} = 'workspace'
      or ${sql.ref(`${table}.lead_id`)} = ${user_id}))
    or exists (select 1 from project_people as people
      where people.workspace_id = ${workspace_id}
        and people.project_id = ${sql.ref(`${table}.id`)}
        and people.user_id = ${user_id})
  )`

const hasRight = (right: Right): RawBuilder<unknown> =>
  sql`memberships.role in (${sql.join(rolesWith(right).map((role) => sql.lit(role)))})`

/** Whether the actor sees the project; `table` is the alias of projects in the statement. */
export const isProjectVisible = (
  $: Scoped,
  table = 'projects',
): ExpressionWrapper<never, never, SqlBool> =>
  seesProject(
    $,
    {
      seesAll: sql`${$.viewer_sees_all} = 1`,
      seesOpen: sql`${$.viewer_sees_open} = 1`,
      user_id: $.viewer_id,
    },
    table,
  ) as never

/**
 * Whether the member of the row sees the project of the row, independent of the actor. The
 * statement must join `memberships` and `projects`, and filter removed memberships itself.
 */
export const memberSeesProject = ($: Scoped): RawBuilder<SqlBool> =>
  seesProject(
    $,
    {
      seesAll: hasRight('see_all_projects'),
      seesOpen: hasRight('see_open_projects'),
      user_id: sql.ref('memberships.user_id'),
    },
    'projects',
  )
