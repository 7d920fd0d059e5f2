import { type Actor, ANONYMOUS_ACTOR, createUserActor, may } from '#core/actor.ts'
import { ApiError } from '#core/api-error.ts'
import type { JobContext } from '#core/job.ts'
import type { Storage, WriteTx } from '#core/transaction.ts'
import { workspaceState } from '#db/workspaces/deleted-workspaces.ts'
import { loadFreeBytes } from '#db/workspaces/stored-bytes.ts'
import type { Files } from '#files/files.ts'
import { MAX_STEP_BYTES, takeSized } from '#lib/batches.ts'
import type { ImportedTask } from '#resources/imports/imported-task.ts'
import type { ImportStatus, RowError } from '#resources/imports/internal.ts'
import { type LoadedImport, toImportError, toImportedRecordsJson } from '#resources/imports/load.ts'
import { failImport, finishImport } from '#resources/imports/operations.ts'
import {
  firstImportRows,
  importRowSizesAfter,
  importRowsAfter,
  removeImportRowsUpTo,
  setImportRowResults,
} from '#resources/imports/row-store.ts'
import { importActor, importById, setImport } from '#resources/imports/store.ts'
import { membersWithAccess } from '#resources/members/store.ts'
import { projectColumnsById } from '#resources/projects/store.ts'
import { tagByName } from '#resources/tags/store.ts'
import {
  ancestors,
  projectTagsByIds,
  visibleTasksByIds,
} from '#resources/tasks/statements/related.ts'
import { SCOPES } from '#wire/scopes.ts'
import { createImportedTask, withQueryCache } from './create-imported-task.ts'
import {
  addWarnings,
  failedRow,
  loadRowBatch,
  type RowBatch,
  type RowResult,
} from './order-rows.ts'
import { resolveProject, resolveTags } from './resolve-targets.ts'

/** What the jobs of imports need. */
export interface ImportJobDeps {
  storage: Storage
  files: Files
  /** Limits the time that an import takes, and the keys of its rows that are held in memory. */
  maxRows: number
  /** The most tasks in one transaction: few enough that other writers do not wait long. */
  taskBatchSize: number
}

/** The same for one run of a job, which writes only while it has its lease. */
export interface ImportRun extends ImportJobDeps, Pick<JobContext, 'write' | 'signal'> {}

/** An import that a job works on. */
export interface ImportRef {
  workspace_id: string
  id: string
}

/** The state of the import has changed, or its workspace is deleted: there is nothing to do. */
export class ImportNotActive extends Error {}

/**
 * Runs `work` in a transaction if the import is still in the expected state; throws
 * `ImportNotActive` otherwise. So each batch is done once.
 */
export function withImport<T>(
  { write, signal }: ImportRun,
  { workspace_id, id }: ImportRef,
  state: ImportStatus,
  work: (tx: WriteTx, current: LoadedImport) => Promise<T>,
  actor: Actor = { ...ANONYMOUS_ACTOR, workspace_id, role: 'owner', scopes: new Set(SCOPES) },
): Promise<T> {
  signal.throwIfAborted()
  return write(async (tx) => {
    const current = await tx.one(importById, { id })
    if (current?.status !== state) throw new ImportNotActive()
    if ((await tx.one(workspaceState, {}))?.deleted_at) throw new ImportNotActive()
    return work(tx, current)
  }, actor)
}

/** Deletes the first rows of an import, at most so many. Returns whether there was one. */
export async function removeFirstRows(
  tx: WriteTx,
  import_id: string,
  limit: number,
): Promise<boolean> {
  const rows = await tx.all(firstImportRows, { import_id, limit })
  const last = takeSized(rows, MAX_STEP_BYTES).at(-1)
  if (last) await tx.run(removeImportRowsUpTo, { import_id, number: last.number })
  return last !== undefined
}

/** A transaction takes no further task after this long, because other writers wait for its end. */
const MAX_TRANSACTION_MS = 100
/** Queries whose results no row of an import changes for the next one. */
const CACHED_QUERIES = [
  projectColumnsById,
  tagByName,
  projectTagsByIds,
  membersWithAccess,
  visibleTasksByIds,
  ancestors,
]

const setProgress = setImport([
  'done_count',
  'made_count',
  'failed_count',
  'warned_count',
  'made',
  'updated_at',
])

/** Creates the tasks of the next rows. Returns whether there are more. */
export async function runImport(
  deps: ImportRun,
  job: ImportRef,
  record: LoadedImport,
): Promise<boolean> {
  const actor = await loadImportActor(deps, job, record)
  if (!actor) {
    await withImport(deps, job, 'running', (tx, current) =>
      failImport(tx, current, toImportError('not_permitted')),
    )
    return false
  }
  return withImport(
    deps,
    job,
    'running',
    (tx, current) => runBatch(tx, current, deps.taskBatchSize),
    actor,
  )
}

/** The person who started the import, with their current role; undefined if they may not import. */
export async function loadImportActor(
  { storage }: ImportRun,
  { workspace_id, id: import_id }: ImportRef,
  { created_by_id: user_id }: LoadedImport,
): Promise<Actor | undefined> {
  const actor: Actor = {
    ...createUserActor(user_id, workspace_id),
    name: '',
    source: 'import',
    import_id,
    scopes: new Set(SCOPES),
  }
  const person = await storage.read(actor, (tx) => tx.one(importActor, { user_id }))
  if (!person || !may(person, 'manage_workspace')) return undefined
  return { ...actor, ...person }
}

/**
 * Runs the next rows, each as an operation of its own, so that a rejected one undoes only itself.
 */
async function runBatch(tx: WriteTx, record: LoadedImport, limit: number): Promise<boolean> {
  if ((await loadFreeBytes(tx)) <= 0) {
    await failImport(tx, record, toImportError('storage_full'))
    return false
  }
  const deadline = performance.now() + MAX_TRANSACTION_MS
  const import_id = record.id
  const after = record.done_count
  const sizes = await tx.all(importRowSizesAfter, { import_id, after, limit })
  const count = takeSized(sizes, MAX_STEP_BYTES).length
  const next = (await tx.all(importRowsAfter, { import_id, after, limit: count })).map(
    ({ place, row, warning }) => ({ row: JSON.parse(row) as ImportedTask, place, warning }),
  )
  const batch = await loadRowBatch(withQueryCache(tx, CACHED_QUERIES), record, next)
  const rows: RowResult[] = []
  let { done_count, failed_count, warned_count } = record
  for (const one of next) {
    const result = await importRow(batch, one, { failed_count, warned_count })
    rows.push(result)
    if (result.task_id === null) failed_count += 1
    if (one.warning === null && result.warning !== null) warned_count += 1
    done_count = one.place ?? done_count
    if (performance.now() > deadline) break
  }
  const updated = {
    ...record,
    done_count,
    failed_count,
    warned_count,
    updated_at: tx.now,
    made: toImportedRecordsJson(batch.made),
    made_count: record.made_count + rows.length - (failed_count - record.failed_count),
  }
  await Promise.all([
    tx.run(setImportRowResults, { import_id, rows }),
    tx.run(setProgress, updated),
  ])
  if (sizes.length === limit || rows.length < sizes.length) return true
  await finishImport(tx, updated, 'done')
  return false
}

/** A row whose turn it is. */
interface PendingRow {
  row: ImportedTask
  place: number | null
  warning: string | null
}

/** Creates the task of a row. Then its values are no longer needed: undoing takes only its id. */
async function importRow(
  batch: RowBatch,
  { row, place, warning: before }: PendingRow,
  { failed_count, warned_count }: Pick<LoadedImport, 'failed_count' | 'warned_count'>,
): Promise<RowResult> {
  try {
    // Projects and tags stay even if this row is rejected, because other rows share them.
    const { project_id, warnings: earlier } = await resolveProject(batch, row)
    const tags = await resolveTags(batch, project_id, row)
    const { task_id, warnings } = await batch.tx.runOperation(() =>
      createImportedTask(batch, row, project_id, tags),
    )
    if (row.key !== null) batch.tasks.set(row.key, task_id)
    const warning = addWarnings(before, row, [...earlier, ...warnings], warned_count)
    return { number: row.number, place, row: '', task_id, fault: null, warning }
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    return failedRow(row, toRowError(error), failed_count)
  }
}

function toRowError({ code, message, details: [first] }: ApiError): RowError {
  const { field = '', ...error } = first ?? { code, message }
  return { field, code: error.code, message: error.message }
}
