import { emptyRow, type Row } from '#resources/imports/row.ts'
import { dayOf } from './guess.ts'
import type { Read, Reader, Source } from './reading.ts'
import { type Line, tableOf } from './table.ts'
import { textOf } from './text.ts'
import { Unreadable } from './unreadable.ts'
import { filesIn } from './zip.ts'

/** A project of Todoist as CSV, or the ZIP of a backup with one for each project. */
export const readTodoist: Reader = async (source, plan) => ({ rows: rowsIn(source, plan.latin1) })

async function* rowsIn(source: Source, latin1: boolean): AsyncGenerator<Read> {
  if (!(await isZip(source))) return yield* rowsOf(source.bytes(), latin1, source.filename, 0)
  let first = 0
  let found = false
  for await (const { name, bytes } of filesIn(source)) {
    if (!/\.csv$/i.test(name)) continue
    found = true
    for await (const read of rowsOf(bytes(), latin1, name, first)) {
      first = read.row.number
      yield read
    }
  }
  if (!found) throw new Unreadable('The ZIP archive holds no CSV file.')
}

/** Whether a file begins as ZIP archives do. */
export async function isZip(source: Source): Promise<boolean> {
  for await (const [a, b] of source.bytes(0, Math.min(2, source.size)))
    return a === 0x50 && b === 0x4b
  return false
}

const PRIORITIES: Record<string, Row['priority']> = { 1: 'urgent', 2: 'high', 3: 'medium' }
const MOST_LEVELS = 5

/** Tasks below one another by their indentation; a note belongs to the task above it. */
async function* rowsOf(
  bytes: AsyncIterable<Uint8Array>,
  latin1: boolean,
  name: string,
  first: number,
): AsyncGenerator<Read> {
  const { lines } = await tableOf(textOf(bytes, latin1))
  const project = name.replace(/^.*\//, '').replace(/(?: \[\d+\])?\.csv$/i, '')
  const above: string[] = []
  let section: string | null = null
  let waiting: Row | undefined
  for await (const line of lines) {
    const cell = (column: string) => line.cells.get(column)?.[0] ?? null
    const type = cell('TYPE')
    const content = cell('CONTENT')
    if (type === 'section') section = content
    else if (type === 'note' && waiting && content !== null) {
      waiting.comments.push({
        author: nameIn(cell('AUTHOR')),
        at: dayOf(cell('DATE') ?? '') ?? null,
        body: content,
      })
    } else if (type === 'task') {
      if (waiting) yield { row: waiting, faults: [] }
      const level = Math.min(Math.max(Number(cell('INDENT') ?? 1) || 1, 1), MOST_LEVELS)
      const number = first + line.number
      above.length = Math.min(above.length, level - 1)
      const parent: string | null = above.at(-1) ?? null
      above.push(String(number))
      waiting = { ...taskOf(line, number), project, status: section, parent }
    }
  }
  if (waiting) yield { row: waiting, faults: [] }
}

function taskOf({ cells }: Line, number: number): Row {
  const cell = (column: string) => cells.get(column)?.[0] ?? null
  const content = cell('CONTENT') ?? ''
  const tags = [...content.matchAll(/(?:^|\s)@([^\s@]+)/g)].map(([, tag = '']) => tag)
  const date = cell('DATE')
  const due_date = date === null ? null : (dayOf(date) ?? null)
  // A date in words, or one that comes again, is kept as it was written.
  const written = date !== null && due_date === null ? `Date: ${date}` : null
  const minutes = cell('DURATION_UNIT') === 'minute' ? Number(cell('DURATION')) : Number.NaN
  return {
    ...emptyRow(number),
    key: String(number),
    title: content.replace(/(?:^|\s)@[^\s@]+/g, '').trim(),
    description: [cell('DESCRIPTION'), written].filter(Boolean).join('\n\n') || null,
    priority: PRIORITIES[cell('PRIORITY') ?? ''] ?? 'none',
    assignees: [nameIn(cell('RESPONSIBLE'))].flatMap((name) => name ?? []),
    tags: [...new Set(tags)],
    due_date,
    estimate_seconds: Number.isInteger(minutes) ? minutes * 60 : null,
  }
}

/** `Evan (14781400)` */
const nameIn = (person: string | null): string | null =>
  person
    ?.trimEnd()
    .replace(/\(\d+\)$/, '')
    .trim() || null
