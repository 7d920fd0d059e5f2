import { toOneLine } from '#lib/one-line.ts'
import { emptyImportedTask } from '#resources/imports/imported-task.ts'
import type { ImportField } from '#resources/imports/internal.ts'
import { type CsvLine, parseCsvTable } from '../formats/csv-table.ts'
import { decodeText } from '../formats/decode-text.ts'
import { guessColumns } from '../mapping/guess-columns.ts'
import { isNoValue, parseCompleted, parseEstimate } from '../mapping/parse-values.ts'
import type { ParsedRow, SourceReader } from './source-reader.ts'

/**
 * Reads a table with any columns. The plan says what they hold; otherwise their names are matched.
 */
export const readCsv: SourceReader = async (source, plan) => {
  const table = await parseCsvTable(decodeText(source.bytes(), plan.latin1))
  const headers = nameColumns(table.columns)
  const columns =
    plan.columns.length > 0
      ? plan.columns.filter(({ column }) => headers.includes(column))
      : guessColumns(headers, table.columns)
  const places = new Map(columns.map(({ field, column }) => [field, headers.indexOf(column)]))
  return { headers, columns, rows: parseRows(table.lines, places, headers.length) }
}

const MAX_COLUMN_NAME_LENGTH = 200

/**
 * A name for each column by which it can be chosen: its own, or its place if it has none. The second
 * of a name gets a number.
 */
function nameColumns(columns: readonly string[]): string[] {
  const taken = new Set<string>()
  return columns.map((given, at) => {
    const own = [...toOneLine(given)].slice(0, MAX_COLUMN_NAME_LENGTH).join('')
    const stem = own === '' ? `Column ${at + 1}` : own
    let name = stem
    for (let count = 2; taken.has(name); count += 1) name = `${stem} (${count})`
    taken.add(name)
    return name
  })
}

async function* parseRows(
  lines: AsyncIterable<CsvLine>,
  places: ReadonlyMap<ImportField, number>,
  columnCount: number,
): AsyncGenerator<ParsedRow> {
  for await (const { number, values } of lines) {
    const cell = (field: ImportField): string | null => {
      const place = places.get(field)
      return place === undefined ? null : values[place] || null
    }
    const names = (field: ImportField) => splitNames([cell(field) ?? ''])
    const warnings: string[] = []
    const notes: string[] = []
    const estimate = isNoValue(cell('estimate') ?? '') ? null : cell('estimate')
    const estimate_seconds = estimate === null ? null : (parseEstimate(estimate) ?? null)
    if (estimate !== null && estimate_seconds === null) {
      warnings.push(`Estimate: "${estimate.slice(0, 80)}" is no time such as 1h 30m, nor hours.`)
      notes.push(`Estimate: ${estimate}`)
    }
    const beyond = values.slice(columnCount).filter(Boolean).join(', ')
    if (beyond !== '') {
      warnings.push(`The row has more cells than the table has columns: "${beyond.slice(0, 80)}"`)
      notes.push(`More cells: ${beyond}`)
    }
    const row = {
      ...emptyImportedTask(number),
      key: cell('id'),
      title: cell('title') ?? '',
      description: cell('description'),
      status: cell('status'),
      completed: parseCompleted(cell('completed')),
      priority_name: cell('priority'),
      assignees: names('assignees'),
      tags: names('tags'),
      project: cell('project') ?? '',
      start_date: cell('start_date'),
      due_date: cell('due_date'),
      estimate_seconds,
      parent: cell('parent'),
      blocked_by: names('blocked_by'),
      notes,
    }
    yield { row, warnings }
  }
}

/** Further names in a cell would only take time: no task may have so many of anything. */
const MAX_NAMES = 1_000

/** Splits cells at commas, semicolons and line feeds into distinct names. */
export const splitNames = (cells: readonly string[]): string[] => [
  ...new Set(
    cells.flatMap((cell) => cell.split(/[,;\n]/, MAX_NAMES)).flatMap((name) => name.trim() || []),
  ),
]
