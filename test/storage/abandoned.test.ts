import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { AFTER_TASKS, BEFORE_TASKS, STAYING } from '#storage/abandoned.ts'
import { migrateSqlite } from '#storage/migrate-sqlite.ts'

/** They go with their task, by their keys or step by step. */
const WITH_TASKS = [
  ...['tasks', 'task_numbers', 'task_assignees', 'task_tags', 'task_blocks', 'activity'],
  ...['comments', 'searched_comments', 'time_entries', 'attachments'],
]
/** They go last: the notes of files by the chore that takes the files away. */
const LAST = ['memberships', 'doomed_files']

test('of a workspace that is given up no table is forgotten', () => {
  const db = new DatabaseSync(':memory:')
  migrateSqlite(db)
  const tables = db
    .prepare(
      `select m.name from sqlite_master m join pragma_table_info(m.name) c
       where m.type = 'table' and c.name = 'workspace_id'`,
    )
    .all()
    .map(({ name }) => String(name))
  const known = [...BEFORE_TASKS, ...AFTER_TASKS, ...WITH_TASKS, ...LAST, ...STAYING]
  assert.deepEqual(tables.toSorted(), known.toSorted())
})
