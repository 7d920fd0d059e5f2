import { createHash, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { conflict } from '#core/api-error.ts'
import type {
  CopyChunkLimit,
  CopyEndpoint,
  CopyRange,
  CopySource,
  CopyTarget,
} from '#db/copy/endpoint.ts'
import {
  type CopyTable,
  parseCopyRow,
  type RowKey,
  type RowKeyRange,
  rowKeyOfLine,
} from '#db/copy/postgres-copy-protocol.ts'
import { openSqliteSource } from '#db/copy/sqlite-source.ts'
import { openSqliteTarget } from '#db/copy/sqlite-target.ts'
import type { SearchableRecord } from '#db/core/dialect.ts'
import { lockDataDir, makeDirectory } from '#db/installation/data-dir.ts'
import { deriveSecretProof, parseSecretFile } from '#db/installation/open-store.ts'
import { MIGRATIONS } from '#db/migrate/migrations.ts'
import { toIndexWords, toSearchableText } from '#db/tasks/search-words.ts'

/** The two databases of a migration, and the current run. */
interface CopyContext {
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
const copyTable = (
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
const SEARCH_WORD_TABLES = [
  { of: 'task', table: 'task_words' },
  { of: 'comment', table: 'comment_words' },
] as const

/**
 * Rebuilds the search words of tasks or comments, because each engine has its own kind of text
 * index.
 */
const copySearchWords = (
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

/** A table that has the same rows on both sides. */
interface VerifiedTable {
  table: string
  rows: number
  /** SHA-256 of the rows in key order, in hex. It is the same on both engines. */
  digest: string
}

/**
 * Reads a table back from the target and compares each range with the digest of the source. Ranges
 * of an earlier run are also read from the source again, because it may have changed since.
 */
async function verifyTable(
  { source, target, run, onRows }: CopyContext,
  shape: CopyTable,
  ranges: readonly CopyRange[],
): Promise<VerifiedTable> {
  const tableHash = createHash('sha256')
  let [after, rows]: [RowKeyRange['after'], number] = [undefined, 0]
  for (const range of ranges) {
    const span = { after, upTo: range.upTo }
    if (range.run !== run && (await digestOf(source, shape, span)) !== range.digest) {
      throw sourceChanged(shape.table)
    }
    const targetDigest = await digestOf(target, shape, span, (line) => tableHash.update(line))
    if (targetDigest !== range.digest) throw await describeDifference(source, target, shape, span)
    rows += range.rows
    onRows(shape.table, range.rows)
    after = range.upTo
  }
  await assertRowCount(source, shape.table, rows, 'where they lie')
  return { table: shape.table, rows, digest: tableHash.digest('hex') }
}

/** Throws unless a table has the expected number of rows. */
async function assertRowCount(
  end: CopyEndpoint,
  table: string,
  rows: number,
  how?: 'where they lie',
): Promise<void> {
  const count = await end.count(table, how)
  if (count === rows) return
  const where = `${table} has ${count} rows on ${engineName(end)}, but ${rows} were copied`
  throw conflict('move_differs', `${where}. ${START_OVER}`)
}

async function digestOf(
  end: CopyEndpoint,
  shape: CopyTable,
  span: RowKeyRange,
  onLine: (line: string | Uint8Array) => void = () => {},
): Promise<string> {
  const hash = createHash('sha256')
  await end.scan(shape, span, (line) => {
    hash.update(line)
    onLine(line)
  })
  return hash.digest('hex')
}

const START_OVER = 'The target is not usable: empty it, and start again.'

const sourceChanged = (table: string) =>
  conflict('source_changed', `The source changed after the move began, in ${table}. ${START_OVER}`)

async function describeDifference(
  source: CopyEndpoint,
  target: CopyEndpoint,
  shape: CopyTable,
  span: RowKeyRange,
) {
  const sourceLines = await readLines(source, shape, span)
  const targetLines = await readLines(target, shape, span)
  const at = sourceLines.findIndex((line, at) => line !== targetLines[at])
  const [sourceLine, targetLine] =
    at < 0 ? [undefined, targetLines[sourceLines.length]] : [sourceLines[at], targetLines[at]]
  const what = difference(shape, sourceLine, targetLine, sourceLines)
  return conflict('move_differs', `${shape.table}: ${what}. ${START_OVER}`)
}

async function readLines(
  end: CopyEndpoint,
  shape: CopyTable,
  span: RowKeyRange,
): Promise<string[]> {
  const lines: string[] = []
  await end.scan(shape, span, (line) => lines.push(Buffer.from(line).toString().slice(0, -1)))
  return lines
}

function difference(
  shape: CopyTable,
  sourceLine: string | undefined,
  targetLine: string | undefined,
  sourceLines: readonly string[],
): string {
  const describeRow = (line: string) => `the row ${rowKeyOfLine(shape, line).join(' ')}`
  const keyIn = (line: string) => rowKeyOfLine(shape, line).join('\t')
  // The lines were equal this time: only a target that others write to changes between two reads.
  if (sourceLine === undefined && targetLine === undefined)
    return 'the target changes while it is read'
  if (sourceLine === undefined) return `${describeRow(targetLine ?? '')} is in the target alone`
  if (targetLine !== undefined && keyIn(sourceLine) === keyIn(targetLine)) {
    return `${describeRow(sourceLine)} is not the same in the target`
  }
  const isInSource =
    targetLine === undefined || sourceLines.some((line) => keyIn(line) === keyIn(targetLine))
  return isInSource
    ? `${describeRow(sourceLine)} is missing in the target`
    : `${describeRow(targetLine)} is in the target alone`
}

const engineName = ({ engine }: CopyEndpoint) => (engine === 'sqlite' ? 'SQLite' : 'PostgreSQL')

/** The result of a migration. */
interface EngineMigrationResult {
  tables: VerifiedTable[]
  /** The number of rows that earlier runs had copied; 0 for the first run. */
  resumed_after: number
}

type OnMigrationProgress = (what: string) => void

/**
 * Copies all rows from the source to the target, range by range, and reads them back to compare. A
 * run that was interrupted resumes after the last committed range. The source is only read.
 */
async function migrateRows(
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
async function readInstallationValue(end: CopyEndpoint, name: string): Promise<string | undefined> {
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

/** A migration from one engine to the other: to PostgreSQL, or to SQLite. */
export type EngineMigrationRequest =
  | { dataDir: string; toUrl: string }
  | { url: string; toDir: string }

/** Moves all rows of an installation that no server uses into an empty database. */
export async function migrateEngine(
  request: EngineMigrationRequest,
  values: Readonly<Record<string, string>>,
  onProgress: (what: string) => void,
): Promise<EngineMigrationResult> {
  if ('toUrl' in request) {
    const { dataDir, toUrl } = request
    return withDataDirLock(dataDir, () =>
      migrate(openSqliteSource(dataDir), () => postgresTarget(toUrl)),
    )
  }
  const { url, toDir } = request
  makeDirectory(toDir, 0o700)
  return withDataDirLock(toDir, () =>
    migrate(postgresSource(url), async (source) => {
      await assertSameSecret(source, toDir)
      return openSqliteTarget(toDir)
    }),
  )

  async function migrate(
    openedSource: Promise<CopySource> | CopySource | undefined,
    openTarget: (source: CopySource) => Promise<CopyTarget>,
  ): Promise<EngineMigrationResult> {
    const source = await openedSource
    if (!source) throw conflict('nothing_to_move', 'There is no Docket database to move.')
    try {
      const target = await openTarget(source)
      // The source may go on by itself: positions in its feed of changes do not belong to the target.
      const all = { ...values, change_history: randomUUID() }
      return await migrateRows(source, target, all, onProgress).finally(target.close)
    } finally {
      await source.close()
    }
  }
}

// Imported when needed, because SQLite alone does not need the memory of the PostgreSQL driver.
const postgresSource = async (url: string) =>
  (await import('#db/copy/postgres-source.ts')).openPostgresSource(url)
const postgresTarget = async (url: string) =>
  (await import('#db/copy/postgres-target.ts')).openPostgresTarget(url)

/** Runs `work` while no server can use the data directory. */
async function withDataDirLock<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  if (!existsSync(dataDir))
    throw conflict('nothing_to_move', `The directory ${dataDir} does not exist.`)
  const lock = lockDataDir(dataDir)
  if (!lock) throw conflict('store_in_use', `A Docket server uses ${dataDir}. Stop it first.`)
  return work().finally(lock.release)
}

/** A secret in the target directory must be that of the source, or the server would not start. */
async function assertSameSecret(source: CopySource, toDir: string): Promise<void> {
  const path = join(toDir, 'secret')
  const proof = await readInstallationValue(source, 'secret_proof')
  if (!existsSync(path) || proof === undefined) return
  if (deriveSecretProof(parseSecretFile(await readFile(path, 'utf8'), proof)) === proof) return
  const how = 'Remove it, or choose another directory.'
  throw conflict('other_secret', `${path} is not the secret of the source data. ${how}`)
}
