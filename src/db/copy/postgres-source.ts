import type pg from 'pg'
import { LIST_TABLES_SQL } from '../postgres/dump.ts'
import { connectForCopy } from './copy-connection.ts'
import { assertNotServed } from './docket-connections.ts'
import {
  assertNoUnfinishedCopy,
  COPY_JOURNAL_TABLE,
  type CopyChunkLimit,
  type CopyEndpoint,
  type CopySource,
  DERIVED_TABLES,
} from './endpoint.ts'
import {
  type CopyTable,
  columnList,
  copiedLine,
  copyOut,
  createCopyTable,
  keyCondition,
  type RowKey,
  type RowKeyRange,
  rowKeyOfLine,
} from './postgres-copy-protocol.ts'

/** Rows of the first chunk, before the length of a table's rows is known. */
const INITIAL_ROWS = 64
/** The largest factor by which a chunk may grow when rows get shorter. */
const MAX_GROWTH = 4

/** Whether a database holds Docket's tables, and whether it is the target of an unfinished copy. */
export const TARGET_STATE_SQL = `select to_regclass('schema_version') is not null as docket,
  to_regclass('${COPY_JOURNAL_TABLE}') is not null as unfinished`

/** Opens a PostgreSQL database to read one snapshot, and locks out writers meanwhile. */
export async function openPostgresSource(url: string): Promise<CopySource> {
  const client = await connectForCopy(url, 'docket migrate-to')
  try {
    await assertNotServed(client)
    await client.query('begin isolation level repeatable read read only')
    const { docket, unfinished } = (await client.query(TARGET_STATE_SQL)).rows[0] ?? {}
    assertNoUnfinishedCopy(unfinished === true)
    const end = createPostgresEndpoint(client)
    if (docket !== true) return { ...end, schema: 0 }
    // Every process that opens the store first writes to this table, so it waits or gives up.
    await client.query('lock table installation in share mode')
    const { rows } = await client.query('select max(version) as version from schema_version')
    return { ...end, schema: Number(rows[0]?.version) }
  } catch (error) {
    await client.end()
    throw error
  }
}

/** What sources and targets have in common. */
export function createPostgresEndpoint(client: pg.Client): CopyEndpoint {
  const lengths = new Map<string, number>()
  const literal = (field: string) => client.escapeLiteral(field)

  function rowsFor({ table }: CopyTable, { rows, bytes }: CopyChunkLimit): number {
    const length = lengths.get(table)
    return length === undefined
      ? INITIAL_ROWS
      : Math.max(1, Math.min(rows, Math.floor(bytes / length)))
  }

  function recordRowLength({ table }: CopyTable, bytes: number, rows: number): void {
    if (rows === 0) return
    const before = lengths.get(table) ?? bytes / rows
    lengths.set(table, Math.max(1, bytes / rows, before / MAX_GROWTH))
  }

  return {
    engine: 'postgres',
    listTables: (of) => listShapes(client, of),
    async count(table) {
      const { rows } = await client.query(`select count(*)::text as n from "${table}"`)
      return Number(rows[0]?.n)
    },
    async read(shape, after, most) {
      const limit = rowsFor(shape, most)
      const where = after ? `where ${keyCondition(shape, '>', after, literal)}` : ''
      const lines: string[] = []
      let bytes = 0
      await copyOut(client, copyOutSql(shape, where, `limit ${limit}`), (row) => {
        bytes += row.length
        lines.push(copiedLine(row))
      })
      recordRowLength(shape, bytes, lines.length)
      const last = lines.length < limit ? undefined : lines.at(-1)
      return { lines, upTo: last === undefined ? undefined : rowKeyOfLine(shape, last) }
    },
    scan: (shape, span, take) =>
      copyOut(client, copyOutSql(shape, rangeCondition(shape, span)), take),
    close: () => client.end(),
  }

  function rangeCondition(shape: CopyTable, { after, upTo }: RowKeyRange): string {
    const keyBound = (comparison: '>' | '<=', key: RowKey | undefined) =>
      key ? [keyCondition(shape, comparison, key, literal)] : []
    const conditions = [...keyBound('>', after), ...keyBound('<=', upTo)]
    return conditions.length > 0 ? `where ${conditions.join(' and ')}` : ''
  }
}

function copyOutSql({ table, columns, keyLength }: CopyTable, where: string, limit = ''): string {
  const order = columnList(columns.slice(0, keyLength))
  return `copy (select ${columnList(columns)} from "${table}" ${where} order by ${order} ${limit}) to stdout`
}

async function listShapes(client: pg.Client, of?: readonly string[]): Promise<CopyTable[]> {
  const shapes: CopyTable[] = []
  for (const { name } of (await client.query(LIST_TABLES_SQL)).rows) {
    const table = String(name)
    if (
      table === COPY_JOURNAL_TABLE ||
      DERIVED_TABLES.includes(table) ||
      of?.includes(table) === false
    )
      continue
    const columns = await client.query<{ name: string; type: string }>(COLUMNS_SQL, [table])
    const key = await client.query<{ name: string }>(KEY_SQL, [table])
    const names = key.rows.map((column) => column.name)
    shapes.push(createCopyTable(table, names, columns.rows))
  }
  return shapes
}

const COLUMNS_SQL = `select attname as name, atttypid::regtype::text as type from pg_attribute
  where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`

/** The columns of the primary key, or of a unique key if there is none. */
const KEY_SQL = `select attname as name
  from (select conrelid, conkey from pg_constraint where conrelid = $1::regclass
    and contype in ('p', 'u') order by contype, conname limit 1) as key
  cross join unnest(conkey) with ordinality as part (number, place)
  join pg_attribute on attrelid = conrelid and attnum = number order by place`
