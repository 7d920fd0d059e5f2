import { emptyImportedTask } from '#resources/imports/imported-task.ts'
import type { ImportField } from '#resources/imports/internal.ts'
import { type CsvLine, parseCsvTable } from '../formats/csv-table.ts'
import { decodeText } from '../formats/decode-text.ts'
import { guessColumns } from '../mapping/guess-columns.ts'
import {
  parseCompleted,
  parseEstimate,
  parseImportedDay,
  parsePriority,
} from '../mapping/parse-values.ts'
import type { ParsedRow, SourceReader } from './source-reader.ts'

/**
 * Reads a table with any columns. The plan says what they hold; otherwise their names are matched.
 */
export const readCsv: SourceReader = async (source, plan) => {
  const { headers, lines } = await parseCsvTable(decodeText(source.bytes(), plan.latin1))
  const columns =
    plan.columns.length > 0
      ? plan.columns.filter(({ column }) => headers.includes(column))
      : guessColumns(headers)
  const columnsByField = new Map(columns.map((one) => [one.field, one.column]))
  return { headers, columns, rows: parseRows(lines, columnsByField) }
}

async function* parseRows(
  lines: AsyncIterable<CsvLine>,
  columnsByField: ReadonlyMap<ImportField, string>,
): AsyncGenerator<ParsedRow> {
  for await (const line of lines) {
    const cell = (field: ImportField): string | null =>
      line.cells.get(columnsByField.get(field) ?? '')?.[0] ?? null
    const warnings: string[] = []
    const parsed = <T>(
      field: ImportField,
      parse: (text: string) => T | undefined,
      complaint: string,
    ) => {
      const text = cell(field)
      if (text === null) return null
      const value = parse(text)
      if (value === undefined) warnings.push(`${field}: "${text.slice(0, 80)}" ${complaint}`)
      return value ?? null
    }
    const invalidDay = 'is no day, or can be two: write it such as 2026-03-31.'
    const names = (field: ImportField) =>
      splitNames(line.cells.get(columnsByField.get(field) ?? '') ?? [])
    const row = {
      ...emptyImportedTask(line.number),
      key: cell('id'),
      title: cell('title') ?? '',
      description: cell('description'),
      status: cell('status'),
      completed: parseCompleted(cell('completed')),
      priority:
        parsed('priority', parsePriority, 'is none of: none, low, medium, high, urgent.') ?? 'none',
      assignees: names('assignees'),
      tags: names('tags'),
      project: cell('project') ?? '',
      start_date: parsed('start_date', parseImportedDay, invalidDay),
      due_date: parsed('due_date', parseImportedDay, invalidDay),
      estimate_seconds: parsed('estimate', parseEstimate, 'is no time such as 1h 30m, nor hours.'),
      parent: cell('parent'),
      blocked_by: names('blocked_by'),
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
