import { ApiError } from '#core/api-error.ts'
import { parsePageRequest } from '#core/page-request.ts'
import type { WriteTx } from '#core/transaction.ts'
import { fromJson } from '#lib/json.ts'
import {
  type ImportedRecords,
  type LoadedImport,
  parseImportedRecords,
  toImportedRecordsJson,
} from '#resources/imports/load.ts'
import { createdTaskRowsBefore, setImportRowResults } from '#resources/imports/row-store.ts'
import { setImport } from '#resources/imports/store.ts'
import { loadProjectRecord } from '#resources/projects/load.ts'
import { changeProject } from '#resources/projects/write-operations.ts'
import { loadTag } from '#resources/tags/load.ts'
import { remove as removeTag } from '#resources/tags/operations.ts'
import { loadTaskToDelete } from '#resources/tasks/load.ts'
import { removeLoadedTask } from '#resources/tasks/operations/remove.ts'
import type { RowResult } from './order-rows.ts'
import { type ImportRef, type ImportRun, loadImportActor, withImport } from './run-import.ts'

/** Tasks, tags or projects in one transaction. */
const BATCH_SIZE = 25
const UNUSED_PAGE = parsePageRequest('', '', {}, '')

const setUndone = setImport(['done_count', 'made_count', 'made', 'updated_at'])
const setEnded = setImport(['status', 'error', 'updated_at'])
const TASKS_LEFT =
  'Some tasks could not be deleted: their project is archived, or they have too many subtasks.'

/**
 * Undoes an import in reverse order: moves its tasks to the trash, then deletes its unused tags and
 * archives its projects that have no tasks. Returns whether there is more to do.
 */
export async function undoImportBatch(deps: ImportRun, job: ImportRef): Promise<boolean> {
  const record = await withImport(deps, job, 'undoing', async (_, current) => current)
  const actor = await loadImportActor(deps, job, record)
  return withImport(deps, job, 'undoing', undoBatch, actor)
}

async function undoBatch(tx: WriteTx, record: LoadedImport): Promise<boolean> {
  const import_id = record.id
  const before = record.done_count + 1
  const rows = await tx.all(createdTaskRowsBefore, { import_id, before, limit: BATCH_SIZE })
  const removed: RowResult[] = []
  let { done_count } = record
  for (const { number, place, task_id } of rows) {
    done_count = (place ?? 1) - 1
    const remove = async () => removeLoadedTask(tx, await loadTaskToDelete(tx, task_id ?? ''))
    if (!(await attempt(tx, remove))) continue
    removed.push({ number, place: null, row: '', task_id: null, fault: null, warning: null })
  }
  await tx.run(setImportRowResults, { import_id, rows: removed })
  const made_count = record.made_count - removed.length
  const imported = parseImportedRecords(record)
  const hasTasks = rows.length === BATCH_SIZE
  const left = hasTasks ? imported : await removeTagsAndProjects(tx, imported)
  const made = toImportedRecordsJson(left)
  const updated = { ...record, done_count, made_count, made, updated_at: tx.now }
  await tx.run(setUndone, updated)
  if (hasTasks || left.tags.length > 0 || left.projects.size > 0) return true
  const error = made_count > 0 ? TASKS_LEFT : null
  await tx.run(setEnded, { ...updated, status: 'undone', error })
  // Then the rows are deleted.
  return true
}

/**
 * Runs an operation of its own. Returns whether it is done, also if what it would remove is gone already;
 * false if it is rejected otherwise.
 */
async function attempt(tx: WriteTx, work: () => Promise<unknown>): Promise<boolean> {
  try {
    await tx.runOperation(work)
    return true
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    return error.status === 404
  }
}

/** Removes a batch of tags, or of projects once there are no more tags; returns what is left. */
async function removeTagsAndProjects(
  tx: WriteTx,
  { tags, projects }: ImportedRecords,
): Promise<ImportedRecords> {
  for (const id of tags.slice(0, BATCH_SIZE))
    await attempt(tx, async () => {
      const tag = await loadTag(tx, id)
      const input = { params: { id }, query: undefined, body: undefined, page: UNUSED_PAGE }
      if (fromJson(tag.json).task_count === 0) await removeTag(tx, tag, input)
    })
  if (tags.length > 0) return { tags: tags.slice(BATCH_SIZE), projects }
  for (const id of [...projects.values()].slice(0, BATCH_SIZE))
    await attempt(tx, async () => {
      const { task_counts } = fromJson((await loadProjectRecord(tx, id)).json)
      if (task_counts.total === 0) await changeProject(tx, id, { archived: true })
    })
  return { tags, projects: new Map([...projects].slice(BATCH_SIZE)) }
}
