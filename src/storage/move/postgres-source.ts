import pg from 'pg'
import { conflict } from '#core/refusal.ts'
import { TABLES } from '../postgres-dump.ts'
import { DERIVED, type End, type Most, NOTES, refuseUnfinished, type Source } from './end.ts'
import { besideKey, columnsIn, type Key, keyOf, type Shape, type Span, shapeOf } from './line.ts'
import { copyOut } from './postgres-copy.ts'

/** So many rows are asked for before it is known how long those of a table are. */
const AT_FIRST = 64
/** A table whose rows get longer is read by as many times fewer, one whose rows get shorter by so many more. */
const GROWTH = 4

/** A connection of its own, without the time-outs that requests have. */
export async function connect(url: string, name: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    application_name: name,
    options: '-c statement_timeout=0 -c lock_timeout=0 -c idle_in_transaction_session_timeout=0',
  })
  // Its query fails and tells of it; without a listener the process would end.
  client.on('error', () => {})
  await client.connect()
  return client
}

/** Whether Docket has its tables in a database, and whether a move to it is not finished. */
export const TAKEN = `select to_regclass('schema_version') is not null as docket,
  to_regclass('${NOTES}') is not null as unfinished`

/** Opens a PostgreSQL database to be read as it is at one instant, and lets nobody write meanwhile. */
export async function openPostgresSource(url: string): Promise<Source> {
  const client = await connect(url, 'docket migrate-to')
  try {
    await refuseServed(client)
    await client.query('begin isolation level repeatable read read only')
    const { docket, unfinished } = (await client.query(TAKEN)).rows[0] ?? {}
    refuseUnfinished(unfinished === true)
    const end = postgresEnd(client)
    if (docket !== true) return { ...end, schema: 0 }
    // Whatever opens the store writes here first, and so waits or gives up.
    await client.query('lock table installation in share mode')
    const { rows } = await client.query('select max(version) as version from schema_version')
    return { ...end, schema: Number(rows[0]?.version) }
  } catch (error) {
    await client.end()
    throw error
  }
}

async function refuseServed(client: pg.Client): Promise<void> {
  const { rows } = await client.query(
    `select count(*)::int as others from pg_stat_activity
      where datname = current_database() and application_name = 'docket'`,
  )
  if (rows[0]?.others === 0) return
  const how = 'stop every process of Docket that uses it first.'
  throw conflict('store_in_use', `A Docket is connected to the database: ${how}`)
}

/** What both ways have in common. */
export function postgresEnd(client: pg.Client): End {
  const lengths = new Map<string, number>()
  const literal = (field: string) => client.escapeLiteral(field)

  function rowsFor({ table }: Shape, { rows, bytes }: Most): number {
    const length = lengths.get(table)
    return length === undefined ? AT_FIRST : Math.max(1, Math.min(rows, Math.floor(bytes / length)))
  }

  function learn({ table }: Shape, bytes: number, rows: number): void {
    if (rows === 0) return
    const before = lengths.get(table) ?? bytes / rows
    lengths.set(table, Math.max(1, bytes / rows, before / GROWTH))
  }

  return {
    engine: 'postgres',
    shapes: (of) => shapesIn(client, of),
    async count(table) {
      const { rows } = await client.query(`select count(*)::text as n from "${table}"`)
      return Number(rows[0]?.n)
    },
    async read(shape, after, most) {
      const limit = rowsFor(shape, most)
      const where = after ? `where ${besideKey(shape, '>', after, literal)}` : ''
      const lines: string[] = []
      let bytes = 0
      await copyOut(client, copyText(shape, where, `limit ${limit}`), (row) => {
        bytes += row.length
        lines.push(Buffer.from(row.buffer, row.byteOffset, row.length - 1).toString())
      })
      learn(shape, bytes, lines.length)
      const last = lines.length < limit ? undefined : lines.at(-1)
      return { lines, upTo: last === undefined ? undefined : keyOf(shape, last) }
    },
    scan: (shape, span, take) => copyOut(client, copyText(shape, whereOf(shape, span)), take),
    close: () => client.end(),
  }

  function whereOf(shape: Shape, { after, upTo }: Span): string {
    const beside = (comparison: '>' | '<=', key: Key | undefined) =>
      key ? [besideKey(shape, comparison, key, literal)] : []
    const conditions = [...beside('>', after), ...beside('<=', upTo)]
    return conditions.length > 0 ? `where ${conditions.join(' and ')}` : ''
  }
}

function copyText({ table, columns, key }: Shape, where: string, limit = ''): string {
  const order = columnsIn(columns.slice(0, key))
  return `copy (select ${columnsIn(columns)} from "${table}" ${where} order by ${order} ${limit}) to stdout`
}

async function shapesIn(client: pg.Client, of?: readonly string[]): Promise<Shape[]> {
  const shapes: Shape[] = []
  for (const { name } of (await client.query(TABLES)).rows) {
    const table = String(name)
    if (table === NOTES || DERIVED.includes(table) || of?.includes(table) === false) continue
    const columns = await client.query<{ name: string; type: string }>(COLUMNS, [table])
    const key = await client.query<{ name: string }>(KEY, [table])
    const names = key.rows.map((column) => column.name)
    shapes.push(shapeOf(table, names, columns.rows))
  }
  return shapes
}

const COLUMNS = `select attname as name, atttypid::regtype::text as type from pg_attribute
  where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`

/** The columns of the primary key, or else of another one. */
const KEY = `select attname as name
  from (select conrelid, conkey from pg_constraint where conrelid = $1::regclass
    and contype in ('p', 'u') order by contype, conname limit 1) as key
  cross join unnest(conkey) with ordinality as part (number, place)
  join pg_attribute on attrelid = conrelid and attnum = number order by place`
