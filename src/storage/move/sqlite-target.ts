import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { DATABASE } from '../data-dir.ts'
import { applyMigrations, holdsTable } from '../migrate-sqlite.ts'
import { MIGRATIONS } from '../migrations.ts'
import { openForWriting } from '../sqlite.ts'
import { NOTES, NOTES_TABLE, type Target } from './end.ts'
import { columnsIn, fieldsOf, type Shape } from './line.ts'
import { type Notebook, openNotebook, taken } from './notebook.ts'
import { sqliteEnd } from './sqlite-source.ts'

/** Opens the database of a data directory that is to be filled, whose lock is held. */
export function openSqliteTarget(dataDir: string): Target {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const path = join(dataDir, DATABASE)
  const db = openForWriting(path)
  try {
    // A power cut takes back whole ranges at most, with their notes; sorting may take its room on the disk.
    db.exec('pragma foreign_keys = off; pragma synchronous = normal')
    db.exec('pragma temp_store = file; pragma cache_size = -16384')
    return target(db, path)
  } catch (error) {
    db.close()
    throw error
  }
}

function target(db: DatabaseSync, path: string): Target {
  const notes = notebookOf(db)

  async function together(work: () => unknown): Promise<void> {
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
    ...sqliteEnd(db),
    async begin(sourceId) {
      if (holdsTable(db, NOTES)) return (await notes.read(sourceId)).ranges
      if (db.prepare('select 1 from sqlite_schema limit 1').get()) throw taken(path)
      await together(() => prepare(db, notes, sourceId))
      return undefined
    },
    write: (shape, lines, range) =>
      together(() => {
        const marks = shape.columns.map(() => '?').join()
        const into = `insert into "${shape.table}" (${columnsIn(shape.columns)}) values (${marks})`
        const insert = db.prepare(into)
        for (const line of lines) insert.run(...valuesOf(shape, line))
        return notes.add(range)
      }),
    writeWords: (of, words, range) =>
      together(() => {
        const insert = db.prepare(
          `insert into ${of}_words (rowid, words) values ((${NUMBER[of]}), ?)`,
        )
        for (const one of words) insert.run(one.workspace_id, one.id, one.words)
        return notes.add(range)
      }),
    async complete(told) {
      for (const { n, name, sql } of await notes.later()) {
        told(name)
        await together(() => {
          db.exec(sql)
          return notes.strike(n)
        })
      }
      told('references')
      const [stray] = db.prepare('pragma foreign_key_check').all()
      if (stray) throw new Error(`A row of ${stray.table} points at nothing in ${stray.parent}`)
    },
    async finish(values) {
      db.exec('pragma synchronous = full')
      await together(() => {
        const set = db.prepare('insert or replace into installation (name, value) values (?, ?)')
        for (const [name, value] of Object.entries(values)) set.run(name, value)
        db.exec(`drop table ${NOTES}`)
      })
      db.exec('pragma wal_checkpoint(truncate)')
    },
  }
}

/** The number by which the index of words knows a record. */
const NUMBER = {
  task: 'select search_id from tasks where workspace_id = ? and id = ?',
  comment: 'select search_id from searched_comments where workspace_id = ? and comment_id = ?',
}

const valuesOf = ({ columns }: Shape, line: string): SQLInputValue[] =>
  fieldsOf(line).map((field, at) => (field !== null && columns[at]?.whole ? BigInt(field) : field))

/** Makes the tables without what slows their filling; that is noted, to be made afterwards. */
async function prepare(db: DatabaseSync, notes: Notebook, sourceId: string): Promise<void> {
  applyMigrations(db, MIGRATIONS)
  // Migrations bring some rows themselves, and the source has them as they were last.
  for (const { table } of await sqliteEnd(db).shapes()) db.exec(`delete from "${table}"`)
  db.exec(NOTES_TABLE)
  await notes.add({ kind: 'source', id: sourceId })
  // What migrations know of the shape of a large database goes with its indexes.
  const figures = db
    .prepare(FIGURES)
    .all()
    .map(({ sql }) => String(sql))
  for (const { name, tbl_name, sql } of db.prepare(INDEXES).all()) {
    db.exec(`drop index "${name}"`)
    await notes.add({ kind: 'later', name: `index ${name} of ${tbl_name}`, sql: String(sql) })
  }
  const again = ['delete from sqlite_stat1', ...figures, 'analyze sqlite_schema'].join('; ')
  await notes.add({ kind: 'later', name: 'figures for the planner', sql: again })
}

const INDEXES = `select name, tbl_name, sql from sqlite_schema
  where type = 'index' and sql is not null order by tbl_name, name`

const FIGURES = `select 'insert into sqlite_stat1 values (' || quote(tbl) || ', ' || quote(idx) || ', '
  || quote(stat) || ')' as sql from sqlite_stat1`

function notebookOf(db: DatabaseSync): Notebook {
  return openNotebook({
    all: async () => db.prepare(`select n, note from ${NOTES} order by n`).all(),
    put: (n, note) => db.prepare(`insert into ${NOTES} values (?, ?)`).run(n, note),
    take: (n) => db.prepare(`delete from ${NOTES} where n = ?`).run(n),
  })
}
