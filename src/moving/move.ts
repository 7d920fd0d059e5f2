import { createHash, randomUUID } from 'node:crypto'
import { conflict } from '#core/refusal.ts'
import { MIGRATIONS } from '#storage/migrations.ts'
import type { End, Range, Source, Target } from '#storage/move/end.ts'
import { fieldsOf, type Shape } from '#storage/move/line.ts'
import { type Copying, copyTable, copyWords, WORDED } from './copy.ts'
import { openPace } from './pace.ts'
import { assertRows, type Verified, verifyTable } from './verify.ts'

/** What was moved. */
export interface Moved {
  tables: Verified[]
  /** Rows that an earlier run had copied; 0: this one began. */
  resumed_after: number
}

type Told = (what: string) => void

/**
 * Copies all rows of one end to the other, range by range, and reads them back from there to compare.
 * Broken off, it goes on after the last range that was committed. The source is only read.
 */
export async function move(
  source: Source,
  target: Target,
  values: Readonly<Record<string, string>>,
  told: Told,
): Promise<Moved> {
  const there = (await target.begin(await idOf(source))) ?? []
  const shapes = await shapesOf(source, target)
  const run = randomUUID()
  told('counting')
  const rows = await rowsOf(source, shapes)
  const pace = (doing: string, total: number) => openPace(doing, total, told)

  const texts = (await source.count('tasks')) + (await source.count('comments'))
  const had = there.reduce((sum, range) => sum + range.rows, 0)
  const copying = { source, target, run, told: pace('', rows + texts - had) }
  const ranges = await copyAll(copying, shapes, there)
  await target.complete((what) => told(`making ${what}`))
  const checking = { ...copying, told: pace('checking ', rows) }
  const tables: Verified[] = []
  for (const shape of shapes) tables.push(await verifyTable(checking, shape, ranges(shape.table)))
  for (const { of, table } of WORDED) await assertRows(target, table, await source.count(`${of}s`))
  await target.finish(values)
  return { tables, resumed_after: had }
}

async function copyAll(copying: Copying, shapes: readonly Shape[], there: readonly Range[]) {
  const ranges = new Map(Object.entries(Object.groupBy(there, ({ table }) => table)))
  const of = (table: string) => ranges.get(table) ?? []
  for (const shape of shapes) {
    const more = await copyTable(copying, shape, of(shape.table))
    ranges.set(shape.table, [...of(shape.table), ...more])
  }
  // Last of all: on SQLite the rows of comments give them the numbers by which words know them.
  for (const words of WORDED) await copyWords(copying, words, of(words.table))
  return of
}

/** The source as it is: what changes with nearly every write, so that a resumed move notices. */
async function idOf(source: Source): Promise<string> {
  if (source.schema !== MIGRATIONS.length) throw otherVersion(source)
  const hash = createHash('sha256').update(`${source.engine} ${source.schema}\n`)
  for (const shape of await source.shapes(['installation', 'workspaces'])) {
    await source.scan(shape, { after: undefined, upTo: undefined }, (line) => hash.update(line))
  }
  return hash.digest('hex')
}

function otherVersion({ schema }: Source) {
  if (schema === 0) return conflict('nothing_to_move', 'There is no Docket to be moved.')
  return conflict(
    'other_version',
    `The database is at version ${schema} and this Docket knows ${MIGRATIONS.length}: ` +
      'docket migrate brings it there.',
  )
}

/** The tables, which both have alike. In PostgreSQL there may be those of others, too. */
async function shapesOf(source: End, target: End): Promise<Shape[]> {
  const [alone, other] = source.engine === 'sqlite' ? [source, target] : [target, source]
  const shapes = await alone.shapes()
  const found = await other.shapes(shapes.map(({ table }) => table))
  if (JSON.stringify(shapes) === JSON.stringify(found)) return shapes
  throw new Error('The tables of the two databases are not the same.')
}

async function rowsOf(source: Source, shapes: readonly Shape[]): Promise<number> {
  let rows = 0
  for (const { table } of shapes) rows += await source.count(table)
  return rows
}

/** What the installation of an end says under a name. */
export async function installationValueOf(end: End, name: string): Promise<string | undefined> {
  const [shape] = await end.shapes(['installation'])
  let found: string | undefined
  await (shape &&
    end.scan(shape, { after: undefined, upTo: [name] }, (line) => {
      const [is, value] = fieldsOf(Buffer.from(line).toString().trimEnd())
      if (is === name) found = value ?? undefined
    }))
  return found
}
