import { emptyRow, type Said } from '#resources/imports/row.ts'
import { listIn } from './csv.ts'
import { dayOf, priorityOf } from './guess.ts'
import type { Read, Reader, Source } from './reading.ts'
import { type Line, tableOf } from './table.ts'
import { textOf } from './text.ts'

/** The CSV export of Jira, in which columns that hold several values stand several times. */
export const readJira: Reader = async (source, plan) => {
  const table = () => tableOf(textOf(source.bytes(), plan.latin1))
  const { headers, lines } = await table()
  const keys = headers.includes('Parent id') ? await keysById(source, plan.latin1) : new Map()
  return { rows: rowsOf(lines, keys) }
}

/** Jira names parents by their numbers, and links by their keys. */
async function keysById(source: Source, latin1: boolean): Promise<Map<string, string>> {
  const keys = new Map<string, string>()
  const { lines } = await tableOf(textOf(source.bytes(), latin1))
  for await (const { cells } of lines) {
    const [id] = cells.get('Issue id') ?? []
    const [key] = cells.get('Issue key') ?? []
    if (id !== undefined && key !== undefined) keys.set(id, key)
  }
  return keys
}

async function* rowsOf(
  lines: AsyncIterable<Line>,
  keys: ReadonlyMap<string, string>,
): AsyncGenerator<Read> {
  for await (const { number, cells } of lines) {
    const cell = (...names: string[]) =>
      names.map((name) => cells.get(name)?.[0]).find((value) => value !== undefined) ?? null
    const faults: string[] = []
    const due = cell('Due date', 'Due Date')
    const due_date = due === null ? null : (dayOf(due) ?? null)
    if (due !== null && due_date === null) faults.push(`Due date: "${due.slice(0, 80)}" is no day.`)
    const estimate = Number(cell('Original estimate', 'Original Estimate') ?? Number.NaN)
    const parent_id = cell('Parent id')
    const row = {
      ...emptyRow(number),
      key: cell('Issue key'),
      title: cell('Summary') ?? '',
      description: cell('Description'),
      status: cell('Status'),
      priority: priorityOf(cell('Priority') ?? '') ?? 'none',
      assignees: listIn(cells.get('Assignee') ?? []),
      tags: listIn([
        ...(cells.get('Labels') ?? []),
        ...(cells.get('Component/s') ?? cells.get('Components') ?? []),
      ]),
      project: cell('Project name', 'Project key') ?? '',
      due_date,
      estimate_seconds: Number.isInteger(estimate) ? estimate : null,
      parent:
        cell('Parent key', 'Parent') ??
        (parent_id === null ? null : (keys.get(parent_id) ?? parent_id)),
      blocked_by: listIn(cells.get('Inward issue link (Blocks)') ?? []),
      comments: [...(cells.get('Comment') ?? []), ...(cells.get('Comments') ?? [])].map(saidIn),
    }
    yield { row, faults }
  }
}

/** `21/Nov/26 9:30 AM;ada;What she said` */
function saidIn(cell: string): Said {
  const [, at = '', author = '', body = ''] = /^([^;\n]*);([^;\n]*);(.*)$/s.exec(cell) ?? []
  const day = dayOf(at)
  return day === undefined || body.trim() === ''
    ? { author: null, at: null, body: cell }
    : { author: author || null, at: day, body: body.trim() }
}
