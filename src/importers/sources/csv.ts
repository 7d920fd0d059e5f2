import { parseEstimate, readCellNames } from '#lib/cell-values.ts'
import { dayIn } from '#lib/days.ts'
import { toOneLine } from '#lib/one-line.ts'
import type { ImportField, LossCode } from '#resources/imports/internal.ts'
import { type ColumnPlaces, openTable, readCell, readCells } from '../formats/csv-table.ts'
import { tooManyTasks } from '../formats/unreadable-file-error.ts'
import { fitKey } from '../mapping/fit-row.ts'
import { guessColumns, guessHeadings, REPEATED_FIELDS } from '../mapping/guess-columns.ts'
import { isNoValue, parseCompleted } from '../mapping/parse-values.ts'
import type { LostValue, SourceReader, SourceReading } from './source.ts'

/**
 * Reads a table with any columns. The plan says what they hold; otherwise their names are matched.
 */
export const readCsv: SourceReader = async function* (reading) {
  const { plan, timezone } = reading
  const table = await openPlannedTable(reading)
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
  const column_values = headers.map((): string[] => [])
  reading.table = { headers, columns, column_values, has_headings: table.hasHeadings }
  reading.omissions.add('lines_above', table.linesAbove)
  const { idOf, projectOf } = await readNames(reading, places)
  for await (const line of table.lines) {
    noteValues(column_values, line.values)
    const [cells, cell] = [readCells(places, line), readCell(places, line)]
    const names = (field: ImportField) => splitNames(cells(field))
    const losses: LostValue[] = []
    /** A value as `parse` reads it. A text that it cannot read is kept. */
    const parseCell = <T>(
      field: ImportField,
      code: LossCode,
      parse: (text: string) => T | undefined,
    ) => {
      const text = cell(field)
      const value = text === null ? undefined : parse(text)
      if (text !== null && value === undefined) losses.push({ code, field, text })
      return value ?? null
    }
    const parent = withValue(cell('parent'))
    const estimate_seconds = parseCell('estimate', 'not_a_duration', (text) =>
      isNoValue(text) ? null : parseEstimate(text),
    )
    const completed = parseCell('completed', 'not_a_completion', parseCompleted)
    yield {
      number: line.number,
      key: cell('id'),
      title: cell('title') ?? '',
      description: cells('description').join('\n\n') || null,
      status: cell('status'),
      completed,
      priority_name: cell('priority'),
      assignees: names('assignees'),
      tags: names('tags').map((name) => ({ name })),
      project: projectOf(cell('project'), parent),
      start_date: toDay(cell('start_date'), timezone),
      due_date: toDay(cell('due_date'), timezone),
      estimate_seconds,
      parent: parent === null ? null : idOf(parent),
      blocked_by: names('blocked_by').map(idOf),
      comments: cells('comments')
        .filter((text) => !isNoValue(text))
        .map((body) => ({ author: null, at: null, body })),
      losses: [...losses, ...line.beyond],
    }
  }
}

const withValue = (text: string | null) => (text === null || isNoValue(text) ? null : text)

/** Unless the plan says whether the table has headings, they are guessed. */
const openPlannedTable = (reading: SourceReading) =>
  openTable(reading, (cells) => reading.plan.has_headings ?? guessHeadings(cells))

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

/** What other rows are called by: Asana names parents and blockers by their titles. */
interface CsvNames {
  /** The ID that a text means, which is one or the title of exactly one row. */
  idOf(text: string): string
  /** The project of a row, or if it has none, that of the row it is part of. */
  projectOf(project: string | null, parent: string | null): string
}

/** Reads in a first pass what rows may refer to, if the table has a column for that. */
async function readNames(
  reading: SourceReading,
  places: ColumnPlaces<ImportField>,
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
  const { lines } = await openPlannedTable(reading)
  for await (const line of lines) {
    const cell = readCell(places, line)
    const id = cell('id')
    if (id === null) continue
    const parent = withValue(cell('parent'))
    rows.set(fitKey(id), {
      project: cell('project')?.slice(0, MAX_PROJECT_LENGTH) ?? null,
      parent: parent === null ? null : fitKey(parent),
    })
    const title = fitKey(cell('title') ?? '')
    idByTitle.set(title, idByTitle.has(title) ? null : fitKey(id))
    if (rows.size > reading.maxRows) throw tooManyTasks(reading.maxRows)
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

/** A day as it is written, or that of a time in milliseconds, as ClickUp writes it. */
const toDay = (text: string | null, timezone: string): string | null =>
  text !== null && /^\d{13}$/.test(text)
    ? dayIn(timezone, new Date(Number(text)).toISOString())
    : text

/** Further names in a cell would only take time: no task may have so many of anything. */
const MAX_NAMES = 1_000

/** Splits cells at commas, semicolons and line feeds into names: `Ada, Bob`, `["Ada","Bob"]`. */
export const splitNames = (cells: readonly string[]): string[] =>
  cells
    .flatMap((cell) => readCellNames(cell.replace(/^\[(.*)\]$/s, '$1'), MAX_NAMES))
    .filter((name) => !isNoValue(name))
