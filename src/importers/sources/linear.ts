import type { StatusCategory } from '#resources/projects/contract.ts'
import { findColumns, openTable, readCell, readCells } from '../formats/csv-table.ts'
import { guessStatusCategory, parseImportedDay } from '../mapping/parse-values.ts'
import { splitNames } from './csv.ts'
import { type SourceReader, toNumberIfPlain } from './source.ts'

const COLUMNS = {
  id: ['id'],
  team: ['team'],
  title: ['title'],
  description: ['description'],
  status: ['status'],
  estimate: ['estimate'],
  priority: ['priority'],
  project: ['project'],
  creator: ['creator'],
  assignee: ['assignee'],
  labels: ['labels'],
  due: ['due date'],
  parent: ['parent issue'],
  blockedBy: ['blocked by'],
  cycle: ['cycle name', 'cycle number'],
  started: ['started'],
  completed: ['completed'],
  canceled: ['canceled'],
}
/** Columns that say when something changed, repeat others, or only mean something to Linear. */
const IGNORED_COLUMN =
  /^(.* ID|UUID|Created|Updated|Triaged|Archived|Cycle Start|Cycle End|Time in status.*)$/
/** Columns that hold keys of other issues. */
const KEYS_COLUMN = /^(related to|duplicate of|blocks)$/i

/** Reads the CSV export of Linear. A team becomes a project, and a Linear project becomes a tag. */
export const readLinear: SourceReader = async function* (reading) {
  const { columns, lines } = await openTable(reading)
  const { places, others } = findColumns(columns, COLUMNS)
  const extra = others.filter((at) => !IGNORED_COLUMN.test(columns[at] ?? ''))
  for await (const line of lines) {
    const [cells, cell] = [readCells(places, line), readCell(places, line)]
    const status = cell('status')
    const category = categoryOf(status, (name) => parseImportedDay(cell(name) ?? '') !== undefined)
    if (status !== null && category !== undefined && !reading.statuses.has(status))
      reading.statuses.set(status, category)
    // The name of a project may have commas, and so may that of a person.
    const tags = [...splitNames(cells('labels')), ...cells('project')]
    yield {
      number: line.number,
      key: cell('id'),
      title: cell('title') ?? '',
      description: cell('description'),
      status,
      priority_name: cell('priority'),
      assignees: cells('assignee'),
      tags: tags.map((name) => ({ name })),
      project: cell('team') ?? '',
      due_date: cell('due'),
      parent: cell('parent'),
      blocked_by: splitNames(cells('blockedBy')),
      extra: [
        ['Points', toNumberIfPlain(cell('estimate') ?? '')],
        ['Cycle', cell('cycle')],
        ['Created by', cell('creator')],
        ...extra.map((at) => {
          const [name = '', text = ''] = [columns[at], line.values[at]]
          return [
            name,
            KEYS_COLUMN.test(name) ? splitNames([text]) : toNumberIfPlain(text),
          ] as const
        }),
      ],
      losses: line.beyond,
    }
  }
}

/** The category of a status by when its issues were completed, whatever its name is. */
function categoryOf(
  status: string | null,
  isSet: (column: 'started' | 'completed' | 'canceled') => boolean,
): StatusCategory | undefined {
  if (isSet('canceled')) return 'canceled'
  if (isSet('completed')) return 'completed'
  const isUnknown = guessStatusCategory(status ?? '') === 'unstarted'
  return isUnknown && isSet('started') ? 'started' : undefined
}
