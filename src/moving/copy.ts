import { createHash } from 'node:crypto'
import type { Worded } from '#storage/dialect.ts'
import type { Most, Range, Source, Target } from '#storage/move/end.ts'
import { fieldsOf, type Key, type Shape } from '#storage/move/line.ts'
import { indexed, searchable } from '#storage/words.ts'

/** A copy that is under way. */
export interface Copying {
  source: Source
  target: Target
  /** Names this run of the command. */
  run: string
  /** Hears of rows that were written. */
  told(table: string, rows: number): void
}

/**
 * So much is copied and committed together. What lives as long as it takes to write more than this is
 * promoted by the collector, and the command's memory grows by half (measured: 240 to 294 MB, not 165).
 */
const MOST: Most = { rows: 500, bytes: 64_000 }

/** Copies what a table has after the ranges that are there, and gives the new ones. */
export const copyTable = ({ target, ...copying }: Copying, shape: Shape, there: readonly Range[]) =>
  goOn(copying, shape, there, (lines, upTo) => {
    const hash = createHash('sha256')
    for (const line of lines) hash.update(`${line}\n`)
    const range: Range = {
      ...{ kind: 'range', table: shape.table, upTo, rows: lines.length },
      ...{ digest: hash.digest('hex'), run: copying.run },
    }
    return [range, target.write(shape, lines, range)]
  })

/** Texts that are searched, as tables of their own. */
const TEXTS: Record<Worded, Shape> = {
  task: shapeWith('tasks', 'title', 'description'),
  comment: shapeWith('comments', 'body'),
}

function shapeWith(table: string, ...texts: string[]): Shape {
  const columns = ['workspace_id', 'id', ...texts].map((name) => ({ name, whole: false }))
  return { table, columns, key: 2 }
}

/** What is found by words, and the table in which these are. */
export const WORDED = [
  { of: 'task', table: 'task_words' },
  { of: 'comment', table: 'comment_words' },
] as const

/** Makes the words of tasks or comments anew: each engine has an index of its own kind for them. */
export const copyWords = (
  { target, ...copying }: Copying,
  { of, table }: (typeof WORDED)[number],
  there: readonly Range[],
) =>
  goOn(copying, TEXTS[of], there, (lines, upTo) => {
    const words = lines.map((line) => {
      const [workspace_id, id, text, more] = fieldsOf(line)
      const found = { workspace_id: workspace_id ?? '', id: id ?? '' }
      return { ...found, words: indexed(found.workspace_id, searchable(text ?? '', more ?? null)) }
    })
    const range: Range = {
      ...{ kind: 'range', table, upTo, rows: lines.length, digest: '', run: copying.run },
    }
    return [range, target.writeWords(of, words, range)]
  })

/** Reads range by range and writes each, while the next one is read. */
async function goOn(
  { source, told }: Pick<Copying, 'source' | 'told'>,
  shape: Shape,
  there: readonly Range[],
  write: (lines: readonly string[], upTo: Key | undefined) => [Range, Promise<void>],
): Promise<Range[]> {
  const last = there.at(-1)
  const made: Range[] = []
  let [after, writing] = [last?.upTo, Promise.resolve()]
  for (let more = last === undefined || after !== undefined; more; more = after !== undefined) {
    const { lines, upTo } = await source.read(shape, after, MOST)
    await writing
    const [range, written] = write(lines, upTo)
    // Told when it is awaited; until then it is not to end the process.
    written.catch(() => {})
    writing = written
    made.push(range)
    told(range.table, range.rows)
    after = upTo
  }
  await writing
  return made
}
