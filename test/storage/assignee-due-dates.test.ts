import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { createUserActor } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import { openSqlite } from '#db/sqlite/open-sqlite.ts'
import { createTaskFromInput } from '#resources/tasks/operations/create.ts'
import { createEmptyDatabase, TEST_STORE_OPTIONS } from '../support/engines/test-database.ts'
import { ENGINES, openTestDocket } from '../support/engines/test-docket.ts'
import { createTempDir } from '../support/system/temp-dir.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'

/** What the release before migration 0026 writes: it does not name the due date. */
const OLD_INSERT = 'insert into task_assignees (workspace_id, user_id, task_id)'
const SELECT = `select due_date from task_assignees order by due_date`

/** Creates a task with a due date and one without; returns the rows that assign both. */
async function createTasks(storage: Storage) {
  const { workspace, people, project } = await createTestWorkspace(storage)
  const owner = { ...createUserActor(people.owner, workspace), role: 'owner' as const }
  const rows: string[] = []
  for (const due_date of ['2026-01-02', null]) {
    const input = { project_id: project, title: 'Task', due_date }
    const { id } = await storage.write(owner, (tx) => createTaskFromInput(tx, input))
    rows.push(`('${workspace}', '${people.member}', '${id}')`)
  }
  return `values ${rows}`
}

test('a start fills due dates of assignees that an older release has written (SQLite)', async () => {
  const options = { path: join(createTempDir(), 'docket.db'), ...TEST_STORE_OPTIONS }
  const storage = openSqlite(options)
  const rows = await createTasks(storage)
  await storage.close()
  const db = new DatabaseSync(options.path)
  db.exec(`${OLD_INSERT} ${rows}`)
  const read = () =>
    db
      .prepare(SELECT)
      .all()
      .map((row) => row.due_date)
  assert.deepEqual(read(), ['-', '-'], 'control')
  await openSqlite(options).close()
  assert.deepEqual(read(), [null, '2026-01-02'])
  db.exec("update tasks set due_date = '2026-01-03'")
  assert.deepEqual(read(), ['2026-01-03', '2026-01-03'])
  db.close()
})

if (ENGINES.includes('postgres')) {
  test('fills due dates of assignees that the previous release writes (PostgreSQL)', async () => {
    const { url, admin } = await createEmptyDatabase()
    const { storage } = await openTestDocket('postgres', { DOCKET_DATABASE_URL: url })
    await admin.query(`${OLD_INSERT} ${await createTasks(storage)}`)
    const read = async () => (await admin.query(SELECT)).rows.map((row) => row.due_date)
    assert.deepEqual(await read(), ['2026-01-02', null])
    await admin.query("update tasks set due_date = '2026-01-03'")
    assert.deepEqual(await read(), ['2026-01-03', '2026-01-03'])
  })
}
