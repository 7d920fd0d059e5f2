import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { migrateSqlite } from '#db/migrate/migrate-sqlite.ts'
import {
  TABLES_KEPT_AFTER_PURGE,
  TABLES_PURGED_AFTER_TASKS,
  TABLES_PURGED_BEFORE_TASKS,
} from '#db/workspaces/deleted-workspaces.ts'

/** Rows of these tables are deleted with their task, by foreign keys or in steps. */
const WITH_TASKS = [
  'tasks',
  'task_numbers',
  'task_assignees',
  'task_tags',
  'task_blocks',
  'activity',
  'comments',
  'deleted_comments',
  'searched_comments',
  'time_entries',
  'attachments',
]
/** Rows of these tables are deleted last; the job that deletes files removes `doomed_files`. */
const LAST = ['memberships', 'doomed_files']

test('deleting a workspace covers every table of workspaces', () => {
  const db = new DatabaseSync(':memory:')
  migrateSqlite(db)
  const tables = db
    .prepare(
      `select m.name from sqlite_master m join pragma_table_info(m.name) c
       where m.type = 'table' and c.name = 'workspace_id'`,
    )
    .all()
    .map(({ name }) => String(name))
  const covered = [
    ...TABLES_PURGED_BEFORE_TASKS,
    ...TABLES_PURGED_AFTER_TASKS,
    ...WITH_TASKS,
    ...LAST,
    ...TABLES_KEPT_AFTER_PURGE,
  ]
  assert.deepEqual(tables.toSorted(), covered.toSorted())
})
