import { isTimezone } from '#lib/days.ts'
import { isRecurrenceRule } from '#lib/recurrence.ts'
import type { ImportedTask } from '#resources/imports/imported-task.ts'
import { findColumns, openTable, readCell } from '../formats/csv-table.ts'
import { asDay, asDue } from '../formats/json-elements.ts'
import { splitNames } from './csv.ts'
import type { SourceReader } from './source.ts'

const COLUMNS = {
  id: ['taskid'],
  title: ['title'],
  content: ['content'],
  list: ['list name'],
  folder: ['folder name'],
  column: ['column name'],
  status: ['status'],
  priority: ['priority'],
  tags: ['tags'],
  start: ['start date'],
  due: ['due date'],
  allDay: ['is all day'],
  timezone: ['timezone'],
  repeat: ['repeat'],
  reminder: ['reminder'],
  parent: ['parentid'],
}
const PRIORITIES = new Map<string, ImportedTask['priority']>([
  ['1', 'low'],
  ['3', 'medium'],
  ['5', 'high'],
])
const WONT_DO = 'Won’t do'
/** Normal, and what TickTick calls "won't do"; the other numbers are of completed tasks. */
const [OPEN_STATUS, WONT_DO_STATUS] = ['0', '-1']

/** Reads the backup of TickTick, a CSV file with lines above the names of its columns. */
export const readTickTick: SourceReader = async function* (reading) {
  const { columns, lines } = await openTable(reading)
  const { places } = findColumns(columns, COLUMNS)
  for await (const line of lines) {
    const cell = readCell(places, line)
    if (cell('reminder') !== null) reading.omissions.add('reminders')
    const zone = cell('timezone') ?? ''
    const timezone = isTimezone(zone) ? zone : reading.timezone
    const [start, due] = [cell('start'), cell('due')]
    const { due_date, due_at } = asDue(due ?? start, timezone)
    const start_date = due === null ? null : asDay(start, timezone)
    const state = cell('status') ?? OPEN_STATUS
    if (state === WONT_DO_STATUS) reading.statuses.set(WONT_DO, 'canceled')
    const completed = state !== OPEN_STATUS && state !== WONT_DO_STATUS
    const rrule = (cell('repeat') ?? '').replace(/^RRULE:/, '')
    const repeats = rrule !== '' && !completed && isRecurrenceRule(rrule) && due_date !== null
    yield {
      number: line.number,
      key: cell('id'),
      title: cell('title') ?? '',
      description: toDescription(cell('content')),
      status: state === WONT_DO_STATUS ? WONT_DO : cell('column'),
      completed,
      priority: PRIORITIES.get(cell('priority') ?? '') ?? 'none',
      tags: splitNames([cell('tags') ?? '']).map((name) => ({ name })),
      project: cell('list') ?? '',
      // TickTick gives a task of one day both dates.
      start_date: start_date === due_date ? null : start_date,
      due_date,
      due_at: cell('allDay') === 'true' ? null : due_at,
      parent: cell('parent'),
      recurrence: repeats ? { rrule, basis: 'due_date' } : null,
      notes: rrule === '' || repeats ? [] : [`Repeats: ${rrule}`],
      extra: [['Folder', cell('folder')]],
      losses: line.beyond,
    }
  }
}

/** The items of a check list have a square in front of them, which is black if they are done. */
const toDescription = (content: string | null): string | null =>
  content === null
    ? null
    : content
        .split(/\r\n?|\n|(?=[▫▪])/)
        .map((line) => line.replace(/^▫\s*/, '- [ ] ').replace(/^▪\s*/, '- [x] '))
        .join('\n')
