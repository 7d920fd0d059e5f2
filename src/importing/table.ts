import { Readable } from 'node:stream'
import { CsvError, type Info, parse } from 'csv-parse'
import { MOST_COLUMNS } from '#resources/imports/internal.ts'
import { Unreadable } from './unreadable.ts'

/** Characters that one line of a table may have. */
const MOST_OF_LINE = 1_048_576
/** So much of a table is looked at for what separates its cells. */
const LOOKED_AT = 65_536
const DELIMITERS = [',', ';', '\t'] as const

/** A line of a table: the cells below each header. Jira gives several columns one name. */
export interface Line {
  /** Its line in the file. */
  number: number
  cells: Map<string, string[]>
}

export interface Table {
  headers: string[]
  lines: AsyncIterable<Line>
}

/** Reads a CSV file from its text, line by line; the first line names the columns. */
export async function tableOf(text: AsyncIterable<string>): Promise<Table> {
  const whole = text[Symbol.asyncIterator]()
  let head = ''
  for (let next = await whole.next(); !next.done; next = await whole.next()) {
    head += next.value
    if (head.length >= LOOKED_AT) break
  }
  const parser = parse({
    ...{ bom: true, delimiter: delimiterOf(head), info: true, max_record_size: MOST_OF_LINE },
    ...{ relax_column_count: true, relax_quotes: true, skip_empty_lines: true },
  })
  const rest = { [Symbol.asyncIterator]: () => whole }
  const source = Readable.from(joined(head, rest), { objectMode: false })
  source.on('error', (error) => parser.destroy(error))
  const records = source.pipe(parser)[Symbol.asyncIterator]() as AsyncIterator<Recorded>
  const first = await told(records.next())
  if (first.done) throw new Unreadable('The file holds no table: its first line names the columns.')
  const headers = first.value.record.map((name) => name.trim())
  if (headers.length > MOST_COLUMNS) {
    throw new Unreadable(`The table has more than ${MOST_COLUMNS} columns.`)
  }
  return {
    headers: [...new Set(headers)].filter((name) => name !== ''),
    lines: linesOf(headers, records),
  }
}

interface Recorded {
  record: string[]
  info: Info
}

async function* joined(head: string, rest: AsyncIterable<string>) {
  yield head
  yield* rest
}

async function* linesOf(headers: string[], records: AsyncIterator<Recorded>): AsyncGenerator<Line> {
  for (;;) {
    const next = await told(records.next())
    if (next.done) return
    const { record, info } = next.value
    const cells = new Map<string, string[]>()
    for (const [at, header] of headers.entries()) {
      const cell = unquoted(record[at]?.trim() ?? '')
      if (cell === '') continue
      const known = cells.get(header)
      if (known) known.push(cell)
      else cells.set(header, [cell])
    }
    if (cells.size > 0) yield { number: info.lines, cells }
  }
}

/** Without the mark that keeps spreadsheets from reckoning with a text (`export` puts it there). */
const unquoted = (cell: string): string =>
  /^'+[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/.test(cell) ? cell.slice(1) : cell

/** What separates the cells of the first line, outside of quotes. */
function delimiterOf(head: string): string {
  const plain = head.replace(/"[^"]*"/g, '')
  const line = plain.split(/\r\n|\n|\r/, 1)[0] ?? ''
  const counted = DELIMITERS.map((sign) => ({ sign, times: line.split(sign).length }))
  return counted.toSorted((a, b) => b.times - a.times)[0]?.sign ?? ','
}

async function told<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const why =
      error.code === 'CSV_MAX_RECORD_SIZE'
        ? 'holds a line that is longer than a million characters'
        : 'has a quotation mark that is never closed'
    throw new Unreadable(`The table ${why}.`, { cause: error })
  }
}
