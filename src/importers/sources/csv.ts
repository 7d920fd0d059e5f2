import { parseEstimate, readCellNames } from '#lib/cell-values.ts'
import { dayIn } from '#lib/days.ts'
import { toOneLine } from '#lib/one-line.ts'
import { emptyImportedTask } from '#resources/imports/imported-task.ts'
import type { ImportField, ImportWarning } from '#resources/imports/internal.ts'
import type { ImportPlan } from '#resources/imports/load.ts'
import { type CsvLine, parseCsvTable } from '../formats/csv-table.ts'
import { decodeText } from '../formats/decode-text.ts'
import { tooManyTasks } from '../formats/unreadable-file-error.ts'
import { fitKey, keepBeyond, toNote, toWarning } from '../mapping/fit-row.ts'
import { guessColumns, guessHeadings, REPEATED_FIELDS } from '../mapping/guess-columns.ts'
import { isNoValue, parseCompleted } from '../mapping/parse-values.ts'
import { createOmissionCounter } from './extra-values.ts'
import type { ImportFile, ParsedRow, SourceReader } from './source-reader.ts'

/**
 * Reads a table with any columns. The plan says what they hold; otherwise their names are matched.
 */
export const readCsv: SourceReader = async (source, plan, { maxRows, timezone }) => {
  const table = await openTable(source, plan)
  const headers = nameColumns(table.columns)
  const columns =
    plan.columns.length > 0
      ? plan.columns.filter(({ column }) => headers.includes(column))
      : guessColumns(headers, table.columns)
  const places = new Map<ImportField, number[]>()
  for (const { field, column } of columns) {
    const others = REPEATED_FIELDS.has(field) ? (places.get(field) ?? []) : []
    places.set(field, [...others, headers.indexOf(column)])
  }
  const names = await readNames(source, plan, places, maxRows)
  const column_values = headers.map((): string[] => [])
  const reading = { places, names, timezone, column_values }
  const omissions = createOmissionCounter()
  omissions.add('lines_above', table.linesAbove)
  return {
    headers,
    columns,
    has_headings: table.hasHeadings,
    rows: parseRows(table.lines, reading),
    rest: () => ({ column_values, not_taken_over: omissions.list() }),
  }
}

/** Opens the table from its beginning. Unless the plan says whether it has headings, they are guessed. */
const openTable = (source: ImportFile, plan: ImportPlan) =>
  parseCsvTable(
    decodeText(source.bytes(), plan.latin1),
    (cells) => plan.has_headings ?? guessHeadings(cells),
  )

/** The places of the columns of each field. */
type Places = ReadonlyMap<ImportField, readonly number[]>

interface CsvReading {
  places: Places
  names: CsvNames
  timezone: string
  /** Filled with the first values of each column. */
  column_values: string[][]
}

const VALUES_PER_COLUMN = 3
/** In characters: they only show what a column holds. */
const MAX_SHOWN_VALUE_LENGTH = 60

function noteValues(column_values: string[][], values: readonly string[]): void {
  for (const [at, shown] of column_values.entries()) {
    const value = toOneLine((values[at] ?? '').slice(0, MAX_SHOWN_VALUE_LENGTH))
    if (value !== '' && shown.length < VALUES_PER_COLUMN && !shown.includes(value))
      shown.push(value)
  }
}

/** The cells of a field that have a text. */
const cellsOf =
  (places: Places, { values }: CsvLine) =>
  (field: ImportField): string[] =>
    (places.get(field) ?? []).flatMap((place) => values[place] || [])

const cellOf = (places: Places, line: CsvLine) => {
  const cells = cellsOf(places, line)
  return (field: ImportField): string | null => cells(field)[0] ?? null
}

/** What other rows are called by: Asana names parents and blockers by their titles. */
interface CsvNames {
  /** The ID that a text means, which is one or the title of exactly one row. */
  idOf(text: string): string
  /** The project of a row, or if it has none, that of the row it is part of. */
  projectOf(project: string | null, parent: string | null): string
}

/** Reads in a first pass what rows may refer to, if the table has a column for that. */
async function readNames(
  source: ImportFile,
  plan: ImportPlan,
  places: Places,
  maxRows: number,
): Promise<CsvNames> {
  const rows = new Map<string, { project: string | null; parent: string | null }>()
  const idByTitle = new Map<string, string | null>()
  const idOf = (text: string) =>
    rows.has(fitKey(text)) ? text : (idByTitle.get(fitKey(text)) ?? text)
  const projectOf = (project: string | null, parent: string | null): string => {
    let at = { project, parent }
    for (let level = 0; level < MAX_LEVELS && !at.project && at.parent !== null; level += 1)
      at = rows.get(fitKey(idOf(at.parent))) ?? { project: null, parent: null }
    return at.project ?? ''
  }
  const refers = places.has('parent') || places.has('blocked_by')
  if (!refers || !places.has('id')) return { idOf, projectOf }
  const { lines } = await openTable(source, plan)
  for await (const line of lines) {
    const cell = cellOf(places, line)
    const id = cell('id')
    if (id === null) continue
    const [project, parent] = [cell('project'), cell('parent')]
    rows.set(fitKey(id), {
      project: project === null ? null : project.slice(0, MAX_PROJECT_LENGTH),
      parent: parent === null || isNoValue(parent) ? null : fitKey(parent),
    })
    const title = fitKey(cell('title') ?? '')
    idByTitle.set(title, idByTitle.has(title) ? null : fitKey(id))
    if (rows.size > maxRows) throw tooManyTasks(maxRows)
  }
  return { idOf, projectOf }
}

/** Further levels would only take time: the rows may be parts of each other in a circle. */
const MAX_LEVELS = 10
/** In characters: a longer name of a project is cut anyway. */
const MAX_PROJECT_LENGTH = 500

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
  { places, names: others, timezone, column_values }: CsvReading,
): AsyncGenerator<ParsedRow> {
  for await (const line of lines) {
    const { number, values } = line
    noteValues(column_values, values)
    const cells = cellsOf(places, line)
    const cell = cellOf(places, line)
    const day = (field: ImportField) => toDay(cell(field), timezone)
    const names = (field: ImportField) => splitNames(cells(field))
    const warnings: ImportWarning[] = []
    const notes: string[] = []
    const estimate = isNoValue(cell('estimate') ?? '') ? null : cell('estimate')
    const estimate_seconds = estimate === null ? null : (parseEstimate(estimate) ?? null)
    if (estimate !== null && estimate_seconds === null) {
      warnings.push(toWarning('not_a_duration', 'estimate', estimate))
      notes.push(toNote('estimate', estimate))
    }
    const done = cell('completed')
    const completed = done === null ? null : parseCompleted(done)
    if (done !== null && completed === undefined) {
      warnings.push(toWarning('not_a_completion', 'completed', done))
      notes.push(toNote('completed', done))
    }
    const parent = isNoValue(cell('parent') ?? '') ? null : cell('parent')
    const row = {
      ...emptyImportedTask(number),
      key: cell('id'),
      title: cell('title') ?? '',
      description: cells('description').join('\n\n') || null,
      status: cell('status'),
      completed: completed ?? null,
      priority_name: cell('priority'),
      assignees: names('assignees'),
      tags: names('tags'),
      project: others.projectOf(cell('project'), parent),
      start_date: day('start_date'),
      due_date: day('due_date'),
      estimate_seconds,
      parent: parent === null ? null : others.idOf(parent),
      blocked_by: names('blocked_by').map(others.idOf),
      comments: cells('comments')
        .filter((text) => !isNoValue(text))
        .map((body) => ({ author: null, at: null, body })),
      notes,
    }
    yield keepBeyond({ row, warnings }, line.beyond)
  }
}

/** A day as it is written, or that of a time in milliseconds, as ClickUp writes it. */
const toDay = (text: string | null, timezone: string): string | null =>
  text !== null && /^\d{13}$/.test(text)
    ? dayIn(timezone, new Date(Number(text)).toISOString())
    : text

/** Further names in a cell would only take time: no task may have so many of anything. */
const MAX_NAMES = 1_000

/** Splits cells at commas, semicolons and line feeds into distinct names: `Ada, Bob`, `["Ada","Bob"]`. */
export const splitNames = (cells: readonly string[]): string[] => [
  ...new Set(
    cells
      .flatMap((cell) => readCellNames(cell.replace(/^\[(.*)\]$/s, '$1'), MAX_NAMES))
      .filter((name) => !isNoValue(name)),
  ),
]
