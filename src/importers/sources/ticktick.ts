import { isTimezone } from '#lib/days.ts'
import { isRecurrenceRule } from '#lib/recurrence.ts'
import { emptyImportedTask, type ImportedTask } from '#resources/imports/imported-task.ts'
import type { StatusCategory } from '#resources/projects/contract.ts'
import { type CsvLine, parseCsvTable } from '../formats/csv-table.ts'
import { decodeText } from '../formats/decode-text.ts'
import { asDay, asDue } from '../formats/json-elements.ts'
import { keepBeyond } from '../mapping/fit-row.ts'
import { splitNames } from './csv.ts'
import { createOmissionCounter, withExtraValues } from './extra-values.ts'
import type { ParsedRow, SourceReader } from './source-reader.ts'

/** Reads the backup of TickTick, a CSV file with lines above the names of its columns. */
export const readTickTick: SourceReader = async (source, plan, { timezone }) => {
  const { lines } = await parseCsvTable(decodeText(source.bytes(), plan.latin1))
  const omissions = createOmissionCounter()
  const statuses = new Map<string, StatusCategory>()
  async function* parseRows(): AsyncGenerator<ParsedRow> {
    for await (const line of lines) {
      if (line.cells.has('Reminder')) omissions.add('reminders')
      const row = toRow(line, timezone)
      if (row.status === WONT_DO) statuses.set(WONT_DO, 'canceled')
      yield keepBeyond({ row, warnings: [] }, line.beyond)
    }
  }
  return { statuses, rows: parseRows(), rest: () => ({ not_taken_over: omissions.list() }) }
}

const PRIORITIES = new Map<string, ImportedTask['priority']>([
  ['1', 'low'],
  ['3', 'medium'],
  ['5', 'high'],
])
const WONT_DO = 'Won’t do'
/** Normal, and what TickTick calls "won't do"; the other numbers are of completed tasks. */
const [OPEN_STATUS, WONT_DO_STATUS] = ['0', '-1']

function toRow({ number, cells }: CsvLine, workspaceTimezone: string): ImportedTask {
  const cell = (name: string) => cells.get(name)?.[0] ?? null
  const zone = cell('Timezone') ?? ''
  const timezone = isTimezone(zone) ? zone : workspaceTimezone
  const [start, due] = [cell('Start Date'), cell('Due Date')]
  const end = asDue(due ?? start, timezone)
  const isAllDay = cell('Is All Day') === 'true'
  const start_date = due === null ? null : asDay(start, timezone)
  const state = cell('Status') ?? OPEN_STATUS
  const completed = state !== OPEN_STATUS && state !== WONT_DO_STATUS
  const rrule = (cell('Repeat') ?? '').replace(/^RRULE:/, '')
  const repeats = rrule !== '' && !completed && isRecurrenceRule(rrule) && end.due_date !== null
  const row: ImportedTask = {
    ...emptyImportedTask(number),
    key: cell('taskId'),
    title: cell('Title') ?? '',
    description: toDescription(cell('Content')),
    status: state === WONT_DO_STATUS ? WONT_DO : cell('Column Name'),
    completed,
    priority: PRIORITIES.get(cell('Priority') ?? '') ?? 'none',
    tags: splitNames([cell('Tags') ?? '']),
    project: cell('List Name') ?? '',
    // TickTick gives a task of one day both dates.
    start_date: start_date === end.due_date ? null : start_date,
    due_date: end.due_date,
    due_at: isAllDay ? null : end.due_at,
    parent: cell('parentId'),
    ...(repeats && { recurrence: { rrule, basis: 'due_date' } }),
    ...(rrule !== '' && !repeats && { notes: [`Repeats: ${rrule}`] }),
  }
  return withExtraValues(row, [['Folder', cell('Folder Name')]])
}

/** The items of a check list have a square in front of them, which is black if they are done. */
const toDescription = (content: string | null): string | null =>
  content === null
    ? null
    : content
        .split(/\r\n?|\n|(?=[▫▪])/)
        .map((line) => line.replace(/^▫\s*/, '- [ ] ').replace(/^▪\s*/, '- [x] '))
        .join('\n')
