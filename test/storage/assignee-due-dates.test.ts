import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { createUserActor } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import { migratePostgres } from '#db/migrate/migrate-postgres.ts'
import { MIGRATIONS } from '#db/migrate/migrations.ts'
import { createPostgresTables } from '#db/postgres/create-tables.ts'
import { dumpPostgres } from '#db/postgres/dump.ts'
import { loadPostgres } from '#db/postgres/load.ts'
import { openSqlite } from '#db/sqlite/open-sqlite.ts'
import { createTaskFromInput } from '#resources/tasks/operations/create.ts'
import { createEmptyDatabase, TEST_STORE_OPTIONS } from '../support/engines/test-database.ts'
import { ENGINES, openTestDocket } from '../support/engines/test-docket.ts'
import { createTempDir } from '../support/system/temp-dir.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'

/** What the release before migration 0026 writes: it does not name the due date. */
const OLD_INSERT = 'insert into task_assignees (workspace_id, user_id, task_id)'
const SELECT = `select due_date from task_assignees order by due_date`

/** An assigned task as migration 0026 finds it, with all columns that have no default. */
const UNFILLED = {
  workspaces: {
    ...{ id: 'wsp_1', name: 'W', plan: 'free', timezone: 'UTC', last_sequence: 0 },
    ...{ created_at: '', updated_at: '', last_change_number: 0 },
  },
  projects: {
    ...{
      workspace_id: 'wsp_1',
      id: 'prj_1',
      name: 'P',
      name_key: 'p',
      name_words: '',
      prefix: 'P',
    },
    ...{ color: '#000000', visibility: 'workspace', statuses: '[]', last_number: 1 },
    ...{ backlog_count: 0, unstarted_count: 0, started_count: 0, completed_count: 0 },
    ...{ canceled_count: 0, created_by_id: 'u', created_at: '', updated_at: '', change_number: 0 },
  },
  tasks: {
    ...{ workspace_id: 'wsp_1', id: 'tsk_1', project_id: 'prj_1', number: 1, title: 'T' },
    ...{ status: 'todo', status_category: 'unstarted', priority: 'none', priority_rank: 0 },
    ...{ assignee_ids: '[]', tag_ids: '[]', blocked_by_ids: '[]', blocking_ids: '[]' },
    ...{ due_date: '2026-01-02', position: 'a', time_spent_seconds: 0, custom_fields: '{}' },
    ...{ metadata: '{}', comment_count: 0, attachment_count: 0, subtask_count: 0, version: 1 },
    ...{ completed_subtask_count: 0, created_by_id: 'u', created_at: '', updated_at: '' },
    change_number: 0,
  },
  task_assignees: { workspace_id: 'wsp_1', user_id: 'usr_1', task_id: 'tsk_1', due_date: '-' },
}

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
  test('a restore keeps due dates that the migration had not filled at the backup (PostgreSQL)', async () => {
    const version = MIGRATIONS.findIndex(({ name }) => name === '0026-assignee-due-dates-empty')
    const [{ url, admin }, restored] = [await createEmptyDatabase(), await createEmptyDatabase()]
    await admin.query('begin')
    await createPostgresTables(admin, version)
    await admin.query('commit; set session_replication_role = replica')
    for (const [table, row] of Object.entries(UNFILLED)) {
      const columns = Object.keys(row).join()
      const insert = `insert into ${table} (${columns}) select ${columns}
        from json_populate_record(null::${table}, $1)`
      await admin.query(insert, [JSON.stringify(row)])
    }
    const tables = new Map<string, string[]>()
    const { schema, counts } = await dumpPostgres(url, async (table, lines) => {
      tables.set(table, [...(tables.get(table) ?? []), ...lines])
    })
    async function* readLines(table: string) {
      const lines = tables.get(table) ?? []
      if (lines.length > 0) yield lines
    }
    const load = { schema, counts, readLines, values: {}, onTable: () => {} }
    await loadPostgres({ url: restored.url, ...load })
    const read = async () => (await restored.admin.query(SELECT)).rows.map((row) => row.due_date)
    assert.deepEqual(await read(), ['-'])
    await migratePostgres(restored.url)
    assert.deepEqual(await read(), ['2026-01-02'])
    await restored.admin.query("update tasks set due_date = '2026-01-03'")
    assert.deepEqual(await read(), ['2026-01-03'], 'the triggers work again')
  })
}
