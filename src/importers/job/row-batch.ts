import type { WriteTx } from '#core/transaction.ts'
import type { ImportedTask } from '#resources/imports/imported-task.ts'
import type { LoadedImport } from '#resources/imports/load.ts'
import {
  type ImportedRecords,
  type ImportPlan,
  parseImportedRecords,
  parseImportPlan,
} from '#resources/imports/plan.ts'
import { taskByImportKey } from '#resources/imports/row-store.ts'
import { findActiveMembers } from '#resources/members/project-access.ts'

/** What the rows of a batch share: their targets, and what the import has made so far. */
export interface RowBatch {
  tx: WriteTx
  record: LoadedImport
  plan: ImportPlan
  made: ImportedRecords
  /** The active member whom each name in the file means, where the plan has chosen one. */
  people: ReadonlyMap<string, string>
  /** The task of each key that the rows refer to; null if its row has made none (yet). */
  tasks: Map<string, string | null>
}

export async function loadRowBatch(
  tx: WriteTx,
  record: LoadedImport,
  rows: readonly { row: ImportedTask; parent: string | null }[],
): Promise<RowBatch> {
  const plan = parseImportPlan(record)
  const keys = [
    ...new Set(
      rows.flatMap(({ row, parent }) => [parent ?? '', ...row.blocked_by]).filter(Boolean),
    ),
  ]
  // One query for each key, sent together: for a list of keys PostgreSQL would scan all rows while
  // the table has no statistics.
  const tasks = await Promise.all(
    keys.map((key) => tx.all(taskByImportKey, { import_id: record.id, key })),
  )
  return {
    tx,
    record,
    plan,
    made: parseImportedRecords(record),
    people: await loadPeople(tx, plan),
    // An empty row may have the id of another one.
    tasks: new Map(
      tasks
        .flat()
        .toSorted((one, other) => Number(one.task_id !== null) - Number(other.task_id !== null))
        .map(({ key, task_id }) => [key ?? '', task_id]),
    ),
  }
}

/** Members may have left since they were chosen, and only a member may be an author. */
async function loadPeople(tx: WriteTx, { people }: ImportPlan): Promise<Map<string, string>> {
  const members = await findActiveMembers(
    tx,
    people.flatMap(({ user_id }) => user_id ?? []),
  )
  return new Map(
    people.flatMap(({ name, user_id }) =>
      user_id !== null && members.has(user_id) ? [[name, user_id] as const] : [],
    ),
  )
}
