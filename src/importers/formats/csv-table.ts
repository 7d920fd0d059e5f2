import { Readable } from 'node:stream'
import type { Info } from 'csv-parse'
import { foldCase } from '#lib/fold-case.ts'
import { giveWay } from '#lib/turns.ts'
import { MAX_IMPORT_COLUMNS } from '#resources/imports/internal.ts'
import { countColumnNames } from '../mapping/guess-columns.ts'
import type { LostValue, SourceReading } from '../sources/source.ts'
import { decodeText } from './decode-text.ts'
import { UnreadableFileError } from './unreadable-file-error.ts'

/** In characters. */
const MAX_LINE_LENGTH = 1_048_576
/**
 * The columns of the largest sheet of Excel. The length of a line counts without its delimiters, and the
 * parser copies a line that has more cells than the first: a million empty ones took a fifth of a second.
 */
const MAX_LINE_CELLS = 16_384
/** In characters: the part of a table in which the delimiter and the names of the columns are searched for. */
const SAMPLE_LENGTH = 65_536
/** In characters: what a choice of columns can name. */
const MAX_HEADER_LENGTH = 500
/**
 * In bytes: what the parser takes at once. A line may be two bytes, and the parser makes an error of each
 * line with another number of cells than the first, which takes a tenth of a millisecond.
 */
const SLICE_BYTES = 512

export interface CsvLine {
  /** The number of its row in a spreadsheet, where a cell of several lines is one row. */
  number: number
  /** All cells in their order, also those of columns without a name. */
  values: readonly string[]
  /** The texts beyond the last column, as of a line with a comma that stands in no quotes. */
  beyond: LostValue[]
}

export interface CsvTable {
  /** The name of each column as the file has it: it may be blank, or that of another one. */
  columns: readonly string[]
  /** Whether the first line names the columns; otherwise it is a line like the others. */
  hasHeadings: boolean
  /** How many lines above the names of the columns have a text. */
  linesAbove: number
  lines: AsyncIterable<CsvLine>
}

/** The places of columns by what they hold. Jira gives several columns the same name. */
export type ColumnPlaces<C extends string> = ReadonlyMap<C, readonly number[]>

/**
 * The columns that a tool names so, in lower case: the first name that a file has decides. `others` are the
 * places of the columns with another name.
 */
export function findColumns<C extends string>(
  columns: readonly string[],
  names: Readonly<Record<C, readonly string[]>>,
): { places: ColumnPlaces<C>; others: number[] } {
  const folded = columns.map(foldCase)
  const places = new Map<C, number[]>()
  for (const column in names) {
    const found = names[column].flatMap((name) =>
      folded.flatMap((other, at) => (other === name ? at : [])),
    )
    places.set(column, found)
  }
  const used = new Set([...places.values()].flat())
  return { places, others: [...columns.keys()].filter((at) => !used.has(at) && columns[at] !== '') }
}

/** Reads the cells of a line that have a text, of one column or several. */
export const readCells =
  <C extends string>(places: ColumnPlaces<C>, { values }: CsvLine) =>
  (...columns: C[]): string[] =>
    columns.flatMap((column) => (places.get(column) ?? []).flatMap((at) => values[at] || []))

/** Reads the first cell that has a text. */
export const readCell = <C extends string>(places: ColumnPlaces<C>, line: CsvLine) => {
  const cells = readCells(places, line)
  return (...columns: C[]): string | null => cells(...columns)[0] ?? null
}

/** Whether the cells of the first line name the columns. */
type HeadingsTest = (cells: readonly string[]) => boolean

/** Opens the file of a reading as a table from its beginning. */
export const openTable = (
  { file, plan }: Pick<SourceReading, 'file' | 'plan'>,
  areHeadings?: HeadingsTest,
): Promise<CsvTable> => parseCsvTable(decodeText(file.bytes(), plan.latin1), areHeadings)

/**
 * Streams the lines of a CSV file. Its first line names the columns, or one further down if that is clear, unless
 * `areHeadings` denies it. With `hasRows` false, it reads no line beyond the first: `text` may end within a cell.
 */
export async function parseCsvTable(
  text: AsyncIterable<string>,
  areHeadings: HeadingsTest = () => true,
  hasRows = true,
): Promise<CsvTable> {
  const chunks = text[Symbol.asyncIterator]()
  let head = ''
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
    head += next.value
    if (head.length >= SAMPLE_LENGTH) break
  }
  // Excel can name the delimiter above the table.
  const [named = '', namedDelimiter] = DELIMITER_LINE.exec(head) ?? []
  head = head.slice(named.length)
  const below = findTableHead(head, namedDelimiter === undefined ? DELIMITERS : [namedDelimiter])
  const found = below && areHeadings(below.cells) ? below : undefined
  if (found) head = head.slice(found.start)
  const rowsAbove = (found?.rowsAbove ?? 0) + (namedDelimiter === undefined ? 0 : 1)
  const { parse } = await importParser()
  const options = {
    bom: true,
    delimiter: found?.delimiter ?? namedDelimiter ?? guessDelimiter(head),
    info: true,
    max_record_size: MAX_LINE_LENGTH,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    // Some programs put a space before a quoted cell.
    ltrim: true,
    // Otherwise the end of the first line alone ends lines, and a file may mix them.
    record_delimiter: ['\r\n', '\n', '\r'],
    cast: assertFewCells,
    // At the end of its input, a Transform takes at once what it has been given.
    writableHighWaterMark: SLICE_BYTES,
    ...(!hasRows && { to: 1 }),
  }
  const parser = parse(options)
  const rest = { [Symbol.asyncIterator]: () => chunks }
  const source = Readable.from(toSlices(head, rest), { objectMode: false })
  source.on('error', (error) => parser.destroy(error))
  const records = source.pipe(parser)[Symbol.asyncIterator]() as AsyncIterator<CsvRecord>
  const first = await nextRecord(records)
  if (!first) throw new UnreadableFileError('no_table')
  const { record } = first
  if (record.length > MAX_IMPORT_COLUMNS) {
    throw new UnreadableFileError('too_many_columns', { number: MAX_IMPORT_COLUMNS })
  }
  const cells = record.map((name) => name.trim().slice(0, MAX_HEADER_LENGTH))
  const hasHeadings = areHeadings(cells)
  return {
    columns: hasHeadings ? cells : cells.map(() => ''),
    hasHeadings,
    linesAbove: found?.textsAbove ?? 0,
    lines: readLines(first, records, { hasHeadings, rowsAbove, width: cells.length }),
  }
}

function assertFewCells(cell: string, { index }: { index: number }): string {
  if (index < MAX_LINE_CELLS) return cell
  throw new UnreadableFileError('too_many_cells', { number: MAX_LINE_CELLS })
}

/** Most servers never import a file. */
const importParser = () => import('csv-parse')

interface CsvRecord {
  record: string[]
  info: Info
}

async function* toSlices(head: string, rest: AsyncIterable<string>): AsyncGenerator<Buffer> {
  yield* slicesOf(head)
  for await (const text of rest) yield* slicesOf(text)
}

async function* slicesOf(text: string): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    yield bytes.subarray(at, at + SLICE_BYTES)
    await giveWay()
  }
}

async function* readLines(
  first: CsvRecord,
  records: AsyncIterator<CsvRecord>,
  { hasHeadings, rowsAbove, width }: { hasHeadings: boolean; rowsAbove: number; width: number },
): AsyncGenerator<CsvLine> {
  let isHead = hasHeadings
  // The parser counts the line ends within cells, too: a CRLF as two.
  let withinCells = -rowsAbove
  for (let next: CsvRecord | undefined = first; next; next = await nextRecord(records)) {
    withinCells += countLineEnds(next)
    const values = isHead ? [] : next.record.map((cell) => unescapeFormulas(cell.trim()))
    isHead = false
    // A text beyond the last column is one, too.
    const beyond = values.slice(width).filter(Boolean).join(', ')
    if (values.some((cell) => cell !== ''))
      yield {
        number: next.info.lines - withinCells,
        values,
        beyond: beyond === '' ? [] : [{ code: 'beyond_columns', field: '', text: beyond }],
      }
    await giveWay()
  }
}

const countLineEnds = ({ record }: CsvRecord): number =>
  record.reduce((count, cell) => count + (cell.match(/[\r\n]/g)?.length ?? 0), 0)

/**
 * An apostrophe that a CSV export puts before text which a spreadsheet would run as a formula
 * (src/lib/csv.ts).
 */
const ESCAPED_FORMULA_START =
  /(^|[;\t\r\n])'(?=["'\p{Zs}\p{Cf}\p{DI}]*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20])/gu

const unescapeFormulas = (cell: string): string => cell.replace(ESCAPED_FORMULA_START, '$1')

const DELIMITER_LINE = /^\ufeff?"?sep=([,;\t|])"?(?:\r\n|\n|\r)/i

/** The most frequent delimiter in the first line, outside of quotes. */
function guessDelimiter(head: string): string {
  const plain = head.replace(/"[^"]*"/g, '')
  const line = plain.split(/\r\n|\n|\r/, 1)[0] ?? ''
  const counts = DELIMITERS.map((sign) => ({ sign, times: line.split(sign).length }))
  return counts.toSorted((a, b) => b.times - a.times)[0]?.sign ?? ','
}

/** The next record, if there is one. Errors of the CSV parser become those of the file. */
async function nextRecord(records: AsyncIterator<CsvRecord>): Promise<CsvRecord | undefined> {
  try {
    const next = await records.next()
    return next.done ? undefined : next.value
  } catch (error) {
    if (!(error instanceof (await importParser()).CsvError)) throw error
    const isTooLong = error.code === 'CSV_MAX_RECORD_SIZE'
    throw new UnreadableFileError(isTooLong ? 'line_too_long' : 'quote_open', { cause: error })
  }
}

const DELIMITERS = [',', ';', '\t'] as const
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

interface TableHead extends TableRecord {
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
function findTableHead(beginning: string, delimiters: readonly string[]): TableHead | undefined {
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

/** The cells of each record at the beginning of a table, for each sign that may be between them. */
export const scanTable = (beginning: string): string[][][] =>
  DELIMITERS.map((delimiter) => scanRecords(beginning, delimiter).map(({ cells }) => cells))

/** The records at the beginning of a table, also blank ones. A quoted cell may have line ends. */
function scanRecords(beginning: string, delimiter: string): TableRecord[] {
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
