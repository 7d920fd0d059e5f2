import type { ImportedTask } from '#resources/imports/imported-task.ts'
import { MAX_IMPORT_FAULTS } from '#resources/imports/internal.ts'

const MAX_TITLE_LENGTH = 200
const MAX_FAULT_LENGTH = 500

/** The columns that hold what became of a row. */
export interface RowResult {
  number: number
  place: number | null
  row: string
  task_id: string | null
  fault: string | null
}

/**
 * A row that becomes no task. No quota counts it, and a file may unpack to a hundred times its size:
 * so only what the list of faults shows is stored. Beyond the length of that list nothing is, if
 * `failedBefore` rows have failed before.
 */
export function failedRow(
  { number, title }: Pick<ImportedTask, 'number' | 'title'>,
  fault: string,
  failedBefore: number,
): RowResult {
  const result = { number, place: null, task_id: null }
  if (failedBefore >= MAX_IMPORT_FAULTS) return { ...result, row: '', fault: null }
  const row = JSON.stringify({ title: cut(title, MAX_TITLE_LENGTH) })
  return { ...result, row, fault: cut(fault, MAX_FAULT_LENGTH) }
}

const cut = (text: string, length: number) => text.slice(0, length).toWellFormed()
