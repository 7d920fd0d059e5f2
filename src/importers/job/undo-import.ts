import type { WriteTx } from '#core/transaction.ts'
import { noteOperation } from '#db/operations/operations.ts'
import {
  type LoadedImport,
  parseImportedRecords,
  toImportedRecordsJson,
} from '#resources/imports/load.ts'
import { setImport } from '#resources/imports/store.ts'
import { selectUndoable, setUndoneBy, toFilters } from '#resources/operations/store.ts'
import { takeBack } from '#resources/operations/undo.ts'
import { type ImportRef, type ImportRun, loadImportActor, withImport } from './run-import.ts'

/** Operations in one transaction; most have created a task. */
const BATCH_SIZE = 25

const setUndone = setImport(['done_count', 'made_count', 'made', 'updated_at'])
const setEnded = setImport(['status', 'updated_at'])

/**
 * Undoes the operations of an import, the newest first: its tasks go to the trash, then its tags, and its projects
 * are archived, each as far as nobody has touched it since; `made_count` says how many tasks are left. Returns
 * whether there is more to do.
 */
export async function undoImportBatch(deps: ImportRun, job: ImportRef): Promise<boolean> {
  const record = await withImport(deps, job, 'undoing', async (_, current) => current)
  const actor = await loadImportActor(deps, job, record)
  return withImport(deps, job, 'undoing', undoBatch, actor)
}

async function undoBatch(tx: WriteTx, record: LoadedImport): Promise<boolean> {
  const { names, values } = toFilters({ import_id: record.id })
  const operations = await tx.all(selectUndoable(names), {
    ...values,
    first_id: '',
    before_id: `opr_${'z'.repeat(26)}`,
    limit: BATCH_SIZE,
  })
  let { done_count, made_count } = record
  const { projects } = parseImportedRecords(record)
  for (const operation of operations) {
    const { undone } = await tx.runOperation(async () => {
      const result = await takeBack(tx, operation)
      if (result.undone_count > 0) return result
      // All of it stays; the mark says that it has had its turn.
      await noteOperation(tx, operation.id)
      await tx.run(setUndoneBy, { id: operation.id, undone_by_id: tx.operation_id })
      return result
    })
    const ids = new Set(undone.map(({ record_id }) => record_id))
    const tasks = undone.filter(({ record_type }) => record_type === 'task').length
    for (const [name, id] of projects) if (ids.has(id)) projects.delete(name)
    made_count -= tasks
    done_count = Math.max(0, done_count - 1)
  }
  const made = toImportedRecordsJson({ projects })
  const updated = { ...record, done_count, made_count, made, updated_at: tx.now }
  await tx.run(setUndone, updated)
  if (operations.length === BATCH_SIZE) return true
  await tx.run(setEnded, { ...updated, status: 'undone' })
  // Then the rows are deleted.
  return true
}
