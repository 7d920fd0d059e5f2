import { sql } from 'kysely'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import { command, query, rawStatement, type Scoped } from '#db/core/statement.ts'
import type { TaskRow } from '#db/schema/tables.ts'
import { batchesOf } from '#lib/batches.ts'
import { addBlocker } from '#resources/tasks/statements/links.ts'

/** The id of the n-th copy (from 1) of a series. Series keep the copies of one test apart. */
const copiedTaskId = (series: number, n: number): string =>
  `tsk_${String(series).padStart(16, '0')}${1_000_000_000 + n}`

const taskRow = query((db, $: Scoped<{ id: string }>) =>
  db.selectFrom('tasks').selectAll().where('id', '=', $.id),
)

interface CopyOptions {
  series: number
  count: number
  parent_id?: string
}

/**
 * Inserts copies of a task's row, without events, words and links: creating thousands of tasks
 * through operations would take most of a test's time. Returns their ids.
 */
export async function copyTaskRows(
  storage: Storage,
  workspace: string,
  task: string,
  { series, count, parent_id }: CopyOptions,
): Promise<string[]> {
  const actor = { ...ANONYMOUS_ACTOR, workspace_id: workspace }
  await storage.write(actor, async (tx) => {
    const row = await tx.one(taskRow, { id: task })
    if (!row) throw new Error('There is no such task')
    const columns = (Object.keys(row) as (keyof TaskRow)[]).filter(
      (name) => !['search_id', 'shown'].includes(name),
    )
    const differing: Partial<Record<keyof TaskRow, unknown>> = {
      id: sql`${sql.lit(`tsk_${String(series).padStart(16, '0')}`)} || cast(1000000000 + n as text)`,
      number: sql`${sql.lit(series * 1_000_000)} + n`,
      // A rank of `m` has thirteen digits.
      position: sql`${sql.lit(`m${String(series).padStart(3, '0')}`)} || cast(1000000000 + n as text)`,
      ...(parent_id !== undefined && { parent_id: sql.lit(parent_id) }),
    }
    const values = columns.map((name) => differing[name] ?? sql.ref(`tasks.${name}`))
    const copy = command((db, $: Scoped<{ id: string }>) =>
      rawStatement(
        db,
        sql`insert into tasks (${sql.join(columns.map((name) => sql.ref(name)))})
          with recursive counted(n) as (
            select 1 union all select n + 1 from counted where n < ${sql.lit(count)}
          )
          select ${sql.join(values)} from tasks, counted
          where tasks.workspace_id = ${$.workspace_id} and tasks.id = ${$.id}`,
      ),
    )
    await tx.run(copy, { id: task })
  })
  return Array.from({ length: count }, (_, at) => copiedTaskId(series, at + 1))
}

/** PostgreSQL cancels what waits five seconds, and a busy machine is slow. */
const LINKS_PER_WRITE = 500

/** Links tasks to their blockers, without checks and without their stored lists. */
export async function insertTaskLinks(
  storage: Storage,
  workspace: string,
  links: readonly { task_id: string; blocker_id: string }[],
): Promise<void> {
  const actor = { ...ANONYMOUS_ACTOR, workspace_id: workspace }
  for (const some of batchesOf(links, LINKS_PER_WRITE)) {
    await storage.write(actor, (tx) => tx.runEach(addBlocker, some))
  }
}
