import type { WriteTx } from '#core/transaction.ts'
import type { ImportedTask } from '#resources/imports/imported-task.ts'
import type { LoadedImport } from '#resources/imports/load.ts'
import { insertImportRows } from '#resources/imports/row-store.ts'
import { setImport } from '#resources/imports/store.ts'
import { tooManyTasks } from '../formats/unreadable-file-error.ts'
import { isTooLongForKey, MAX_ROW_LENGTH, validateRow } from '../mapping/validate-row.ts'
import type { ParsedRow } from '../sources/source-reader.ts'
import { failedRow, type RowResult } from './failed-row.ts'
import type { RowNode } from './order-rows.ts'

/**
 * Rows in one transaction: few, with a pause after each batch, so that requests need not wait long.
 */
export const ROW_BATCH_SIZE = 250
/** In characters: rows that are buffered in memory before they are written. */
const MAX_BUFFERED_LENGTH = 1_000_000

const setRowCount = setImport(['row_count', 'updated_at'])

export type ImportRowBuffer = ReturnType<typeof createRowBuffer>

/** Creates the buffer that validates the rows of a file and collects them until they are stored. */
export function createRowBuffer(import_id: string, maxRows: number) {
  const nodes: RowNode[] = []
  const numberByKey = new Map<string, number>()
  let buffer: { number: number; key: string | null; row: string; fault: string | null }[] = []
  let [count, taken, failed, size] = [0, 0, 0, 0]
  function addFailed({ number, row, fault }: RowResult): void {
    failed += 1
    if (fault !== null) buffer.push({ number, key: null, row, fault })
  }
  return {
    nodes,
    count: () => count,
    failed: () => failed,
    isFull: () => count - taken >= ROW_BATCH_SIZE || size >= MAX_BUFFERED_LENGTH,
    /** Returns whether the row is valid. */
    add({ row }: ParsedRow): boolean {
      count += 1
      if (count > maxRows) throw tooManyTasks(maxRows)
      const complaints = validateRow(row)
      const duplicate = row.key === null ? undefined : numberByKey.get(row.key)
      if (duplicate !== undefined) complaints.push(`id: row ${duplicate} has the same id.`)
      const text = JSON.stringify(row)
      if (text.length > MAX_ROW_LENGTH) {
        complaints.push(
          'The row is too large. It must be at most four million characters, comments included.',
        )
      }
      const { number, key, parent, blocked_by: needs } = row
      if (complaints.length > 0) {
        nodes.push(invalidNode(row))
        addFailed(failedRow(row, complaints.join(' '), failed))
        return false
      }
      nodes.push({ number, key, parent, needs, isInvalid: false })
      if (key !== null) numberByKey.set(key, number)
      size += text.length
      buffer.push({ number, key, row: text, fault: null })
      return true
    },
    /**
     * Empties the buffer and returns what writes its rows. A retried transaction may call that
     * again.
     */
    takeWriter() {
      const [rows, row_count] = [buffer, count]
      buffer = []
      taken = count
      size = 0
      return async (tx: WriteTx, current: LoadedImport): Promise<void> => {
        await tx.run(insertImportRows, { import_id, rows })
        await tx.run(setRowCount, { ...current, row_count, updated_at: tx.now })
      }
    },
  }
}

/**
 * Of an invalid row only the id is kept, by which rows that refer to it are found. Its values may be
 * of any length and number.
 */
const invalidNode = ({ number, key }: ImportedTask): RowNode => ({
  ...{ number, key: key === null || isTooLongForKey(key) ? null : key },
  ...{ parent: null, needs: [], isInvalid: true },
})
