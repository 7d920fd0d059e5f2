import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { sqlOf } from '#storage/migrate.ts'
import { MIGRATIONS } from '#storage/migrations.ts'

/** A database as a release has left it that knew fewer migrations, looked at without any of our code. */
export interface OldDatabase {
  run(sql: string, values?: unknown[]): Promise<Record<string, unknown>[]>
  tables(): Promise<string[]>
  /** Columns that can be written. */
  columns(table: string): Promise<{ name: string; isNumber: boolean; isWords: boolean }[]>
  /** Which column of which table a column points to. */
  references(table: string): Promise<{ column: string; to: string; of: string }[]>
  close(): Promise<void>
}

export function oldSqlite(path: string, version: number): OldDatabase {
  const db = new DatabaseSync(path)
  db.exec('pragma synchronous = off')
  for (const migration of MIGRATIONS.slice(0, version)) db.exec(sqlOf(migration, 'sqlite'))
  if (version > 0) db.exec(`pragma user_version = ${version}`)
  const all = async (sql: string, values: unknown[] = []) =>
    db.prepare(sql.replaceAll(/\$\d+/g, '?')).all(...values.map(String)) as Record<
      string,
      unknown
    >[]
  return {
    run: all,
    async tables() {
      const rows = await all("select name from pragma_table_list where type = 'table'")
      return rows.map(({ name }) => String(name)).filter((name) => !name.startsWith('sqlite_'))
    },
    async columns(table) {
      const rows = await all('select name, type from pragma_table_xinfo($1) where hidden = 0', [
        table,
      ])
      return rows.map(({ name, type }) => {
        return { name: String(name), isNumber: /int/i.test(String(type)), isWords: false }
      })
    },
    async references(table) {
      const rows = await all(
        `select f."from" as "column", f."table" as "of", coalesce(f."to", k.name) as "to"
          from pragma_foreign_key_list($1) f
          left join pragma_table_info(f."table") k on k.pk = f.seq + 1`,
        [table],
      )
      return rows.map(({ column, to, of }) => ({
        ...{ column: String(column), to: String(to), of: String(of) },
      }))
    },
    close: async () => db.close(),
  }
}

export async function oldPostgres(url: string, version: number): Promise<OldDatabase> {
  const client = new pg.Client(url)
  await client.connect()
  if (version > 0) await client.query('create table schema_version (version integer not null)')
  for (const [at, migration] of MIGRATIONS.slice(0, version).entries()) {
    await client.query(sqlOf(migration, 'postgres'))
    await client.query('insert into schema_version values ($1)', [at + 1])
  }
  const all = async (sql: string, values: unknown[] = []) => (await client.query(sql, values)).rows
  return {
    run: all,
    async tables() {
      const rows = await all(
        `select relname as name from pg_class where relkind in ('r', 'p') and not relispartition
          and relnamespace = current_schema()::regnamespace and relname <> 'schema_version'
          order by 1`,
      )
      return rows.map(({ name }) => name)
    },
    async columns(table) {
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
    references: (table) =>
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

/** Puts so many rows into every table; what points somewhere points to the row of the same number. */
export async function fillTables(db: OldDatabase, count: number): Promise<void> {
  const left = new Set(await db.tables())
  const references = new Map<string, Awaited<ReturnType<OldDatabase['references']>>>()
  for (const table of left) references.set(table, await db.references(table))
  function valueIn(table: string, column: string, at: number): string {
    const reference = references.get(table)?.find((one) => one.column === column)
    return reference ? valueIn(reference.of, reference.to, at) : `${table}.${column}.${at}`
  }
  while (left.size > 0) {
    for (const table of left) {
      const above = references.get(table)?.some(({ of }) => of !== table && left.has(of))
      if (above) continue
      left.delete(table)
      await fillTable(db, table, count, valueIn)
    }
  }
}

async function fillTable(
  db: OldDatabase,
  table: string,
  count: number,
  valueIn: (table: string, column: string, at: number) => string,
): Promise<void> {
  const columns = await db.columns(table)
  const names = columns.map(({ name }) => `"${name}"`).join()
  const slots = columns.map((_, at) => `$${at + 1}`).join()
  for (let at = 1; at <= count; at += 1) {
    const values = columns.map(({ name, isNumber, isWords }) => {
      if (isNumber) return at
      return isWords ? 'words' : valueIn(table, name, at)
    })
    // Triggers may have been quicker.
    await db.run(
      `insert into "${table}" (${names}) values (${slots}) on conflict do nothing`,
      values,
    )
  }
}

/** All rows of these columns, as text in order, table by table. */
export async function rowsOf(
  db: OldDatabase,
  shape: ReadonlyMap<string, readonly string[]>,
): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {}
  for (const [table, columns] of shape) {
    const rows = await db.run(`select ${columns.map((one) => `"${one}"`).join()} from "${table}"`)
    // Numbers are texts to PostgreSQL's driver, unless it was told otherwise meanwhile.
    const texts = rows.map((row) =>
      Object.values(row).map((one) => (one === null ? null : String(one))),
    )
    found[table] = texts.map((row) => JSON.stringify(row)).toSorted()
  }
  return found
}

/** The tables of a database, and their columns. */
export async function shapeOf(db: OldDatabase): Promise<Map<string, string[]>> {
  const shape = new Map<string, string[]>()
  for (const table of await db.tables()) {
    shape.set(
      table,
      (await db.columns(table)).map(({ name }) => name),
    )
  }
  return shape
}
