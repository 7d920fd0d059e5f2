import type { Readable } from 'node:stream'
import { ApiError } from '#core/api-error.ts'
import type { WriteTx } from '#core/transaction.ts'
import { isMissingFile } from '#files/disk.ts'
import { fileKey } from '#files/files.ts'
import { batchesOf } from '#lib/batches.ts'
import { dayIn } from '#lib/days.ts'
import { toOneLine } from '#lib/one-line.ts'
import { giveWay } from '#lib/turns.ts'
import {
  type ImportError,
  type ImportKind,
  MAX_IMPORT_PROJECTS,
} from '#resources/imports/internal.ts'
import {
  type ImportPlan,
  type LoadedImport,
  type ProjectDetails,
  parseImportPlan,
  toImportError,
} from '#resources/imports/load.ts'
import { failImport } from '#resources/imports/operations.ts'
import * as rowStore from '#resources/imports/row-store.ts'
import { memberCandidates, setImport, workspaceTimezone } from '#resources/imports/store.ts'
import { MAX_STATUSES } from '#resources/projects/contract.ts'
import { MAX_DESCRIPTION_LENGTH } from '#resources/tasks/fields.ts'
import { UnreadableFileError } from '../formats/unreadable-file-error.ts'
import { fitRow, fitText, MAX_NAME_LENGTH } from '../mapping/fit-row.ts'
import { loadMonthNames } from '../mapping/parse-values.ts'
import { createPlanBuilder } from '../mapping/plan-builder.ts'
import type { ImportFile } from '../sources/source.ts'
import { openSourceFile } from '../sources/source-kinds.ts'
import { createRowBuffer, type ImportRowBuffer, orderRows, ROW_BATCH_SIZE } from './order-rows.ts'
import { mostFrequentStatuses } from './resolve-targets.ts'
import { type ImportRef, type ImportRun, removeFirstRows, withImport } from './run-import.ts'

const MAX_MEMBERS = 10_000

const setRead = setImport([
  'kind',
  'plan',
  'status',
  'row_count',
  'done_count',
  'failed_count',
  'warned_count',
  'error',
  'updated_at',
])

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
    const { members, timezone, now } = await withImport(deps, job, 'reading', async (tx) => ({
      members: await tx.all(memberCandidates, { limit: MAX_MEMBERS }),
      timezone: (await tx.one(workspaceTimezone, {}))?.timezone ?? 'UTC',
      now: tx.now,
    }))
    await loadMonthNames()
    const { maxRows } = deps
    const today = dayIn(timezone, now)
    const chosen = record.kind as ImportKind | null
    const context = { maxRows, timezone, today }
    const sourceFile = await openSourceFile(source, chosen, before, context)
    const { kind, reading } = sourceFile
    const planBuilder = createPlanBuilder(before, { members, timezone }, reading.statuses)
    for await (const parsed of sourceFile.rows) {
      const fitted = fitRow(parsed)
      // Names of a row that makes no task would become statuses and choices.
      rows.add(fitted.isEmpty ? fitted : { ...planBuilder.addRow(fitted), isEmpty: false })
      await giveWay()
      if (rows.isFull()) await withImport(deps, job, 'reading', rows.takeWriter())
    }
    await withImport(deps, job, 'reading', rows.takeWriter())
    await orderStoredRows(deps, job, rows)
    const failed = rows.failed()
    const found = planBuilder.build()
    const plan: ImportPlan = {
      ...before,
      ...reading.table,
      ...found,
      not_taken_over: reading.omissions.list(),
      project_details: fitDetails(reading.projects, found),
    }
    await withImport(deps, job, 'reading', (tx, current) =>
      tx.run(setRead, {
        ...current,
        kind,
        plan: JSON.stringify(plan),
        status: 'ready',
        row_count: rows.count(),
        done_count: failed,
        failed_count: failed,
        warned_count: rows.warned.size,
        error: null,
        updated_at: tx.now,
      }),
    )
  } catch (error) {
    const reason = reasonFor(error)
    if (!reason) throw error
    await withImport(deps, job, 'reading', (tx, current) => failImport(tx, current, reason))
  } finally {
    source.close()
  }
}

/** In characters: descriptions of projects in a plan, which is read for each batch of tasks. */
const MAX_DESCRIPTIONS_LENGTH = 262_144
const MAX_ICON_LENGTH = 32

/**
 * What the file says about as many projects as an import may have, so that the API accepts it. Long
 * descriptions are left out.
 */
function fitDetails(
  projects: readonly ProjectDetails[],
  found: Pick<ImportPlan, 'statuses'>,
): ProjectDetails[] {
  let left = MAX_DESCRIPTIONS_LENGTH
  return projects.slice(0, MAX_IMPORT_PROJECTS).map((given) => {
    const { name, lead, color, visibility, start_date = null, target_date = null } = given
    const description = fitText(given.description ?? '')
    const fits = description.length <= Math.min(left, MAX_DESCRIPTION_LENGTH)
    if (fits) left -= description.length
    const icon = toOneLine(given.icon ?? '')
    const isOrdered = start_date === null || target_date === null || start_date <= target_date
    return {
      name: fitName(name),
      ...(description !== '' && fits && { description }),
      ...(icon !== '' && icon.length <= MAX_ICON_LENGTH && { icon }),
      ...(lead !== undefined && { lead: fitName(lead) }),
      ...(color !== undefined && { color }),
      ...(visibility !== undefined && { visibility }),
      ...(isOrdered && { start_date, target_date }),
      ...(given.statuses && {
        statuses: mostFrequentStatuses(given.statuses, found, MAX_STATUSES).map((status) => ({
          ...status,
          name: fitName(status.name),
        })),
      }),
    }
  })
}

const fitName = (name: string): string => toOneLine(name.slice(0, MAX_NAME_LENGTH))

/** The message for the user; undefined for bugs and transient errors. */
function reasonFor(error: unknown): ImportError | undefined {
  if (error instanceof UnreadableFileError) return error.reason
  const isGone = error instanceof ApiError && isMissingFile(error.cause)
  return isGone ? toImportError('file_deleted') : undefined
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
  const remove = (tx: WriteTx) => removeFirstRows(tx, job.id, ROW_BATCH_SIZE)
  while (await withImport(deps, job, 'reading', remove));
  return createRowBuffer(job.id)
}

/** Stores the place of each row that makes a task. */
async function orderStoredRows(
  deps: ImportRun,
  job: ImportRef,
  rows: ImportRowBuffer,
): Promise<void> {
  // That is not the order of a Docket archive.
  const order = await orderRows(rows.nodes.toSorted((a, b) => a.number - b.number))
  // Places begin after the failed rows, so that a place is also the number of rows done by then.
  const places = order.map((number, at) => ({ number, place: rows.failed() + at + 1 }))
  for (const batch of batchesOf(places, ROW_BATCH_SIZE))
    await withImport(deps, job, 'reading', (tx) =>
      tx.run(rowStore.setImportRowPlaces, { import_id: job.id, rows: batch }),
    )
}
