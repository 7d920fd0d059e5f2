import type { Field } from '#resources/imports/internal.ts'
import { emptyRow } from '#resources/imports/row.ts'
import { guessColumns } from './columns.ts'
import { dayOf, priorityOf, secondsOf } from './guess.ts'
import type { Read, Reader } from './reading.ts'
import { type Line, tableOf } from './table.ts'
import { textOf } from './text.ts'

/** A table with any columns, of which is said, or guessed, what they hold. */
export const readCsv: Reader = async (source, plan) => {
  const { headers, lines } = await tableOf(textOf(source.bytes(), plan.latin1))
  const columns =
    plan.columns.length > 0
      ? plan.columns.filter(({ column }) => headers.includes(column))
      : guessColumns(headers)
  const column = new Map(columns.map((one) => [one.field, one.column]))
  return { headers, columns, rows: rowsOf(lines, column) }
}

async function* rowsOf(
  lines: AsyncIterable<Line>,
  column: ReadonlyMap<Field, string>,
): AsyncGenerator<Read> {
  for await (const line of lines) {
    const cell = (field: Field): string | null =>
      line.cells.get(column.get(field) ?? '')?.[0] ?? null
    const faults: string[] = []
    const understood = <T>(field: Field, read: (text: string) => T | undefined, must: string) => {
      const text = cell(field)
      if (text === null) return null
      const value = read(text)
      if (value === undefined) faults.push(`${field}: "${text.slice(0, 80)}" ${must}`)
      return value ?? null
    }
    const day = 'is no day, or can be two: write it such as 2026-03-31.'
    const several = (field: Field) => listIn(line.cells.get(column.get(field) ?? '') ?? [])
    const row = {
      ...emptyRow(line.number),
      key: cell('id'),
      title: cell('title') ?? '',
      description: cell('description'),
      status: cell('status'),
      completed: completedIn(cell('completed')),
      priority:
        understood('priority', priorityOf, 'is none of: none, low, medium, high, urgent.') ??
        'none',
      assignees: several('assignees'),
      tags: several('tags'),
      project: cell('project') ?? '',
      start_date: understood('start_date', dayOf, day),
      due_date: understood('due_date', dayOf, day),
      estimate_seconds: understood('estimate', secondsOf, 'is no time such as 1h 30m, nor hours.'),
      parent: cell('parent'),
      blocked_by: several('blocked_by'),
    }
    yield { row, faults }
  }
}

/** Several names in one cell stand behind commas, semicolons or in lines of their own. */
export const listIn = (cells: readonly string[]): string[] => [
  ...new Set(cells.flatMap((cell) => cell.split(/[,;\n]/)).flatMap((name) => name.trim() || [])),
]

/** Anything but a no says that it is done: most tools write when. */
const completedIn = (text: string | null): boolean | null =>
  text === null ? null : !/^(0|no|false|n|nein|open|-)$/i.test(text)
