import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { MIGRATIONS } from '#db/migrate/migrations.ts'
import { renderMigrationSql } from '#db/migrate/schema-version.ts'

/** A database with only the first migrations, as an older release left it; used by plain SQL. */
export interface OldDatabase {
  run(sql: string, values?: unknown[]): Promise<Record<string, unknown>[]>
  listTables(): Promise<string[]>
  /** Columns that are not generated. */
  listColumns(table: string): Promise<{ name: string; isNumber: boolean; isWords: boolean }[]>
  /** Foreign keys: each column, and the table and column that it references. */
  listReferences(table: string): Promise<{ column: string; to: string; of: string }[]>
  close(): Promise<void>
}

export function openOldSqlite(path: string, version: number): OldDatabase {
  const db = new DatabaseSync(path)
  db.exec('pragma synchronous = off')
  for (const migration of MIGRATIONS.slice(0, version))
    db.exec(renderMigrationSql(migration, 'sqlite'))
  if (version > 0) db.exec(`pragma user_version = ${version}`)
  const all = async (sql: string, values: unknown[] = []) =>
    db.prepare(sql.replaceAll(/\$\d+/g, '?')).all(...values.map(String)) as Record<
      string,
      unknown
    >[]
  return {
    run: all,
    async listTables() {
      const rows = await all("select name from pragma_table_list where type = 'table'")
      return rows.map(({ name }) => String(name)).filter((name) => !name.startsWith('sqlite_'))
    },
    async listColumns(table) {
      const rows = await all('select name, type from pragma_table_xinfo($1) where hidden = 0', [
        table,
      ])
      return rows.map(({ name, type }) => {
        return { name: String(name), isNumber: /int/i.test(String(type)), isWords: false }
      })
    },
    async listReferences(table) {
      const rows = await all(
        `select f."from" as "column", f."table" as "of", coalesce(f."to", k.name) as "to"
          from pragma_foreign_key_list($1) f
          left join pragma_table_info(f."table") k on k.pk = f.seq + 1`,
        [table],
      )
      return rows.map(({ column, to, of }) => ({
        column: String(column),
        to: String(to),
        of: String(of),
      }))
    },
    close: async () => db.close(),
  }
}

export async function openOldPostgres(url: string, version: number): Promise<OldDatabase> {
  const client = new pg.Client(url)
  await client.connect()
  if (version > 0) await client.query('create table schema_version (version integer not null)')
  for (const [at, migration] of MIGRATIONS.slice(0, version).entries()) {
    await client.query(renderMigrationSql(migration, 'postgres'))
    await client.query('insert into schema_version values ($1)', [at + 1])
  }
  const all = async (sql: string, values: unknown[] = []) => (await client.query(sql, values)).rows
  return {
    run: all,
    async listTables() {
      const rows = await all(
        `select relname as name from pg_class where relkind = 'r'
          and relnamespace = current_schema()::regnamespace and relname <> 'schema_version'
          order by 1`,
      )
      return rows.map(({ name }) => name)
    },
    async listColumns(table) {
      const rows = await all(
        `select attname as name, format_type(atttypid, null) as type from pg_attribute
          where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''
          order by attnum`,
        [table],
      )
      return rows.map(({ name, type }) => {
        return { name, isNumber: /int/.test(type), isWords: type === 'tsvector' }
      })
    },
    listReferences: (table) =>
      all(
        `select here.attname as column, there.attname as to, confrelid::regclass::text as of
          from pg_constraint, unnest(conkey, confkey) as pair (own, other)
          join pg_attribute here on here.attnum = own
          join pg_attribute there on there.attnum = other
          where contype = 'f' and conrelid = $1::regclass
            and here.attrelid = conrelid and there.attrelid = confrelid`,
        [table],
      ),
    close: () => client.end(),
  }
}

/**
 * Inserts `count` rows into every table, numbered from `first`; a foreign key references the row
 * with the same number.
 */
export async function fillTables(db: OldDatabase, count: number, first = 1): Promise<void> {
  const left = new Set(await db.listTables())
  const references = new Map<string, Awaited<ReturnType<OldDatabase['listReferences']>>>()
  for (const table of left) references.set(table, await db.listReferences(table))
  function valueIn(table: string, column: string, at: number): string {
    const reference = references.get(table)?.find((one) => one.column === column)
    return reference ? valueIn(reference.of, reference.to, at) : `${table}.${column}.${at}`
  }
  while (left.size > 0) {
    for (const table of left) {
      const above = references.get(table)?.some(({ of }) => of !== table && left.has(of))
      if (above) continue
      left.delete(table)
      await fillTable(db, table, { count, first }, valueIn)
    }
  }
}

async function fillTable(
  db: OldDatabase,
  table: string,
  { count, first }: { count: number; first: number },
  valueIn: (table: string, column: string, at: number) => string,
): Promise<void> {
  const columns = await db.listColumns(table)
  const names = columns.map(({ name }) => `"${name}"`).join()
  const slots = columns.map((_, at) => `$${at + 1}`).join()
  for (let at = first; at < first + count; at += 1) {
    const values = columns.map(({ name, isNumber, isWords }) => {
      if (isNumber) return at
      return isWords ? 'words' : valueIn(table, name, at)
    })
    // A trigger may have inserted the row already.
    await db.run(
      `insert into "${table}" (${names}) values (${slots}) on conflict do nothing`,
      values,
    )
  }
}

/** The rows of these columns by table, as sorted JSON texts. */
export async function readTableRows(
  db: OldDatabase,
  shape: ReadonlyMap<string, readonly string[]>,
): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {}
  for (const [table, columns] of shape) {
    const rows = await db.run(`select ${columns.map((one) => `"${one}"`).join()} from "${table}"`)
    // The PostgreSQL driver returns some numbers as text, unless a type parser is registered.
    const texts = rows.map((row) =>
      Object.values(row).map((one) => (one === null ? null : String(one))),
    )
    found[table] = texts.map((row) => JSON.stringify(row)).toSorted()
  }
  return found
}

/** The columns of each table. */
export async function readTableColumns(db: OldDatabase): Promise<Map<string, string[]>> {
  const shape = new Map<string, string[]>()
  for (const table of await db.listTables()) {
    shape.set(
      table,
      (await db.listColumns(table)).map(({ name }) => name),
    )
  }
  return shape
}
