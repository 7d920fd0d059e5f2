import { refuseAllButManagers } from '#core/managers.ts'
import { notFound } from '#core/refusal.ts'
import type { ReadTx } from '#core/tx.ts'
import type { Import, Kind, State } from './internal.ts'
import { planOf } from './plan.ts'
import { importById } from './store.ts'

export type FoundImport = Awaited<ReturnType<typeof loadImport>>

/** The import, for owners and admins. */
export async function loadImport(tx: ReadTx, id: string) {
  refuseAllButManagers(tx)
  const found = await tx.one(importById, { id })
  if (!found) throw notFound()
  return found
}

/** An import as it is shown: the one place that says so. */
export const shown = (found: FoundImport): Import => {
  const { id, filename, size_bytes, row_count, done_count, made_count, failed_count } = found
  const { error, created_by_id, created_at, updated_at } = found
  return {
    id,
    // Written by our operations alone.
    status: found.status as State,
    kind: found.kind as Kind | null,
    ...planOf(found),
    ...{ filename, size_bytes, row_count, done_count, made_count, failed_count },
    ...{ error, created_by_id, created_at, updated_at },
  }
}
