import pg from 'pg'
import { MIGRATIONS } from '../migrate/migrations.ts'
import type { BackupContents } from '../sqlite/backup.ts'
import { namedConnection } from './pool.ts'
import { docketTables } from './tables.ts'

/** Receives lines of a table; its promise applies back pressure. */
type DumpWriter = (table: string, lines: readonly string[]) => Promise<void>

/** The bytes after which lines are passed on. A single row may have several megabytes. */
const BATCH_BYTES = 1_000_000
const CONNECT_TIMEOUT_MS = 2_000

/**
 * Reads all rows of a PostgreSQL database from one snapshot, as JSON, table by table, in batches of
 * about a megabyte. Text, integers and null survive JSON unchanged. A table without rows is passed
 * with no lines.
 */
export async function dumpPostgres(url: string, write: DumpWriter): Promise<BackupContents> {
  // The driver runs COPY only on a connection without pipelining, unlike those of the pool.
  const client = new pg.Client({
    ...namedConnection(url, 'docket'),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
  })
  // The pending query reports the error; without a listener the process would end.
  client.on('error', () => {})
  try {
    await client.connect()
    return await dump(client, write)
  } finally {
    await client.end()
  }
}

async function dump(client: pg.Client, write: DumpWriter): Promise<BackupContents> {
  const select = async (text: string) => (await client.query(text)).rows
  await select('begin isolation level repeatable read read only')
  await select('set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0')
  // While a dump waits for a table, a migration that needs one that it has read holds up requests.
  await select("set local lock_timeout = '4s'")
  const [version] = await select('select max(version) as schema from schema_version')
  const [proof] = await select("select value from installation where name = 'secret_proof'")
  const counts: Record<string, number> = {}
  for (const table of await listTablesToDump(Number(version?.schema), select)) {
    counts[table] = await dumpTable(client, table, write)
  }
  await select('commit')
  return { schema: Number(version?.schema), counts, secret_proof: proof?.value }
}

/**
 * Dumps one table; returns how many rows it has. The rows are read as they arrive: a fixed number of
 * them at a time could be too many for the memory, as each may have several megabytes.
 */
async function dumpTable(client: pg.Client, table: string, write: DumpWriter): Promise<number> {
  let count = 0
  let lines: string[] = []
  let bytes = 0
  let written = write(table, [])
  await written
  const flush = (): Promise<void> => {
    const batch = lines
    lines = []
    bytes = 0
    written = written.then(() => write(table, batch))
    return written
  }
  await copyOut(client, copyJsonSql(table), (row) => {
    count += 1
    lines.push(copiedLine(row))
    bytes += row.length
    return bytes < BATCH_BYTES ? undefined : flush()
  })
  await (lines.length > 0 ? flush() : written)
  return count
}

/**
 * Copies a table as lines of JSON. COPY's text format would double the backslashes. CSV leaves lines
 * alone that have neither its delimiter nor its quote, and JSON has no control characters.
 */
const copyJsonSql = (table: string) => `copy (select row_to_json(t) from "${table}" t)
  to stdout with (format csv, delimiter e'\\x01', quote e'\\x02')`

/** A newer release may have added tables of which this one knows nothing: then it dumps all. */
async function listTablesToDump(
  version: number,
  select: (text: string) => Promise<{ name?: unknown }[]>,
): Promise<string[]> {
  if (version <= MIGRATIONS.length) return docketTables(version)
  return (await select(LIST_TABLES_SQL)).map(({ name }) => String(name))
}

/** Lists the tables of the schema, without unlogged tables. */
export const LIST_TABLES_SQL = `select relname as name from pg_class
  where relnamespace = current_schema()::regnamespace and relkind = 'r'
    and relpersistence = 'p' and relname <> 'schema_version' order by relname`

/** A `copy … to stdout` for the driver, which passes each row to a callback. */
class CopyOutStatement implements pg.Submittable {
  readonly done: Promise<void>
  readonly text: string
  readonly take: (row: Uint8Array) => unknown
  readonly handleReadyForQuery: () => void
  readonly handleError: (error: unknown) => void

  constructor(text: string, take: (row: Uint8Array) => unknown) {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.text = text
    this.take = take
    this.done = promise
    this.handleReadyForQuery = resolve
    this.handleError = reject
  }

  submit(connection: pg.Connection): void {
    connection.query(this.text)
  }

  handleCopyData({ chunk }: { chunk: Uint8Array }, { stream }: pg.Connection): void {
    const pending = this.take(chunk)
    if (!(pending instanceof Promise)) return
    stream.pause()
    pending.then(() => stream.resume(), this.handleError)
  }

  handleCommandComplete(): void {}
}

/**
 * Runs `copy … to stdout`. A row is a view of the driver's buffer, valid until `take` ends. Where `take`
 * returns a promise, the connection is not read until it is fulfilled, but for the rows that the driver
 * has already received. If it is rejected, so is the copy, and the connection is of no more use.
 */
const copyOut = (
  client: pg.Client,
  text: string,
  take: (row: Uint8Array) => unknown,
): Promise<void> => client.query(new CopyOutStatement(text, take)).done

/** Decodes a copied row, without its line feed. */
const copiedLine = (row: Uint8Array): string =>
  Buffer.from(row.buffer, row.byteOffset, row.length - 1).toString()
