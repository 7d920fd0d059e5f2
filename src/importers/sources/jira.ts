import { emptyImportedTask, type ImportedComment } from '#resources/imports/imported-task.ts'
import { type CsvLine, parseCsvTable } from '../formats/csv-table.ts'
import { decodeText } from '../formats/decode-text.ts'
import { tooManyTasks } from '../formats/unreadable-file-error.ts'
import { parseImportedDay, parsePriority } from '../mapping/parse-values.ts'
import { splitNames } from './csv.ts'
import type { ImportFile, ParsedRow, SourceReader } from './source-reader.ts'

/** Reads the CSV export of Jira, which repeats the columns that hold several values. */
export const readJira: SourceReader = async (source, plan, { maxRows }) => {
  const { headers, lines } = await parseCsvTable(decodeText(source.bytes(), plan.latin1))
  const keys = headers.includes('Parent id')
    ? await readKeysById(source, plan.latin1, maxRows)
    : new Map()
  return { rows: parseRows(lines, keys) }
}

/** Jira refers to parents by number and to linked issues by key. */
async function readKeysById(
  source: ImportFile,
  latin1: boolean,
  maxRows: number,
): Promise<Map<string, string>> {
  const keys = new Map<string, string>()
  const { lines } = await parseCsvTable(decodeText(source.bytes(), latin1))
  for await (const { cells } of lines) {
    const [id] = cells.get('Issue id') ?? []
    const [key] = cells.get('Issue key') ?? []
    if (id !== undefined && key !== undefined) keys.set(id, key)
    if (keys.size > maxRows) throw tooManyTasks(maxRows)
  }
  return keys
}

async function* parseRows(
  lines: AsyncIterable<CsvLine>,
  keys: ReadonlyMap<string, string>,
): AsyncGenerator<ParsedRow> {
  for await (const { number, cells } of lines) {
    const cell = (...names: string[]) =>
      names.map((name) => cells.get(name)?.[0]).find((value) => value !== undefined) ?? null
    const warnings: string[] = []
    const due = cell('Due date', 'Due Date')
    const due_date = due === null ? null : (parseImportedDay(due) ?? null)
    if (due !== null && due_date === null)
      warnings.push(`Due date: "${due.slice(0, 80)}" is not a date.`)
    const estimate = Number(cell('Original estimate', 'Original Estimate') ?? Number.NaN)
    const parent_id = cell('Parent id')
    const row = {
      ...emptyImportedTask(number),
      key: cell('Issue key'),
      title: cell('Summary') ?? '',
      description: cell('Description'),
      status: cell('Status'),
      priority: parsePriority(cell('Priority') ?? '') ?? 'none',
      assignees: splitNames(cells.get('Assignee') ?? []),
      tags: splitNames([
        ...(cells.get('Labels') ?? []),
        ...(cells.get('Component/s') ?? cells.get('Components') ?? []),
      ]),
      project: cell('Project name', 'Project key') ?? '',
      due_date,
      estimate_seconds: Number.isInteger(estimate) ? estimate : null,
      parent:
        cell('Parent key', 'Parent') ??
        (parent_id === null ? null : (keys.get(parent_id) ?? parent_id)),
      blocked_by: splitNames(cells.get('Inward issue link (Blocks)') ?? []),
      comments: [...(cells.get('Comment') ?? []), ...(cells.get('Comments') ?? [])].map(
        parseComment,
      ),
    }
    yield { row, warnings }
  }
}

/** `21/Nov/26 9:30 AM;ada;What she said` */
function parseComment(cell: string): ImportedComment {
  const [, at = '', author = '', body = ''] = /^([^;\n]*);([^;\n]*);(.*)$/s.exec(cell) ?? []
  const day = parseImportedDay(at)
  return day === undefined || body.trim() === ''
    ? { author: null, at: null, body: cell }
    : { author: author || null, at: day, body: body.trim() }
}
