import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { migrateSqlite } from '#db/migrate/migrate-sqlite.ts'
import { rulesOf, TABLES, type Tables } from '#db/schema/tables.ts'

const db = new DatabaseSync(':memory:')
migrateSqlite(db)
const all = (sql: string) => db.prepare(sql).all()

/** The columns of each table of the schema, without the tables that implement a full-text index. */
const COLUMNS = new Map(
  all("select name from pragma_table_list where schema = 'main' and type = 'table'")
    .map(({ name }) => String(name))
    .filter((name) => !name.startsWith('sqlite_'))
    .map((name) => [name, all(`select name from pragma_table_info('${name}')`).map(toName)]),
)

function toName({ name }: Record<string, unknown>): string {
  return String(name)
}

/** Tables that are virtual on SQLite. */
const WORD_TABLES = ['task_words', 'comment_words']

test('every table of the schema has rules', () => {
  const declared = TABLES.map(([table]) => table).filter((table) => !WORD_TABLES.includes(table))
  assert.deepEqual([...COLUMNS.keys()].toSorted(), declared.toSorted())
})

test('every table comes after those that its foreign keys refer to', () => {
  const order = TABLES.map(([table]): string => table)
  for (const table of COLUMNS.keys()) {
    for (const { table: target } of all(
      `select "table" from pragma_foreign_key_list('${table}')`,
    )) {
      const isBelow = order.indexOf(table) >= order.indexOf(String(target))
      assert.ok(isBelow, `${table} must come after ${target}`)
    }
  }
})

/** The names of columns that hold ids of persons. */
const PERSON_COLUMN =
  /(^|_)(user|lead|author|actor)_id$|(?<!undone)_by_id$|^(only_for|assignee_ids|mentions)$/

test('every column with the id of a person says what becomes of it with the membership', () => {
  for (const [table, columns] of COLUMNS) {
    const { people = {} } = rulesOf(table as keyof Tables)
    const named = columns.filter((column) => PERSON_COLUMN.test(column))
    assert.deepEqual(Object.keys(people).toSorted(), named.toSorted(), table)
  }
})

/** Columns of texts that people write, which a record may have any number of bytes of. */
const TEXT_COLUMN = /^(title|description|body|note|custom_fields|metadata)$/
/** Their texts have limits, and so has their number. */
const UNCOUNTED = ['webhooks', 'applications']

test('every text that people write counts towards the storage of the workspace', () => {
  for (const [table, columns] of COLUMNS) {
    const { texts = [], counted } = rulesOf(table as keyof Tables)
    const missing = columns.filter((column) => TEXT_COLUMN.test(column) && !texts.includes(column))
    if (UNCOUNTED.includes(table)) continue
    assert.deepEqual(missing, [], table)
    if (columns.some((column) => TEXT_COLUMN.test(column))) assert.ok(counted, table)
  }
})
