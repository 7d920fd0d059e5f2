import { createHash } from 'node:crypto'
import type { CopyChunkLimit, CopyRange, CopySource, CopyTarget } from '#db/copy/endpoint.ts'
import { type CopyTable, parseCopyRow, type RowKey } from '#db/copy/row-format.ts'
import type { SearchableRecord } from '#db/core/dialect.ts'
import { toIndexWords, toSearchableText } from '#db/tasks/search-words.ts'

/** The two databases of a migration, and the current run. */
export interface CopyContext {
  source: CopySource
  target: CopyTarget
  /** Identifies this run of the command. */
  run: string
  /** Called for each range of rows that was written. */
  onRows(table: string, rows: number): void
}

/**
 * The rows and bytes that are copied in one transaction. The garbage collector promotes the rows of
 * larger batches, and the command needs half as much memory again (measured: 240 to 294 MB, not
 * 165).
 */
const BATCH_LIMITS: CopyChunkLimit = { rows: 500, bytes: 64_000 }

/** Copies the rows of a table after the ranges copied before, and returns the new ranges. */
export const copyTable = (
  { target, ...copying }: CopyContext,
  shape: CopyTable,
  copiedBefore: readonly CopyRange[],
) =>
  copyRanges(copying, shape, copiedBefore, (lines, upTo) => {
    const hash = createHash('sha256')
    for (const line of lines) hash.update(`${line}\n`)
    const range: CopyRange = {
      kind: 'range',
      table: shape.table,
      upTo,
      rows: lines.length,
      digest: hash.digest('hex'),
      run: copying.run,
    }
    return [range, target.write(shape, lines, range)]
  })

/** The columns with searchable text, each set as a table of its own. */
const TEXT_TABLES: Record<SearchableRecord, CopyTable> = {
  task: textTable('tasks', 'title', 'description'),
  comment: textTable('comments', 'body'),
}

function textTable(table: string, ...texts: string[]): CopyTable {
  const columns = ['workspace_id', 'id', ...texts].map((name) => ({ name, isInteger: false }))
  return { table, columns, keyLength: 2 }
}

/** The searchable records, and the tables with their search words. */
export const SEARCH_WORD_TABLES = [
  { of: 'task', table: 'task_words' },
  { of: 'comment', table: 'comment_words' },
] as const

/**
 * Rebuilds the search words of tasks or comments, because each engine has its own kind of text
 * index.
 */
export const copySearchWords = (
  { target, ...copying }: CopyContext,
  { of, table }: (typeof SEARCH_WORD_TABLES)[number],
  copiedBefore: readonly CopyRange[],
) =>
  copyRanges(copying, TEXT_TABLES[of], copiedBefore, (lines, upTo) => {
    const words = lines.map((line) => {
      const [workspace_id, id, title, description] = parseCopyRow(line)
      const key = { workspace_id: workspace_id ?? '', id: id ?? '' }
      const text = toSearchableText(title ?? '', description ?? null)
      return { ...key, words: toIndexWords(key.workspace_id, text) }
    })
    const range: CopyRange = {
      kind: 'range',
      table,
      upTo,
      rows: lines.length,
      digest: '',
      run: copying.run,
    }
    return [range, target.writeWords(of, words, range)]
  })

/** Copies range by range, and reads the next range while one is written. */
async function copyRanges(
  { source, onRows }: Omit<CopyContext, 'target'>,
  shape: CopyTable,
  copiedBefore: readonly CopyRange[],
  write: (lines: readonly string[], upTo: RowKey | undefined) => [CopyRange, Promise<void>],
): Promise<CopyRange[]> {
  const last = copiedBefore.at(-1)
  const copied: CopyRange[] = []
  let [after, writing] = [last?.upTo, Promise.resolve()]
  for (let more = last === undefined || after !== undefined; more; more = after !== undefined) {
    const { lines, upTo } = await source.read(shape, after, BATCH_LIMITS)
    await writing
    const [range, written] = write(lines, upTo)
    // The error is thrown where the promise is awaited. Until then it must not end the process.
    written.catch(() => {})
    writing = written
    copied.push(range)
    onRows(range.table, range.rows)
    after = upTo
  }
  await writing
  return copied
}
