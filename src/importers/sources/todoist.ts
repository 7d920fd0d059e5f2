import { emptyImportedTask, type ImportedTask } from '#resources/imports/imported-task.ts'
import { MAX_TASK_TAGS } from '#resources/tasks/fields.ts'
import { type CsvLine, parseCsvTable } from '../formats/csv-table.ts'
import { decodeText } from '../formats/decode-text.ts'
import { UnreadableFileError } from '../formats/unreadable-file-error.ts'
import { readZipFiles } from '../formats/zip-files.ts'
import { parseImportedDay } from '../mapping/parse-values.ts'
import { MAX_ROW_COMMENTS, MAX_ROW_LENGTH } from '../mapping/validate-row.ts'
import type { ImportFile, ParsedRow, SourceReader } from './source-reader.ts'

/**
 * Reads a Todoist project as CSV, or the ZIP archive of a backup with a CSV file for each project.
 */
export const readTodoist: SourceReader = async (source, plan) => ({
  rows: readRows(source, plan.latin1),
})

async function* readRows(source: ImportFile, latin1: boolean): AsyncGenerator<ParsedRow> {
  if (!(await isZip(source))) return yield* parseRows(source.bytes(), latin1, source.filename, 0)
  let lastNumber = 0
  let hasCsv = false
  for await (const { name, bytes } of readZipFiles(source)) {
    if (!/\.csv$/i.test(name)) continue
    hasCsv = true
    for await (const parsed of parseRows(bytes(), latin1, name, lastNumber)) {
      lastNumber = parsed.row.number
      yield parsed
    }
  }
  if (!hasCsv) throw new UnreadableFileError('The ZIP archive holds no CSV file.')
}

/** Whether a file begins with the magic bytes of ZIP. */
export async function isZip(source: ImportFile): Promise<boolean> {
  for await (const [a, b] of source.bytes(0, Math.min(2, source.size)))
    return a === 0x50 && b === 0x4b
  return false
}

const PRIORITIES = new Map<string, ImportedTask['priority']>([
  ['1', 'urgent'],
  ['2', 'high'],
  ['3', 'medium'],
])
const MAX_LEVELS = 5

/** The indentation makes subtasks. A note belongs to the task above it. */
async function* parseRows(
  bytes: AsyncIterable<Uint8Array>,
  latin1: boolean,
  name: string,
  numberOffset: number,
): AsyncGenerator<ParsedRow> {
  const { lines } = await parseCsvTable(decodeText(bytes, latin1))
  const project = name.replace(/^.*\//, '').replace(/(?: \[\d+\])?\.csv$/i, '')
  const ancestors: string[] = []
  let section: string | null = null
  let current: ImportedTask | undefined
  let noteLength = 0
  for await (const line of lines) {
    const cell = (column: string) => line.cells.get(column)?.[0] ?? null
    const type = cell('TYPE')
    const content = cell('CONTENT')
    if (type === 'section') section = content
    else if (type === 'note' && current && content !== null) {
      // Further notes would only use memory: the row is rejected for those that it has.
      if (current.comments.length > MAX_ROW_COMMENTS || noteLength > MAX_ROW_LENGTH) continue
      const author = nameWithoutId(cell('AUTHOR'))
      const at = parseImportedDay(cell('DATE') ?? '') ?? null
      current.comments.push({ author, at, body: content })
      noteLength += content.length + (author?.length ?? 0)
    } else if (type === 'task') {
      if (current) yield { row: current, warnings: [] }
      const level = Math.min(Math.max(Number(cell('INDENT') ?? 1) || 1, 1), MAX_LEVELS)
      const number = numberOffset + line.number
      ancestors.length = Math.min(ancestors.length, level - 1)
      const parent: string | null = ancestors.at(-1) ?? null
      ancestors.push(String(number))
      noteLength = 0
      current = { ...toRow(line, number), project, status: section, parent }
    }
  }
  if (current) yield { row: current, warnings: [] }
}

function toRow({ cells }: CsvLine, number: number): ImportedTask {
  const cell = (column: string) => cells.get(column)?.[0] ?? null
  const content = cell('CONTENT') ?? ''
  const words = content.matchAll(/(?:^|\s)@([^\s@]+)/g)
  // Further tags would only take time: the row is rejected for those that it has.
  const tags = [...words.take(MAX_TASK_TAGS + 1)].map(([, tag = '']) => tag)
  const date = cell('DATE')
  const due_date = date === null ? null : (parseImportedDay(date) ?? null)
  // A date in words or a recurring one cannot be parsed, so the description keeps its text.
  const unparsedDate = date !== null && due_date === null ? `Date: ${date}` : null
  const minutes = cell('DURATION_UNIT') === 'minute' ? Number(cell('DURATION')) : Number.NaN
  return {
    ...emptyImportedTask(number),
    key: String(number),
    title: content.replace(/(?:^|\s)@[^\s@]+/g, '').trim(),
    description: [cell('DESCRIPTION'), unparsedDate].filter(Boolean).join('\n\n') || null,
    priority: PRIORITIES.get(cell('PRIORITY') ?? '') ?? 'none',
    assignees: [nameWithoutId(cell('RESPONSIBLE'))].flatMap((name) => name ?? []),
    tags: [...new Set(tags)],
    due_date,
    estimate_seconds: Number.isInteger(minutes) ? minutes * 60 : null,
  }
}

/** `Evan (14781400)` becomes `Evan`. */
const nameWithoutId = (person: string | null): string | null =>
  person
    ?.trimEnd()
    .replace(/\(\d+\)$/, '')
    .trim() || null
