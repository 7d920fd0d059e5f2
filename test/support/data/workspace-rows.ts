import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import type { TestDocket } from '../engines/test-docket.ts'

/** The rows of each table that has a workspace column, by table; integers are text. */
export type WorkspaceRows = Record<string, Record<string, string | null>[]>

/** Reads the rows of a workspace from every table that the database itself lists. */
export async function readWorkspaceRows(
  { config }: Pick<TestDocket, 'config'>,
  workspace_id: string,
): Promise<WorkspaceRows> {
  const { dataDir, databaseUrl } = config
  if (databaseUrl !== undefined) {
    const client = new pg.Client(bypassRowLevelSecurity(databaseUrl))
    await client.connect()
    const select: SelectAll = async (sql, values) => (await client.query(sql, [...values])).rows
    const tables = `select relname as name from pg_class
      where relnamespace = current_schema()::regnamespace and relkind = 'r' and relpersistence = 'p'`
    return readRows(select, tables, '$1', workspace_id).finally(() => client.end())
  }
  const db = new DatabaseSync(join(dataDir, 'docket.db'), { readOnly: true })
  const select: SelectAll = async (sql, values) => db.prepare(sql).all(...values)
  const tables = "select name from pragma_table_list where schema = 'main' and type = 'table'"
  return readRows(select, tables, '?', workspace_id).finally(() => db.close())
}

type SelectAll = (
  sql: string,
  values: readonly string[],
) => Promise<readonly Record<string, unknown>[]>

/** Tables of one engine's text index, which hold what is in other tables. */
const INDEX_TABLES = ['task_words', 'comment_words', 'searched_comments']
/** Columns that only one engine has. */
const ENGINE_COLUMNS = ['search_id', 'shown']

async function readRows(
  select: SelectAll,
  listTables: string,
  slot: string,
  workspace_id: string,
): Promise<WorkspaceRows> {
  const census: WorkspaceRows = {}
  const tables = (await select(listTables, [])).map(({ name }) => String(name)).toSorted()
  for (const table of tables) {
    if (INDEX_TABLES.includes(table) || table.startsWith('sqlite_')) continue
    const whose = table === 'workspaces' ? 'id' : 'workspace_id'
    const rows = await select(`select * from "${table}" where ${whose} = ${slot}`, [
      workspace_id,
    ]).catch(() => undefined)
    if (!rows) continue
    const plain = rows.map((row) =>
      Object.fromEntries(
        Object.entries(row)
          .filter(([column]) => !ENGINE_COLUMNS.includes(column))
          .map(([column, value]) => [column, value === null ? null : String(value)]),
      ),
    )
    census[table] = plain
  }
  return census
}

/** Orders rows alike on both engines. */
function compareRows(one: Record<string, string | null>, other: typeof one): number {
  const [a, b] = [one, other].map((row) => JSON.stringify(Object.entries(row).toSorted()))
  return (a ?? '') < (b ?? '') ? -1 : 1
}

/** Connects without row-level security, which would hide the rows. */
const bypassRowLevelSecurity = (url: string): string =>
  url === process.env.TEST_POSTGRES_WALLED ? (process.env.TEST_POSTGRES ?? url) : url

/** Leaves out some tables, and some columns of others, and orders the rows alike on both engines. */
export function omitFromRows(
  census: WorkspaceRows,
  tables: readonly string[],
  columns: Record<string, readonly string[]> = {},
): WorkspaceRows {
  const kept: WorkspaceRows = {}
  for (const [table, rows] of Object.entries(census)) {
    if (tables.includes(table)) continue
    const left = columns[table] ?? []
    kept[table] = rows
      .map((row) =>
        Object.fromEntries(Object.entries(row).filter(([column]) => !left.includes(column))),
      )
      .toSorted(compareRows)
  }
  return kept
}

/** The SHA-256 of each file of a workspace by name; undefined if it has no directory. */
export function hashWorkspaceFiles(
  { config }: Pick<TestDocket, 'config'>,
  workspace_id: string,
): Record<string, string> | undefined {
  const place = join(config.dataDir, 'files', workspace_id)
  if (!existsSync(place)) return undefined
  const digest = (name: string) => createHash('sha256').update(readFileSync(join(place, name)))
  return Object.fromEntries(
    readdirSync(place)
      .toSorted()
      .map((name) => [name, digest(name).digest('hex')]),
  )
}
