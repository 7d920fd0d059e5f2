import type { WriteTx } from '#core/tx.ts'
import type { FoundImport } from '#resources/imports/load.ts'
import { type Made, madeOf, type Plan, planOf } from '#resources/imports/plan.ts'
import type { Row } from '#resources/imports/row.ts'
import { taskOfKey } from '#resources/imports/store.ts'

/** What the rows of a batch share: where they go, and what the import has made so far. */
export interface Going {
  tx: WriteTx
  found: FoundImport
  plan: Plan
  made: Made
  /** Whom a name in the file means, as far as the plan says. */
  people: ReadonlyMap<string, string | null>
  /** Of each key that the rows refer to its task; null: none was made of its row (yet). */
  tasks: Map<string, string | null>
}

export async function goingOn(
  tx: WriteTx,
  found: FoundImport,
  rows: readonly Row[],
): Promise<Going> {
  const plan = planOf(found)
  const keys = [...new Set(rows.flatMap(relativesOf))]
  // Asked together, but each by itself: of a list PostgreSQL would read all rows where it knows no figures.
  const tasks = await Promise.all(
    keys.map((key) => tx.all(taskOfKey, { import_id: found.id, key })),
  )
  return {
    ...{ tx, found, plan, made: madeOf(found) },
    people: new Map(plan.people.map(({ name, user_id }) => [name, user_id])),
    tasks: new Map(tasks.flat().map(({ key, task_id }) => [key ?? '', task_id])),
  }
}

/** Keys of the rows that a row is below and waits for. */
export const relativesOf = ({ parent, blocked_by }: Row): string[] => [
  ...(parent === null ? [] : [parent]),
  ...blocked_by,
]
