import { notFound } from '#core/api-error.ts'
import { assertManager } from '#core/managers.ts'
import type { ReadTx } from '#core/transaction.ts'
import type { Import, ImportKind, ImportStatus } from './internal.ts'
import { parseImportPlan } from './plan.ts'
import { importById } from './store.ts'

export type LoadedImport = Awaited<ReturnType<typeof loadImport>>

/** The import, for owners and admins. */
export async function loadImport(tx: ReadTx, id: string) {
  assertManager(tx)
  const row = await tx.one(importById, { id })
  if (!row) throw notFound()
  return row
}

/** The record of an import, from its row. */
export const toImport = (row: LoadedImport): Import => {
  const { id, filename, size_bytes, row_count, done_count, made_count } = row
  const { failed_count, warned_count, error, created_by_id, created_at, updated_at } = row
  const { day_orders: _, project_details: __, ...plan } = parseImportPlan(row)
  return {
    id,
    // Only Docket writes these columns, so the casts hold.
    status: row.status as ImportStatus,
    kind: row.kind as ImportKind | null,
    ...plan,
    filename,
    size_bytes,
    row_count,
    done_count,
    made_count,
    failed_count,
    warned_count,
    error,
    created_by_id,
    created_at,
    updated_at,
  }
}
