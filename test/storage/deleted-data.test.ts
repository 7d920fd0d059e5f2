import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { migrateSqlite } from '#db/migrate/migrate-sqlite.ts'
import { openSqliteWriter } from '#db/sqlite/open-sqlite.ts'
import { createWordIndexMerge, truncateWal } from '#db/sqlite/purge-deleted-data.ts'
import {
  TABLES_KEPT_AFTER_PURGE,
  TABLES_PURGED_AFTER_TASKS,
  TABLES_PURGED_BEFORE_TASKS,
} from '#db/workspaces/deleted-workspaces.ts'
import { emptyTrash } from '#jobs/purges.ts'
import { openFreshDocket } from '../support/engines/fresh-docket.ts'
import { createTestClock } from '../support/system/test-clock.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'

test('no SQLite file contains words of a purged task', async () => {
  const clock = createTestClock()
  const { storage, server, config } = await openFreshDocket('sqlite', {}, { clock })
  const team = await createTestWorkspace(storage)
  const send = (method: 'POST' | 'DELETE', url: string, payload?: object) =>
    server.inject({
      method,
      url: `/api/v1${url}`,
      headers: {
        authorization: `Bearer ${team.keys.owner}`,
        ...(payload && { 'content-type': 'application/json' }),
      },
      ...(payload && { payload }),
    })
  const ids: string[] = []
  for (let made = 0; made < 40; made++) {
    const title = made === 20 ? 'A quwertzian task' : `Task ${made}`
    const body = { project_id: team.project, title }
    ids.push((await send('POST', '/tasks', body)).json().id)
  }
  await send('POST', `/tasks/${ids[20]}/comments`, { body: 'Also quwertzian' })
  await send('DELETE', `/tasks/${ids[20]}`)
  // Events contain the words until they expire, so they are removed here.
  const path = join(config.dataDir, 'docket.db')
  const db = openSqliteWriter(path)
  db.exec('pragma busy_timeout = 5000; delete from events')
  clock.advance(31 * 24 * 60 * 60 * 1000)
  while (await emptyTrash(storage, 30)());
  // The reads of a turn hold a snapshot, which the log is not truncated under.
  await nextTurn()
  truncateWal(db)
  const filesWithWord = () =>
    ['', '-wal'].filter((end) => /quwertzian/i.test(readFileSync(`${path}${end}`, 'latin1')))
  assert.deepEqual(filesWithWord(), [''], 'until its parts are merged the index keeps the words')
  const step = createWordIndexMerge(db)
  while (step());
  assert.equal(step(), false)
  truncateWal(db)
  assert.deepEqual(filesWithWord(), [])
  db.close()
})

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
