import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { openSqliteWriter } from '#db/sqlite/open-sqlite.ts'
import { createWordIndexMerge, truncateWal } from '#db/sqlite/purge-deleted-data.ts'
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
