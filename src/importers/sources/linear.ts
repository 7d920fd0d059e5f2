import { emptyImportedTask } from '#resources/imports/imported-task.ts'
import { type CsvLine, parseCsvTable } from '../formats/csv-table.ts'
import { decodeText } from '../formats/decode-text.ts'
import { parseImportedDay, parsePriority } from '../mapping/parse-values.ts'
import { splitNames } from './csv.ts'
import type { ParsedRow, SourceReader } from './source-reader.ts'

/** Reads the CSV export of Linear. A team becomes a project, and a Linear project becomes a tag. */
export const readLinear: SourceReader = async (source, plan) => {
  const { lines } = await parseCsvTable(decodeText(source.bytes(), plan.latin1))
  return { rows: parseRows(lines) }
}

async function* parseRows(lines: AsyncIterable<CsvLine>): AsyncGenerator<ParsedRow> {
  for await (const { number, cells } of lines) {
    const cell = (name: string) => cells.get(name)?.[0] ?? null
    const warnings: string[] = []
    const due = cell('Due Date')
    const due_date = due === null ? null : (parseImportedDay(due) ?? null)
    if (due !== null && due_date === null)
      warnings.push(`Due Date: "${due.slice(0, 80)}" is not a date.`)
    const row = {
      ...emptyImportedTask(number),
      key: cell('ID'),
      title: cell('Title') ?? '',
      description: cell('Description'),
      status: cell('Status'),
      priority: parsePriority(cell('Priority') ?? '') ?? 'none',
      assignees: splitNames(cells.get('Assignee') ?? []),
      tags: splitNames([...(cells.get('Labels') ?? []), ...(cells.get('Project') ?? [])]),
      project: cell('Team') ?? '',
      due_date,
      parent: cell('Parent issue'),
      blocked_by: splitNames(cells.get('Blocked by') ?? []),
    }
    yield { row, warnings }
  }
}
