import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { DATABASE_FILENAME } from '../installation/data-dir.ts'
import { hasSqliteTable } from '../migrate/migrate-sqlite.ts'
import {
  assertNoUnfinishedCopy,
  COPY_JOURNAL_TABLE,
  type CopyEndpoint,
  type CopySource,
  DERIVED_TABLES,
} from './endpoint.ts'
import {
  type CopyTable,
  columnList,
  createCopyTable,
  formatCopyRow,
  keyCondition,
  type RowKey,
  type RowKeyRange,
  rowKeyOfLine,
} from './postgres-copy-protocol.ts'

/** Opens the database of a data directory to read one snapshot; undefined if there is none. */
export function openSqliteSource(dataDir: string): CopySource | undefined {
  const path = join(dataDir, DATABASE_FILENAME)
  if (!existsSync(path)) return undefined
  const db = new DatabaseSync(path, { readOnly: true, timeout: 5_000 })
  try {
    db.exec('pragma cache_size = -8192; begin')
    assertNoUnfinishedCopy(hasSqliteTable(db, COPY_JOURNAL_TABLE))
    return {
      ...createSqliteEndpoint(db),
      schema: Number(db.prepare('pragma user_version').get()?.user_version),
    }
  } catch (error) {
    db.close()
    throw error
  }
}

/** What sources and targets have in common. */
export function createSqliteEndpoint(db: DatabaseSync): CopyEndpoint {
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
    listTables: async (of) => listShapes(db).filter(({ table }) => of?.includes(table) ?? true),
    async count(table, how) {
      const where = how ? 'not indexed' : ''
      return Number(db.prepare(`select count(*) as n from "${table}" ${where}`).get()?.n)
    },
    async read(shape, after, most) {
      const lines: string[] = []
      let bytes = 0
      for (const row of rowsOf(selectRangeSql(shape, { after }), valuesOf(shape, after))) {
        const line = formatCopyRow(row as unknown[])
        lines.push(line)
        bytes += line.length
        if (lines.length < most.rows && bytes < most.bytes) continue
        return { lines, upTo: rowKeyOfLine(shape, line) }
      }
      return { lines, upTo: undefined }
    },
    async scan(shape, span, take) {
      const values = [...valuesOf(shape, span.after), ...valuesOf(shape, span.upTo)]
      for (const row of rowsOf(selectRangeSql(shape, span), values)) {
        take(`${formatCopyRow(row as unknown[])}\n`)
      }
    },
    async close() {
      db.close()
    },
  }
}

function selectRangeSql(shape: CopyTable, { after, upTo }: Partial<RowKeyRange>): string {
  const keyBound = (comparison: '>' | '<=', key: RowKey | undefined) =>
    key ? [keyCondition(shape, comparison, key, () => '?')] : []
  const conditions = [...keyBound('>', after), ...keyBound('<=', upTo)]
  const where = conditions.length > 0 ? `where ${conditions.join(' and ')}` : ''
  const order = columnList(shape.columns.slice(0, shape.keyLength))
  return `select ${columnList(shape.columns)} from "${shape.table}" ${where} order by ${order}`
}

const valuesOf = ({ columns }: CopyTable, key: RowKey = []): SQLInputValue[] =>
  key.map((field, at) => (columns[at]?.isInteger ? Number(field) : field))

function listShapes(db: DatabaseSync): CopyTable[] {
  const selectNamesAndTypes = (sql: string, ...values: string[]) =>
    db
      .prepare(sql)
      .all(...values)
      .map(({ name, type }) => ({ name: String(name), type: String(type) }))
  return selectNamesAndTypes(TABLES_SQL)
    .filter(({ name }) => name !== COPY_JOURNAL_TABLE && !DERIVED_TABLES.includes(name))
    .map(({ name: table }) => {
      const key = selectNamesAndTypes(KEY_SQL, table).map(({ name }) => name)
      const columns = selectNamesAndTypes(COLUMNS_SQL, table)
      // The rowid of a task in the full-text index exists only on SQLite.
      return createCopyTable(
        table,
        key,
        columns.filter(({ name }) => name !== 'search_id'),
      )
    })
}

const TABLES_SQL = `select name from pragma_table_list
  where schema = 'main' and type = 'table' and name not like 'sqlite\\_%' escape '\\' order by name`

/** Generated columns are marked as hidden. */
const COLUMNS_SQL = 'select name, type from pragma_table_xinfo(?) where hidden = 0'

/** The columns of the primary key, or of a unique index: an integer primary key has no index. */
const KEY_SQL = `select part.name from
  (select name from pragma_index_list(?) where origin in ('pk', 'u') order by origin, name limit 1) as key
  cross join pragma_index_info(key.name) as part order by part.seqno`
