import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import type { Query } from '#core/transaction.ts'
import { newestEvent } from '#db/events/outbox.ts'
import { openSqlite, restorePlannerStatistics } from '#db/sqlite/open-sqlite.ts'
import { taskById } from '#resources/tasks/task-json.ts'
import { TEST_STORE_OPTIONS } from '../support/engines/test-database.ts'
import { createTempDir } from '../support/system/temp-dir.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'

function explain(db: DatabaseSync, { text }: Pick<Query<unknown, unknown>, 'text'>): string {
  const { sql } = text('sqlite')
  const values = Array(sql.match(/\?/g)?.length ?? 0).fill(null)
  const plan = db.prepare(`explain query plan ${sql}`).all(...values)
  return plan.map(({ detail }) => String(detail)).join('\n')
}

test('migrations insert the fixed statistics of the planner', async () => {
  const path = join(createTempDir(), 'docket.db')
  await openSqlite({ path, ...TEST_STORE_OPTIONS }).close()
  const db = new DatabaseSync(path)
  assert.equal(restorePlannerStatistics(db), false)
  db.close()
})

test('a start replaces measured statistics, whose plans scan tables of all workspaces', async () => {
  const path = join(createTempDir(), 'docket.db')
  const storage = openSqlite({ path, ...TEST_STORE_OPTIONS })
  await createTestWorkspace(storage)
  await storage.close()
  const db = new DatabaseSync(path)
  // As `analyze` writes them for one workspace with two projects and many tasks.
  db.exec(`analyze; delete from sqlite_stat1 where tbl in ('tasks', 'projects');
    insert into sqlite_stat1 values ('projects', 'projects_id', '2 1'),
      ('projects', 'projects_change', '2 2 1 1'), ('tasks', 'tasks_change', '9705 9705 1 1'),
      ('projects', 'projects_name', '2 2 1 1'), ('projects', 'projects_updated', '2 2 2 1'),
      ('projects', 'sqlite_autoindex_projects_1', '2 2 1'),
      ('tasks', 'tasks_number', '9705 1001 1001 1'), ('tasks', 'tasks_project', '9705 1001 1001 1'),
      ('tasks', 'sqlite_autoindex_tasks_1', '9705 1001 1')`)
  db.close()
  const measured = new DatabaseSync(path)
  assert.match(explain(measured, taskById), /SCAN projects/, 'control')
  measured.close()

  await openSqlite({ path, ...TEST_STORE_OPTIONS }).close()
  const restored = new DatabaseSync(path)
  assert.doesNotMatch(explain(restored, taskById), /SCAN projects/)
  assert.equal(restorePlannerStatistics(restored), false)
  restored.close()
})

test('finds the newest event without reading all events', async () => {
  const path = join(createTempDir(), 'docket.db')
  await openSqlite({ path, ...TEST_STORE_OPTIONS }).close()
  const db = new DatabaseSync(path)
  const plan = explain(db, newestEvent)
  assert.match(plan, /^SEARCH events .*\(workspace_id=\? AND sequence=\?\)$/m, plan)
  db.close()
})
