import { emptyImportedTask, type ImportedTask } from '#resources/imports/imported-task.ts'
import type { StatusCategory } from '#resources/projects/contract.ts'
import { type CsvLine, parseCsvTable } from '../formats/csv-table.ts'
import { decodeText } from '../formats/decode-text.ts'
import { keepBeyond } from '../mapping/fit-row.ts'
import { guessStatusCategory, parseImportedDay } from '../mapping/parse-values.ts'
import { splitNames } from './csv.ts'
import { type ExtraValue, toNumberIfPlain, withExtraValues } from './extra-values.ts'
import type { ParsedRow, SourceReader } from './source-reader.ts'

/** Reads the CSV export of Linear. A team becomes a project, and a Linear project becomes a tag. */
export const readLinear: SourceReader = async (source, plan) => {
  const { headers, lines } = await parseCsvTable(decodeText(source.bytes(), plan.latin1))
  const extra = headers.filter((header) => !COLUMNS.has(header) && !IGNORED_COLUMN.test(header))
  const statuses = new Map<string, StatusCategory>()
  return { statuses, rows: parseRows(lines, extra, statuses) }
}

/** The columns that become fields of a task. */
const COLUMNS: ReadonlySet<string> = new Set([
  'ID',
  'Team',
  'Title',
  'Description',
  'Status',
  'Estimate',
  'Priority',
  'Project',
  'Creator',
  'Assignee',
  'Labels',
  'Due Date',
  'Parent issue',
  'Blocked by',
  'Cycle Number',
  'Cycle Name',
])
/** Columns that say when something changed, repeat others, or only mean something to Linear. */
const IGNORED_COLUMN =
  /^(.* ID|UUID|Created|Updated|Started|Triaged|Completed|Canceled|Archived|Cycle Start|Cycle End|Time in status.*)$/

async function* parseRows(
  lines: AsyncIterable<CsvLine>,
  extra: readonly string[],
  statuses: Map<string, StatusCategory>,
): AsyncGenerator<ParsedRow> {
  for await (const { number, cells, beyond } of lines) {
    const cell = (name: string) => cells.get(name)?.[0] ?? null
    const status = cell('Status')
    const category = categoryOf(status, cell)
    if (status !== null && category !== undefined && !statuses.has(status))
      statuses.set(status, category)
    const row: ImportedTask = {
      ...emptyImportedTask(number),
      key: cell('ID'),
      title: cell('Title') ?? '',
      description: cell('Description'),
      status,
      priority_name: cell('Priority'),
      assignees: cells.get('Assignee') ?? [],
      // The name of a project may have commas, and so may that of a person.
      tags: [
        ...new Set([...splitNames(cells.get('Labels') ?? []), ...(cells.get('Project') ?? [])]),
      ],
      project: cell('Team') ?? '',
      due_date: cell('Due Date'),
      parent: cell('Parent issue'),
      blocked_by: splitNames(cells.get('Blocked by') ?? []),
    }
    const points = cell('Estimate')
    const parsed = withExtraValues(row, [
      ['Points', points === null ? null : toNumberIfPlain(points)],
      ['Cycle', cell('Cycle Name') ?? cell('Cycle Number')],
      ['Created by', cell('Creator')],
      ...extra.map((header) => toExtraValue(header, cell(header))),
    ])
    yield keepBeyond({ row: parsed, warnings: [] }, beyond)
  }
}

const toExtraValue = (header: string, text: string | null): ExtraValue => {
  // These hold keys of other issues.
  if (/^(related to|duplicate of|blocks)$/i.test(header))
    return [header, text === null ? null : splitNames([text])]
  return [header, text === null ? null : toNumberIfPlain(text)]
}

/** The category of a status by when its issues were completed, whatever its name is. */
function categoryOf(
  status: string | null,
  cell: (name: string) => string | null,
): StatusCategory | undefined {
  const isSet = (name: string) => parseImportedDay(cell(name) ?? '') !== undefined
  if (isSet('Canceled')) return 'canceled'
  if (isSet('Completed')) return 'completed'
  const isUnknown = guessStatusCategory(status ?? '') === 'unstarted'
  return isUnknown && isSet('Started') ? 'started' : undefined
}
