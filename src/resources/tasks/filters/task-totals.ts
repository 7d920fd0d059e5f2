import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { ReadTx } from '#core/transaction.ts'
import { isProjectVisible } from '#db/access/project-visibility.ts'
import { memoizeByShape, query, rawStatement, type Scoped } from '#db/core/statement.ts'
import { STATUS_CATEGORIES, type StatusCategory } from '#resources/projects/contract.ts'

/** How many tasks the projects of a list have. */
export interface TaskTotals extends Record<StatusCategory, number> {
  /** All that were ever created, of which some may be deleted or moved. */
  created: number
}

type ListedProjects = Scoped<{ list_project_id: string }>

/** Whether the tasks of a project are in a list: of one project, or of all that the actor sees. */
const isProjectListed = ($: ListedProjects, isOfProject: boolean): RawBuilder<SqlBool> =>
  isOfProject ? sql`projects.id = ${$.list_project_id}` : sql`${isProjectVisible($)}`

const totals = memoizeByShape((isOfProject: boolean) =>
  query((db, $: ListedProjects) => {
    const columns = STATUS_CATEGORIES.map(
      (category) => sql`coalesce(sum(${sql.ref(`${category}_count`)}), 0) as ${sql.ref(category)}`,
    )
    return rawStatement(
      db,
      sql<TaskTotals>`select coalesce(sum(last_number), 0) as created, ${sql.join(columns)}
        from projects where workspace_id = ${$.workspace_id} and ${isProjectListed($, isOfProject)}`,
    )
  }),
)

const NO_TASKS: TaskTotals = {
  ...{ created: 0, backlog: 0, unstarted: 0, started: 0, completed: 0, canceled: 0 },
}

/** Reads the totals of one project, or of all that the actor sees if its id is empty. */
export async function readTaskTotals(tx: ReadTx, list_project_id: string): Promise<TaskTotals> {
  const statement = totals(list_project_id !== '')
  return (await tx.one(statement, { list_project_id })) ?? NO_TASKS
}
