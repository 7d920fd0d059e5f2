import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { END_COPIED_LEASES_SQL } from '../deliveries/delivery-queue.ts'
import { prepareDatabaseFile } from '../installation/data-dir.ts'
import { applyMigrations, hasSqliteTable } from '../migrate/migrate-sqlite.ts'
import { MIGRATIONS } from '../migrate/migrations.ts'
import { openSqliteWriter } from '../sqlite/open-sqlite.ts'
import { COPY_JOURNAL_TABLE, type CopyTarget, CREATE_COPY_JOURNAL_SQL } from './endpoint.ts'
import { type CopyJournal, openCopyJournal, targetNotEmpty } from './journal.ts'
import { type CopyTable, columnList, parseCopyRow } from './postgres-copy-protocol.ts'
import { createSqliteEndpoint } from './sqlite-source.ts'

/** Opens the database of a data directory as the target of a copy; the caller holds its lock. */
export function openSqliteTarget(dataDir: string): CopyTarget {
  const path = prepareDatabaseFile(dataDir)
  const db = openSqliteWriter(path)
  try {
    // A power cut loses only whole ranges with their journal entries. Sorting may use the disk.
    db.exec('pragma foreign_keys = off; pragma synchronous = normal')
    db.exec('pragma temp_store = file; pragma cache_size = -16384')
    return target(db, path)
  } catch (error) {
    db.close()
    throw error
  }
}

function target(db: DatabaseSync, path: string): CopyTarget {
  const journal = openJournal(db)

  async function inTransaction(work: () => unknown): Promise<void> {
    db.exec('begin immediate')
    try {
      await work()
      db.exec('commit')
    } catch (error) {
      if (db.isTransaction) db.exec('rollback')
      throw error
    }
  }

  return {
    ...createSqliteEndpoint(db),
    async begin(sourceId) {
      if (hasSqliteTable(db, COPY_JOURNAL_TABLE)) return (await journal.read(sourceId)).ranges
      if (db.prepare('select 1 from sqlite_schema limit 1').get()) throw targetNotEmpty(path)
      await inTransaction(() => prepareTables(db, journal, sourceId))
      return undefined
    },
    write: (shape, lines, range) =>
      inTransaction(() => {
        const marks = shape.columns.map(() => '?').join()
        const into = `insert into "${shape.table}" (${columnList(shape.columns)}) values (${marks})`
        const insert = db.prepare(into)
        for (const line of lines) insert.run(...valuesOf(shape, line))
        return journal.add(range)
      }),
    writeWords: (of, words, range) =>
      inTransaction(() => {
        const insert = db.prepare(
          `insert into ${of}_words (rowid, words) values ((${SEARCH_ROWID_SQL[of]}), ?)`,
        )
        for (const record of words) insert.run(record.workspace_id, record.id, record.words)
        return journal.add(range)
      }),
    async complete(onProgress) {
      for (const { n, name, sql } of await journal.listDeferred()) {
        onProgress(name)
        await inTransaction(() => {
          db.exec(sql)
          return journal.remove(n)
        })
      }
      onProgress('references')
      const [stray] = db.prepare('pragma foreign_key_check').all()
      if (stray) throw new Error(`A row of ${stray.table} points at nothing in ${stray.parent}`)
    },
    async finish(values) {
      db.exec('pragma synchronous = full')
      await inTransaction(() => {
        const set = db.prepare('insert or replace into installation (name, value) values (?, ?)')
        for (const [name, value] of Object.entries(values)) set.run(name, value)
        db.exec(END_COPIED_LEASES_SQL)
        db.exec(`drop table ${COPY_JOURNAL_TABLE}`)
      })
      db.exec('pragma wal_checkpoint(truncate)')
    },
  }
}

/** Selects the rowid of a record in the full-text index. */
const SEARCH_ROWID_SQL = {
  task: 'select search_id from tasks where workspace_id = ? and id = ?',
  comment: 'select search_id from searched_comments where workspace_id = ? and comment_id = ?',
}

const valuesOf = ({ columns }: CopyTable, line: string): SQLInputValue[] =>
  parseCopyRow(line).map((field, at) =>
    field !== null && columns[at]?.isInteger ? BigInt(field) : field,
  )

/** Creates the tables without indexes, which are recorded to be created after the copy. */
async function prepareTables(
  db: DatabaseSync,
  journal: CopyJournal,
  sourceId: string,
): Promise<void> {
  applyMigrations(db, MIGRATIONS)
  // Migrations insert some rows, which the source contains in their latest state.
  for (const { table } of await createSqliteEndpoint(db).listTables())
    db.exec(`delete from "${table}"`)
  db.exec(CREATE_COPY_JOURNAL_SQL)
  await journal.add({ kind: 'source', id: sourceId })
  // The planner statistics that migrations insert are lost with the indexes, so they are recorded.
  const statistics = db
    .prepare(STATISTICS_SQL)
    .all()
    .map(({ sql }) => String(sql))
  for (const { name, tbl_name, sql } of db.prepare(INDEXES_SQL).all()) {
    db.exec(`drop index "${name}"`)
    await journal.add({ kind: 'later', name: `index ${name} of ${tbl_name}`, sql: String(sql) })
  }
  const restoreStatistics = [
    'delete from sqlite_stat1',
    ...statistics,
    'analyze sqlite_schema',
  ].join('; ')
  await journal.add({ kind: 'later', name: 'figures for the planner', sql: restoreStatistics })
}

const INDEXES_SQL = `select name, tbl_name, sql from sqlite_schema
  where type = 'index' and sql is not null order by tbl_name, name`

const STATISTICS_SQL = `select 'insert into sqlite_stat1 values (' || quote(tbl) || ', ' || quote(idx) || ', '
  || quote(stat) || ')' as sql from sqlite_stat1`

function openJournal(db: DatabaseSync): CopyJournal {
  return openCopyJournal({
    all: async () => db.prepare(`select n, note from ${COPY_JOURNAL_TABLE} order by n`).all(),
    put: (n, note) => db.prepare(`insert into ${COPY_JOURNAL_TABLE} values (?, ?)`).run(n, note),
    take: (n) => db.prepare(`delete from ${COPY_JOURNAL_TABLE} where n = ?`).run(n),
  })
}
