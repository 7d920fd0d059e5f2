import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { DATABASE } from '../data-dir.ts'
import { holdsTable } from '../migrate-sqlite.ts'
import { DERIVED, type End, NOTES, refuseUnfinished, type Source } from './end.ts'
import {
  besideKey,
  columnsIn,
  type Key,
  keyOf,
  lineOf,
  type Shape,
  type Span,
  shapeOf,
} from './line.ts'

/** Opens the database of a data directory to be read as it is at one instant; undefined where there is none. */
export function openSqliteSource(dataDir: string): Source | undefined {
  const path = join(dataDir, DATABASE)
  if (!existsSync(path)) return undefined
  const db = new DatabaseSync(path, { readOnly: true, timeout: 5_000 })
  try {
    db.exec('pragma cache_size = -8192; begin')
    refuseUnfinished(holdsTable(db, NOTES))
    return {
      ...sqliteEnd(db),
      schema: Number(db.prepare('pragma user_version').get()?.user_version),
    }
  } catch (error) {
    db.close()
    throw error
  }
}

/** What both ways have in common. */
export function sqliteEnd(db: DatabaseSync): End {
  const prepared = new Map<string, StatementSync>()

  function rowsOf(sql: string, values: SQLInputValue[]): Iterable<unknown> {
    let statement = prepared.get(sql)
    if (!statement) {
      statement = db.prepare(sql)
      statement.setReturnArrays(true)
      prepared.set(sql, statement)
    }
    return statement.iterate(...values)
  }

  return {
    engine: 'sqlite',
    shapes: async (of) => shapesIn(db).filter(({ table }) => of?.includes(table) ?? true),
    async count(table, how) {
      const where = how ? 'not indexed' : ''
      return Number(db.prepare(`select count(*) as n from "${table}" ${where}`).get()?.n)
    },
    async read(shape, after, most) {
      const lines: string[] = []
      let bytes = 0
      for (const row of rowsOf(selectOf(shape, { after }), valuesOf(shape, after))) {
        const line = lineOf(row as unknown[])
        lines.push(line)
        bytes += line.length
        if (lines.length < most.rows && bytes < most.bytes) continue
        return { lines, upTo: keyOf(shape, line) }
      }
      return { lines, upTo: undefined }
    },
    async scan(shape, span, take) {
      const values = [...valuesOf(shape, span.after), ...valuesOf(shape, span.upTo)]
      for (const row of rowsOf(selectOf(shape, span), values)) {
        take(`${lineOf(row as unknown[])}\n`)
      }
    },
    async close() {
      db.close()
    },
  }
}

function selectOf(shape: Shape, { after, upTo }: Partial<Span>): string {
  const beside = (comparison: '>' | '<=', key: Key | undefined) =>
    key ? [besideKey(shape, comparison, key, () => '?')] : []
  const conditions = [...beside('>', after), ...beside('<=', upTo)]
  const where = conditions.length > 0 ? `where ${conditions.join(' and ')}` : ''
  const order = columnsIn(shape.columns.slice(0, shape.key))
  return `select ${columnsIn(shape.columns)} from "${shape.table}" ${where} order by ${order}`
}

const valuesOf = ({ columns }: Shape, key: Key = []): SQLInputValue[] =>
  key.map((field, at) => (columns[at]?.whole ? Number(field) : field))

function shapesIn(db: DatabaseSync): Shape[] {
  const textsOf = (sql: string, ...values: string[]) =>
    db
      .prepare(sql)
      .all(...values)
      .map(({ name, type }) => ({ name: String(name), type: String(type) }))
  return textsOf(TABLES)
    .filter(({ name }) => name !== NOTES && !DERIVED.includes(name))
    .map(({ name: table }) => {
      const key = textsOf(KEY, table).map(({ name }) => name)
      const columns = textsOf(COLUMNS, table)
      // The number by which the index of words knows a task is this engine's own.
      return shapeOf(
        table,
        key,
        columns.filter(({ name }) => name !== 'search_id'),
      )
    })
}

const TABLES = `select name from pragma_table_list
  where schema = 'main' and type = 'table' and name not like 'sqlite\\_%' escape '\\' order by name`

/** Columns that are generated are hidden. */
const COLUMNS = 'select name, type from pragma_table_xinfo(?) where hidden = 0'

/** The columns of the primary key, or else of another one; that of a row number has no index. */
const KEY = `select part.name from
  (select name from pragma_index_list(?) where origin in ('pk', 'u') order by origin, name limit 1) as key
  cross join pragma_index_info(key.name) as part order by part.seqno`
