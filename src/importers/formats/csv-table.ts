import { Readable } from 'node:stream'
import type { Info } from 'csv-parse'
import { giveWay } from '#lib/turns.ts'
import { MAX_IMPORT_COLUMNS } from '#resources/imports/internal.ts'
import { DELIMITERS, findTableHead } from './find-table-head.ts'
import { UnreadableFileError } from './unreadable-file-error.ts'

/** In characters. */
const MAX_LINE_LENGTH = 1_048_576
/**
 * The columns of the largest sheet of Excel. The length of a line counts without its delimiters, and the
 * parser copies a line that has more cells than the first: a million empty ones took a fifth of a second.
 */
const MAX_LINE_CELLS = 16_384
/** In characters: the part of a table in which the delimiter is searched for. */
const SAMPLE_LENGTH = 65_536
/** In characters: what a choice of columns can name. */
const MAX_HEADER_LENGTH = 500
/**
 * In bytes: what the parser takes at once. A line may be two bytes, and the parser makes an error of each
 * line with another number of cells than the first, which takes a tenth of a millisecond.
 */
const SLICE_BYTES = 512

/** A line of a table: the cells under each header. Jira gives several columns the same name. */
export interface CsvLine {
  /** The number of its row in a spreadsheet, where a cell of several lines is one row. */
  number: number
  cells: Map<string, string[]>
  /** All cells in their order, also those of columns without a name and beyond the last column. */
  values: readonly string[]
  /** The texts beyond the last column, as of a line with a comma that stands in no quotes. */
  beyond: string
}

export interface CsvTable {
  headers: string[]
  /** The name of each column as the file has it: it may be blank, or that of another one. */
  columns: readonly string[]
  /** Whether the first line names the columns; otherwise it is a line like the others. */
  hasHeadings: boolean
  /** How many lines above the names of the columns have a text. */
  linesAbove: number
  lines: AsyncIterable<CsvLine>
}

/** Whether the cells of the first line name the columns. */
export type HeadingsTest = (cells: readonly string[]) => boolean

/**
 * Streams the lines of a CSV file. Its first line names the columns, or one further down if that is clear, unless
 * `areHeadings` denies it.
 */
export const parseCsvTable = (
  text: AsyncIterable<string>,
  areHeadings: HeadingsTest = () => true,
): Promise<CsvTable> => parseTable(text, { areHeadings })

/** The column names of a CSV file from its beginning, which may end within a quoted cell. */
export const parseCsvHeaders = async (head: string): Promise<string[]> =>
  (await parseTable(Readable.from([head]), { hasRows: false, areHeadings: () => true })).headers

async function parseTable(
  text: AsyncIterable<string>,
  { hasRows = true, areHeadings }: { hasRows?: boolean; areHeadings: HeadingsTest },
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
  const first = await withCsvErrors(records.next())
  if (first.done) throw new UnreadableFileError('no_table')
  const { record } = first.value
  if (record.length > MAX_IMPORT_COLUMNS) {
    throw new UnreadableFileError('too_many_columns', { number: MAX_IMPORT_COLUMNS })
  }
  const cells = record.map((name) => name.trim().slice(0, MAX_HEADER_LENGTH))
  const hasHeadings = areHeadings(cells)
  const headers = hasHeadings ? cells : cells.map(() => '')
  return {
    headers: [...new Set(headers)].filter((name) => name !== ''),
    columns: headers,
    hasHeadings,
    linesAbove: found?.textsAbove ?? 0,
    lines: hasHeadings
      ? toLines(headers, records, countLineEnds(first.value) - rowsAbove)
      : toLines(headers, withFirst(first.value, records), -rowsAbove),
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

async function* withFirst(
  first: CsvRecord,
  records: AsyncIterator<CsvRecord>,
): AsyncGenerator<CsvRecord> {
  yield first
  yield* { [Symbol.asyncIterator]: () => records }
}

async function* toLines(
  headers: string[],
  records: AsyncIterator<CsvRecord>,
  countedBefore = 0,
): AsyncGenerator<CsvLine> {
  // The parser counts the line ends within cells, too: a CRLF as two.
  let withinCells = countedBefore
  for (;;) {
    const next = await withCsvErrors(records.next())
    if (next.done) return
    const { record, info } = next.value
    withinCells += countLineEnds(next.value)
    const cells = new Map<string, string[]>()
    const line = record.map((cell) => unescapeFormulas(cell.trim()))
    for (const [at, header] of headers.entries()) {
      const cell = line[at] ?? ''
      if (cell === '') continue
      const values = cells.get(header)
      if (values) values.push(cell)
      else cells.set(header, [cell])
    }
    // A text beyond the last column is one, too.
    const beyond = line.slice(headers.length).filter(Boolean).join(', ')
    if (line.some((cell) => cell !== ''))
      yield { number: info.lines - withinCells, cells, values: line, beyond }
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

/** Turns errors of the CSV parser into those of the file. */
async function withCsvErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof (await importParser()).CsvError)) throw error
    const isTooLong = error.code === 'CSV_MAX_RECORD_SIZE'
    throw new UnreadableFileError(isTooLong ? 'line_too_long' : 'quote_open', { cause: error })
  }
}
