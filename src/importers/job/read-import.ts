import type { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { ApiError } from '#core/api-error.ts'
import type { WriteTx } from '#core/transaction.ts'
import { isMissingFile } from '#files/disk.ts'
import { fileKey } from '#files/files.ts'
import type { ImportedTask } from '#resources/imports/imported-task.ts'
import type { ImportKind } from '#resources/imports/internal.ts'
import type { LoadedImport } from '#resources/imports/load.ts'
import { type ImportPlan, parseImportPlan } from '#resources/imports/plan.ts'
import * as store from '#resources/imports/store.ts'
import { UnreadableFileError } from '../formats/unreadable-file-error.ts'
import { createPlanBuilder } from '../mapping/plan-builder.ts'
import { validateRow } from '../mapping/validate-row.ts'
import { detectSourceKind, SOURCE_READERS } from '../sources/source-kinds.ts'
import type { ImportFile, ParsedRow } from '../sources/source-reader.ts'
import { orderRows, type RowNode } from './order-rows.ts'
import { type ImportRef, type ImportRun, withImport } from './with-import.ts'

/** In characters: the JSON of a row with its comments. */
const MAX_ROW_LENGTH = 4_194_304
/**
 * Rows in one transaction: few, with a pause after each batch, so that requests need not wait long.
 */
const BATCH_SIZE = 250
/** In characters: rows that are buffered in memory before they are written. */
const MAX_BUFFERED_LENGTH = 1_000_000
const BATCH_PAUSE_MS = 10
const MAX_MEMBERS = 10_000
const MAX_FAULT_LENGTH = 1_000

const setRead = store.setImport([
  ...(['kind', 'plan', 'status', 'row_count', 'done_count', 'failed_count', 'updated_at'] as const),
  'error',
])
const setFailed = store.setImport(['status', 'error', 'updated_at'])
const setRowCount = store.setImport(['row_count', 'updated_at'])

/**
 * Reads the file of an import from its beginning. Each row is validated and stored; no task is
 * made. A file that cannot be read, or whose bytes are gone, fails the import with a message.
 */
export async function readImport(deps: ImportRun, job: ImportRef): Promise<void> {
  const record = await withImport(deps, job, 'reading', async (_, current) => current)
  const rows = await clearRows(deps, job)
  const before = parseImportPlan(record)
  const source = openSource(deps, job, record)
  try {
    const kind = (record.kind as ImportKind | null) ?? (await detectSourceKind(source))
    const members = await withImport(deps, job, 'reading', (tx) =>
      tx.all(store.memberCandidates, { limit: MAX_MEMBERS }),
    )
    const file = await SOURCE_READERS[kind](source, before)
    const planBuilder = createPlanBuilder(before, members, file.statuses)
    for await (const parsed of file.rows) {
      rows.add(parsed)
      planBuilder.addRow(parsed.row)
      if (rows.isFull()) await runPaced(deps, job, rows.takeWriter())
    }
    await withImport(deps, job, 'reading', rows.takeWriter())
    const failed = await orderStoredRows(deps, job, rows)
    const { headers = [], columns = [] } = file
    const plan: ImportPlan = { ...before, headers, columns, ...planBuilder.build() }
    await withImport(deps, job, 'reading', (tx, current) =>
      tx.run(setRead, {
        ...current,
        ...{ kind, plan: JSON.stringify(plan), status: 'ready', row_count: rows.count() },
        ...{ done_count: failed, failed_count: failed, error: null, updated_at: tx.now },
      }),
    )
  } catch (error) {
    const message = messageFor(error)
    if (message === undefined) throw error
    await withImport(deps, job, 'reading', (tx, current) =>
      tx.run(setFailed, { ...current, status: 'failed', error: message, updated_at: tx.now }),
    )
  } finally {
    source.close()
  }
}

/** Runs one of many batches, and then pauses so that requests come first. */
async function runPaced<T>(
  deps: ImportRun,
  job: ImportRef,
  work: (tx: WriteTx, current: LoadedImport) => Promise<T>,
): Promise<T> {
  const result = await withImport(deps, job, 'reading', work)
  await pause(BATCH_PAUSE_MS)
  return result
}

/** The message for the user; undefined for bugs and transient errors. */
function messageFor(error: unknown): string | undefined {
  if (error instanceof UnreadableFileError) return error.message
  const isGone = error instanceof ApiError && isMissingFile(error.cause)
  return isGone ? 'The file has been deleted. Upload it again.' : undefined
}

function openSource(
  { files }: ImportRun,
  job: ImportRef,
  { file_id, size_bytes, filename }: LoadedImport,
): ImportFile & { close(): void } {
  const key = fileKey(job.workspace_id, file_id ?? '')
  const openStreams = new Set<Readable>()
  return {
    filename,
    size: size_bytes,
    async *bytes(start = 0, end = size_bytes) {
      if (end <= start) return
      const stream = await files.read(key, size_bytes, { start, end: end - 1 })
      openStreams.add(stream)
      yield* stream as AsyncIterable<Uint8Array>
      openStreams.delete(stream)
    },
    // A reader may stop in the middle. Node ends the process when it collects a file handle that is
    // still open.
    close() {
      for (const stream of openStreams) stream.destroy()
    },
  }
}

/** Deletes the rows of an earlier attempt and returns a buffer for new ones. */
async function clearRows(deps: ImportRun, job: ImportRef) {
  const import_id = job.id
  const clear = async (tx: WriteTx) => {
    const stale = await tx.all(store.firstImportRows, { import_id, limit: BATCH_SIZE })
    const last = stale.at(-1)
    if (last) await tx.run(store.removeImportRowsUpTo, { import_id, number: last.number })
    return stale.length
  }
  while ((await runPaced(deps, job, clear)) > 0);
  return createRowBuffer(import_id, deps.maxRows)
}

type ImportRowBuffer = ReturnType<typeof createRowBuffer>

function createRowBuffer(import_id: string, maxRows: number) {
  const nodes: RowNode[] = []
  const numberByKey = new Map<string, number>()
  let buffer: { number: number; key: string | null; row: string; fault: string | null }[] = []
  let [count, size] = [0, 0]
  return {
    nodes,
    count: () => count,
    isFull: () => buffer.length >= BATCH_SIZE || size >= MAX_BUFFERED_LENGTH,
    add({ row, faults }: ParsedRow): void {
      count += 1
      if (count > maxRows) {
        throw new UnreadableFileError(
          `The file has more than ${maxRows} tasks. Split it into several files.`,
        )
      }
      const complaints = [...faults, ...validateRow(row)]
      const duplicate = row.key === null ? undefined : numberByKey.get(row.key)
      if (duplicate !== undefined) complaints.push(`id: row ${duplicate} has the same id.`)
      let text = JSON.stringify(row)
      if (text.length > MAX_ROW_LENGTH) {
        complaints.push(
          'The row is too large. It must be at most four million characters, comments included.',
        )
        text = JSON.stringify({ ...row, description: null, comments: [] } satisfies ImportedTask)
      }
      const fault =
        complaints.length > 0
          ? complaints.join(' ').slice(0, MAX_FAULT_LENGTH).toWellFormed()
          : null
      const { number, key, parent, blocked_by: needs } = row
      const isInvalid = fault !== null
      if (key !== null && !isInvalid) numberByKey.set(key, number)
      nodes.push({ number, key, parent, needs, isInvalid })
      size += text.length
      buffer.push({ number: row.number, key: fault === null ? row.key : null, row: text, fault })
    },
    /**
     * Empties the buffer and returns what writes its rows. A retried transaction may call that
     * again.
     */
    takeWriter() {
      const [rows, row_count] = [buffer, count]
      buffer = []
      size = 0
      return async (tx: WriteTx, current: LoadedImport): Promise<void> => {
        await tx.run(store.insertImportRows, { import_id, rows })
        await tx.run(setRowCount, { ...current, row_count, updated_at: tx.now })
      }
    },
  }
}

/** Stores the position of each row that can be made. Returns how many cannot. */
async function orderStoredRows(
  deps: ImportRun,
  job: ImportRef,
  rows: ImportRowBuffer,
): Promise<number> {
  const import_id = job.id
  const { order, unorderable } = orderRows(rows.nodes)
  const failed = rows.count() - order.length
  // Positions begin after the failed rows, so that a position is also the number of rows done by
  // then.
  const places = order.map((number, at) => ({ number, place: failed + at + 1 }))
  for (let from = 0; from < places.length; from += BATCH_SIZE) {
    const rows = places.slice(from, from + BATCH_SIZE)
    await runPaced(deps, job, (tx) => tx.run(store.setImportRowPlaces, { import_id, rows }))
  }
  for (let from = 0; from < unorderable.length; from += BATCH_SIZE) {
    const batch = unorderable.slice(from, from + BATCH_SIZE)
    const rows = batch.map((row) => ({ ...row, task_id: null }))
    await runPaced(deps, job, (tx) => tx.run(store.setImportRowResults, { import_id, rows }))
  }
  return failed
}
