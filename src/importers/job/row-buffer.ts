import type { WriteTx } from '#core/transaction.ts'
import type { LoadedImport } from '#resources/imports/load.ts'
import { insertImportRows } from '#resources/imports/row-store.ts'
import { setImport } from '#resources/imports/store.ts'
import { tooManyTasks } from '../formats/unreadable-file-error.ts'
import { type FittedRow, fitKey } from '../mapping/fit-row.ts'
import type { RowNode } from './order-rows.ts'
import { addWarnings, failedRow, shortenTitle } from './row-result.ts'

/**
 * Rows in one transaction: few, with a pause after each batch, so that requests need not wait long.
 */
export const ROW_BATCH_SIZE = 250
/** In characters: rows that are buffered in memory before they are written. */
const MAX_BUFFERED_LENGTH = 1_000_000

const setRowCount = setImport(['row_count', 'updated_at'])

export type ImportRowBuffer = ReturnType<typeof createRowBuffer>

interface BufferedRow {
  number: number
  key: string | null
  row: string
  fault: string | null
  warning: string | null
}

/** Creates the buffer that collects the rows of a file until they are stored. */
export function createRowBuffer(import_id: string, maxRows: number) {
  const nodes: RowNode[] = []
  const numberByKey = new Map<string, number>()
  /** How often an id has been taken before. */
  const timesTaken = new Map<string, number>()
  /** The numbers of the rows with warnings. */
  const warned = new Set<number>()
  let buffer: BufferedRow[] = []
  let [count, taken, failed, size] = [0, 0, 0, 0]

  /** Another id for a row whose id an earlier one has. Rows that name the id mean the earlier one. */
  function takeFreeKey(key: string): string {
    let free = key
    while (numberByKey.has(free)) {
      const times = (timesTaken.get(key) ?? 1) + 1
      timesTaken.set(key, times)
      free = fitKey(`${key} (${times})`)
    }
    return free
  }
  return {
    nodes,
    warned,
    count: () => count,
    failed: () => failed,
    isFull: () => count - taken >= ROW_BATCH_SIZE || size >= MAX_BUFFERED_LENGTH,
    add({ row: given, warnings: found, isEmpty }: FittedRow): void {
      count += 1
      if (count > maxRows) throw tooManyTasks(maxRows)
      const { number, parent, blocked_by: needs } = given
      if (isEmpty) {
        nodes.push({ number, title: '', key: given.key, parent, needs: [], isEmpty })
        const { row, fault } = failedRow(given, 'title must not be empty.', failed)
        failed += 1
        if (fault !== null) buffer.push({ number, key: given.key, row, fault, warning: null })
        return
      }
      const key = given.key === null ? null : takeFreeKey(given.key)
      const isTaken = key !== given.key
      const same = isTaken ? numberByKey.get(given.key ?? '') : undefined
      const warnings = isTaken ? [...found, `Id: row ${same} has "${given.key}" too.`] : found
      const row = isTaken ? { ...given, key } : given
      if (key !== null) numberByKey.set(key, number)
      nodes.push({ number, title: shortenTitle(row), key, parent, needs, isEmpty })
      const warning = addWarnings(null, row, warnings, warned.size)
      if (warnings.length > 0) warned.add(number)
      const text = JSON.stringify(row)
      size += text.length
      buffer.push({ number, key, row: text, fault: null, warning })
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
