import { createHash, randomUUID } from 'node:crypto'
import { conflict } from '#core/api-error.ts'
import type { CopyEndpoint, CopyRange, CopySource, CopyTarget } from '#db/copy/endpoint.ts'
import { type CopyTable, parseCopyRow } from '#db/copy/row-format.ts'
import { MIGRATIONS } from '#db/migrate/migrations.ts'
import { type CopyContext, copySearchWords, copyTable, SEARCH_WORD_TABLES } from './copy-tables.ts'
import { assertRowCount, type VerifiedTable, verifyTable } from './verify-tables.ts'

/** The result of a migration. */
export interface EngineMigrationResult {
  tables: VerifiedTable[]
  /** The number of rows that earlier runs had copied; 0 for the first run. */
  resumed_after: number
}

type OnMigrationProgress = (what: string) => void

/**
 * Copies all rows from the source to the target, range by range, and reads them back to compare. A
 * run that was interrupted resumes after the last committed range. The source is only read.
 */
export async function migrateRows(
  source: CopySource,
  target: CopyTarget,
  values: Readonly<Record<string, string>>,
  onProgress: OnMigrationProgress,
): Promise<EngineMigrationResult> {
  const copiedBefore = (await target.begin(await fingerprintOf(source))) ?? []
  const shapes = await commonShapes(source, target)
  const run = randomUUID()
  onProgress('counting')
  const rows = await countRows(source, shapes)
  const progress = (label: string, total: number) => createRowProgress(label, total, onProgress)

  const texts = (await source.count('tasks')) + (await source.count('comments'))
  const resumedAfter = copiedBefore.reduce((sum, range) => sum + range.rows, 0)
  const onRows = progress('', rows + texts - resumedAfter)
  const copying: CopyContext = { source, target, run, onRows }
  const ranges = await copyAll(copying, shapes, copiedBefore)
  await target.complete((what) => onProgress(`creating ${what}`))
  const checking: CopyContext = { ...copying, onRows: progress('checking ', rows) }
  const tables: VerifiedTable[] = []
  for (const shape of shapes) tables.push(await verifyTable(checking, shape, ranges(shape.table)))
  for (const { of, table } of SEARCH_WORD_TABLES)
    await assertRowCount(target, table, await source.count(`${of}s`))
  await target.finish(values)
  return { tables, resumed_after: resumedAfter }
}

async function copyAll(
  copying: CopyContext,
  shapes: readonly CopyTable[],
  copiedBefore: readonly CopyRange[],
) {
  const ranges = new Map(Object.entries(Object.groupBy(copiedBefore, ({ table }) => table)))
  const rangesOf = (table: string) => ranges.get(table) ?? []
  for (const shape of shapes) {
    const copied = await copyTable(copying, shape, rangesOf(shape.table))
    ranges.set(shape.table, [...rangesOf(shape.table), ...copied])
  }
  // Search words come last: on SQLite they refer to a comment by the rowid of its copied row.
  for (const words of SEARCH_WORD_TABLES)
    await copySearchWords(copying, words, rangesOf(words.table))
  return rangesOf
}

/**
 * A hash of rows that nearly every write changes, so that a resumed run notices a changed source.
 */
async function fingerprintOf(source: CopySource): Promise<string> {
  if (source.schema !== MIGRATIONS.length) throw versionMismatch(source)
  const hash = createHash('sha256').update(`${source.engine} ${source.schema}\n`)
  for (const shape of await source.listTables(['installation', 'workspaces'])) {
    await source.scan(shape, { after: undefined, upTo: undefined }, (line) => hash.update(line))
  }
  return hash.digest('hex')
}

function versionMismatch({ schema }: CopySource) {
  if (schema === 0) return conflict('nothing_to_move', 'There is no Docket database to move.')
  return conflict(
    'other_version',
    `The database has schema version ${schema} and this release has ${MIGRATIONS.length}: ` +
      'run docket migrate first.',
  )
}

/**
 * The tables, which must be the same on both sides. SQLite decides which ones these are, because a
 * PostgreSQL database may also hold tables of others.
 */
async function commonShapes(source: CopyEndpoint, target: CopyEndpoint): Promise<CopyTable[]> {
  const [sqlite, postgres] = source.engine === 'sqlite' ? [source, target] : [target, source]
  const shapes = await sqlite.listTables()
  const others = await postgres.listTables(shapes.map(({ table }) => table))
  if (JSON.stringify(shapes) === JSON.stringify(others)) return shapes
  throw new Error('The tables of the two databases differ.')
}

async function countRows(source: CopySource, shapes: readonly CopyTable[]): Promise<number> {
  let rows = 0
  for (const { table } of shapes) rows += await source.count(table)
  return rows
}

/** Reads a value of the table `installation`. */
export async function readInstallationValue(
  end: CopyEndpoint,
  name: string,
): Promise<string | undefined> {
  const [shape] = await end.listTables(['installation'])
  let result: string | undefined
  await (shape &&
    end.scan(shape, { after: undefined, upTo: [name] }, (line) => {
      const [key, value] = parseCopyRow(Buffer.from(line).toString().trimEnd())
      if (key === name) result = value ?? undefined
    }))
  return result
}

/** The rate is shown after this time, when it has settled. */
const RATE_AFTER_MS = 2_000

/** Reports the rows that are done, the rate, and the estimated time left. */
function createRowProgress(label: string, total: number, onProgress: (what: string) => void) {
  const startedAt = performance.now()
  let done = 0
  return (table: string, rows: number): void => {
    done += rows
    const ms = performance.now() - startedAt
    const rate = (1_000 * done) / ms
    const counts = `${label}${table}, ${done} of ${total} rows`
    const isRateKnown = ms > RATE_AFTER_MS && done > 0
    onProgress(
      isRateKnown
        ? `${counts}, ${Math.round(rate)}/s, ${formatDuration((total - done) / rate)} left`
        : counts,
    )
  }
}

const formatDuration = (seconds: number) =>
  seconds < 90 ? `${Math.max(0, Math.round(seconds))} s` : `${Math.round(seconds / 60)} min`
