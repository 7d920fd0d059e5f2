import { emptyRow } from '#resources/imports/row.ts'
import { listIn } from './csv.ts'
import { dayOf, priorityOf } from './guess.ts'
import type { Read, Reader } from './reading.ts'
import { type Line, tableOf } from './table.ts'
import { textOf } from './text.ts'

/** The CSV export of Linear: a team becomes a project, a project of Linear a tag. */
export const readLinear: Reader = async (source, plan) => {
  const { lines } = await tableOf(textOf(source.bytes(), plan.latin1))
  return { rows: rowsOf(lines) }
}

async function* rowsOf(lines: AsyncIterable<Line>): AsyncGenerator<Read> {
  for await (const { number, cells } of lines) {
    const cell = (name: string) => cells.get(name)?.[0] ?? null
    const faults: string[] = []
    const due = cell('Due Date')
    const due_date = due === null ? null : (dayOf(due) ?? null)
    if (due !== null && due_date === null) faults.push(`Due Date: "${due.slice(0, 80)}" is no day.`)
    const row = {
      ...emptyRow(number),
      key: cell('ID'),
      title: cell('Title') ?? '',
      description: cell('Description'),
      status: cell('Status'),
      priority: priorityOf(cell('Priority') ?? '') ?? 'none',
      assignees: listIn(cells.get('Assignee') ?? []),
      tags: listIn([...(cells.get('Labels') ?? []), ...(cells.get('Project') ?? [])]),
      project: cell('Team') ?? '',
      due_date,
      parent: cell('Parent issue'),
      blocked_by: listIn(cells.get('Blocked by') ?? []),
    }
    yield { row, faults }
  }
}
