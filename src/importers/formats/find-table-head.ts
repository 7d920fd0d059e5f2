import { countColumnNames } from '../mapping/guess-columns.ts'

export const DELIMITERS = [',', ';', '\t'] as const
/** Some tools write the time of the export and what its numbers mean above the names of the columns. */
const MAX_LINES_ABOVE = 20
/** Records, and cells of each, that are looked at: a beginning may have a cell in two characters. */
const MAX_RECORDS = 50
const MAX_CELLS = 100

interface TableRecord {
  cells: string[]
  /** Where it begins, in characters. */
  start: number
}

export interface TableHead extends TableRecord {
  delimiter: string
  /** How many of its cells are known names of columns. */
  known: number
  /** The rows above it in a spreadsheet, and how many of them have a text. */
  rowsAbove: number
  textsAbove: number
}

/**
 * Finds the line that names the columns, if it is not the first one: it names two that are known, and more
 * cells of it have a text than of each line above.
 */
export function findTableHead(
  beginning: string,
  delimiters: readonly string[] = DELIMITERS,
): TableHead | undefined {
  const heads = delimiters.flatMap((delimiter) => findWithDelimiter(beginning, delimiter) ?? [])
  return heads.toSorted((a, b) => b.known - a.known)[0]
}

function findWithDelimiter(beginning: string, delimiter: string): TableHead | undefined {
  let widest = 0
  let textsAbove = 0
  const records = scanRecords(beginning, delimiter)
  for (const [rowsAbove, { cells, start }] of records.slice(0, MAX_LINES_ABOVE + 1).entries()) {
    const texts = cells.filter((cell) => cell !== '')
    const known = countColumnNames(texts.slice(0, MAX_CELLS))
    if (known > 1 && texts.length > widest)
      return rowsAbove === 0 ? undefined : { delimiter, cells, known, start, rowsAbove, textsAbove }
    // One known name among others is a head, too; alone it may be that of a report.
    if (known > 0 && texts.length > 1) return undefined
    widest = Math.max(widest, texts.length)
    textsAbove += texts.length > 0 ? 1 : 0
  }
  return undefined
}

/** The records at the beginning of a table, also blank ones. A quoted cell may have line ends. */
export function scanRecords(beginning: string, delimiter: string): TableRecord[] {
  const records: TableRecord[] = []
  const end = `(${RegExp.escape(delimiter)}|\\r\\n|\\n|\\r|$)`
  const cell = new RegExp(
    `[\\t ]*"((?:[^"]|"")*)"[\\t ]*${end}|([^${delimiter}\\r\\n]*)${end}`,
    'y',
  )
  let current: TableRecord = { cells: [], start: 0 }
  while (records.length < MAX_RECORDS && cell.lastIndex < beginning.length) {
    const [, quoted, quotedEnd, plain = '', plainEnd] = cell.exec(beginning) ?? []
    current.cells.push((quoted?.replaceAll('""', '"') ?? plain).replace('\ufeff', '').trim())
    if ((quotedEnd ?? plainEnd) === delimiter) continue
    records.push(current)
    current = { cells: [], start: cell.lastIndex }
  }
  return records
}
