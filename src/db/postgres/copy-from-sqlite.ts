import { createHash, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { conflict } from '#core/api-error.ts'
import { DATABASE_FILENAME, lockDataDir } from '../installation/data-dir.ts'
import { MIGRATIONS } from '../migrate/migrations.ts'
import { toIndexWords, toSearchableText } from '../tasks/search-words.ts'
import { loadPostgres, type SelectRows } from './load.ts'
import { openPostgresPool } from './pool.ts'
import { assertSupportedVersion, findDurabilityFaults } from './server-checks.ts'
import { docketTables } from './tables.ts'

/** A table that has the same rows in both databases. */
interface CopiedTable {
  table: string
  rows: number
  /** The sum of the first 60 bits of each row's SHA-256, in decimal. It does not depend on the order. */
  checksum: string
}

/** What to copy, and where to. */
interface CopyFromSqliteOptions {
  /** A data directory that no server uses. */
  dataDir: string
  /** An empty PostgreSQL database. */
  url: string
  /** Values of `installation` that the copy gets instead of those of the source. */
  values: Readonly<Record<string, string>>
  onProgress(what: string): void
}

/**
 * Copies all rows of a SQLite database to an empty PostgreSQL database and compares the number and the
 * checksum of the rows of each table, all in one transaction: a copy that is cut off or differs leaves
 * the target empty. The source is only read. Throws 409 `nothing_to_move`, `store_in_use`,
 * `other_version`, `not_durable`, `store_not_empty` or `move_differs`.
 */
export async function copyFromSqlite(options: CopyFromSqliteOptions): Promise<CopiedTable[]> {
  const { dataDir, url } = options
  const path = join(dataDir, DATABASE_FILENAME)
  if (!existsSync(path)) throw nothingToMove()
  const lock = lockDataDir(dataDir)
  if (!lock) throw conflict('store_in_use', `A Docket server uses ${dataDir}. Stop it first.`)
  try {
    await assertUsableTarget(url)
    const source = new DatabaseSync(path, { readOnly: true, timeout: 5_000 })
    try {
      source.exec('begin')
      return await copyRows(source, options)
    } finally {
      source.close()
    }
  } finally {
    lock.release()
  }
}

const nothingToMove = () =>
  conflict('nothing_to_move', 'There is no Docket database to move in the data directory.')

/** Throws if a commit of the target could be lost, or if Docket does not support its version. */
async function assertUsableTarget(url: string): Promise<void> {
  const pool = openPostgresPool({ url, maxConnections: 1 })
  try {
    const client = await pool.connect()
    try {
      await assertSupportedVersion(client)
      const [fault] = await findDurabilityFaults(client)
      if (fault === undefined) return
      const why = `PostgreSQL runs with ${fault}: an acknowledged write could be lost.`
      throw conflict('not_durable', why)
    } finally {
      client.release()
    }
  } finally {
    await pool.end()
  }
}

async function copyRows(
  source: DatabaseSync,
  { url, values, onProgress }: CopyFromSqliteOptions,
): Promise<CopiedTable[]> {
  const schema = Number(source.prepare('pragma user_version').get()?.user_version)
  if (schema === 0) throw nothingToMove()
  if (schema !== MIGRATIONS.length) {
    const versions = `The database has schema version ${schema} and this release has ${MIGRATIONS.length}`
    throw conflict('other_version', `${versions}: run docket migrate first.`)
  }
  const count = (table: string) =>
    Number(source.prepare(`select count(*) as n from "${table}"`).get()?.n)
  const tables = docketTables(schema)
  const counts = Object.fromEntries(
    tables.map((table) => [table, count(WORD_TABLES[table]?.from ?? table)]),
  )
  const checksums = new Map<string, RowChecksum>()
  async function* readLines(table: string): AsyncGenerator<string[]> {
    let done = 0
    for (const lines of inBatches(readTable(source, table, checksums))) {
      yield lines
      done += lines.length
      onProgress(`${table}, ${done} of ${counts[table]} rows`)
    }
  }
  const copied: CopiedTable[] = []
  await loadPostgres({
    url,
    schema,
    counts,
    // The source may go on by itself: positions in its feed of changes do not belong to the target.
    values: { ...values, change_history: randomUUID() },
    readLines,
    onTable: onProgress,
    async verify(select) {
      for (const [table, checksum] of checksums) {
        onProgress(`checking ${table}`)
        copied.push(await compareTable(select, table, checksum))
      }
    },
  })
  return copied
}

/** The rows of a table, as they were read from the source. */
interface RowChecksum {
  columns: string
  rows: number
  sum: bigint
}

const CHECKSUM_HEX_DIGITS = 15

/** Reads a table as lines of JSON, and adds its checksum once all are read. */
function* readTable(
  source: DatabaseSync,
  table: string,
  checksums: Map<string, RowChecksum>,
): Generator<string> {
  const words = WORD_TABLES[table]
  if (words) {
    for (const row of source.prepare(`select ${words.columns} from ${words.from}`).iterate()) {
      yield words.toLine(row)
    }
    return
  }
  // Generated columns are hidden. The rowid of a task in the full-text index exists only on SQLite.
  const columns = source
    .prepare('select name from pragma_table_xinfo(?) where hidden = 0 order by name')
    .all(table)
    .map(({ name }) => `"${name}"`)
    .filter((name) => name !== '"search_id"')
    .join()
  let [rows, sum] = [0, 0n]
  for (const row of source.prepare(`select ${columns} from "${table}"`).iterate()) {
    const line = JSON.stringify(row)
    const hash = createHash('sha256').update(line).digest('hex')
    sum += BigInt(`0x${hash.slice(0, CHECKSUM_HEX_DIGITS)}`)
    rows += 1
    yield line
  }
  checksums.set(table, { columns, rows, sum })
}

/** The tables of search words, which are built anew: each engine has its own kind of text index. */
const WORD_TABLES: Readonly<
  Record<
    string,
    { from: string; columns: string; toLine: (row: Record<string, unknown>) => string } | undefined
  >
> = {
  task_words: {
    from: 'tasks',
    columns: 'workspace_id, id, title, description',
    toLine: ({ workspace_id, id, title, description }) => {
      const text = toSearchableText(String(title), description === null ? null : `${description}`)
      return JSON.stringify({ workspace_id, task_id: id, words: tsvector(workspace_id, text) })
    },
  },
  comment_words: {
    from: 'comments',
    columns: 'workspace_id, id, body',
    toLine: ({ workspace_id, id, body }) =>
      JSON.stringify({ workspace_id, comment_id: id, words: tsvector(workspace_id, `${body}`) }),
  },
}

/** The words of a text as a tsvector is written. */
function tsvector(workspace_id: unknown, text: string): string {
  const words = toIndexWords(String(workspace_id), text)
  return words === '' ? '' : `'${words.replace(/['\\]/g, '$&$&').replaceAll(' ', "' '")}'`
}

/** The lines and characters that are sent to PostgreSQL together; a single line may be longer. */
const BATCH_LIMIT = { lines: 500, characters: 1_000_000 }

function* inBatches(lines: Iterable<string>): Generator<string[]> {
  let [batch, characters] = [[] as string[], 0]
  for (const line of lines) {
    batch.push(line)
    characters += line.length
    if (batch.length < BATCH_LIMIT.lines && characters < BATCH_LIMIT.characters) continue
    yield batch
    batch = []
    characters = 0
  }
  if (batch.length > 0) yield batch
}

/** PostgreSQL writes a row as JSON with the same bytes as JavaScript: no white space, the same escapes. */
async function compareTable(
  select: SelectRows,
  table: string,
  { columns, rows, sum }: RowChecksum,
): Promise<CopiedTable> {
  const bits = 4 * CHECKSUM_HEX_DIGITS
  const hex = `left(encode(sha256(convert_to(row_to_json(r)::text, 'UTF8')), 'hex'), ${CHECKSUM_HEX_DIGITS})`
  const [found] = await select(
    `select count(*)::text as rows, coalesce(sum(('x' || ${hex})::bit(${bits})::bigint), 0)::text as sum
      from (select ${columns} from "${table}") as r`,
  )
  const checksum = String(sum)
  if (found?.rows === String(rows) && found.sum === checksum) return { table, rows, checksum }
  const difference = `${table} has ${found?.rows} rows with the checksum ${found?.sum} in PostgreSQL, and ${rows} with ${checksum} in SQLite`
  throw conflict('move_differs', `${difference}. Nothing was moved.`)
}
