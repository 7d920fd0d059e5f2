import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openForWriting } from '#storage/sqlite.ts'
import { mergeWords, truncateLog } from '#storage/sqlite-remains.ts'
import { emptyTrash } from '../../src/upkeep/trash.ts'
import { createTestClock } from '../support/clock.ts'
import { freshDocket } from '../support/fresh.ts'
import { newHome } from '../support/home.ts'

test('of a task that was purged no file of SQLite keeps a word', async () => {
  const clock = createTestClock()
  const { storage, server, config } = await freshDocket('sqlite', {}, { clock })
  const home = await newHome(storage)
  const send = (method: 'POST' | 'DELETE', url: string, payload?: object) =>
    server.inject({
      method,
      url: `/api/v1${url}`,
      headers: {
        authorization: `Bearer ${home.keys.owner}`,
        ...(payload && { 'content-type': 'application/json' }),
      },
      ...(payload && { payload }),
    })
  const ids: string[] = []
  for (let made = 0; made < 40; made++) {
    const title = made === 20 ? 'A quwertzian task' : `Task ${made}`
    const body = { project_id: home.project, title }
    ids.push((await send('POST', '/tasks', body)).json().id)
  }
  await send('POST', `/tasks/${ids[20]}/comments`, { body: 'Also quwertzian' })
  await send('DELETE', `/tasks/${ids[20]}`)
  // Its events tell of it as long as they are kept: they are not what is looked at here.
  const path = join(config.dataDir, 'docket.db')
  const db = openForWriting(path)
  db.exec('pragma busy_timeout = 5000; delete from events')
  clock.advance(31 * 24 * 60 * 60 * 1000)
  while (await emptyTrash(storage, 30)());
  truncateLog(db)
  const lies = () =>
    ['', '-wal'].filter((end) => /quwertzian/i.test(readFileSync(`${path}${end}`, 'latin1')))
  assert.deepEqual(lies(), [''], 'until its parts are merged the index keeps the words')
  const step = mergeWords(db)
  while (step());
  assert.equal(step(), false)
  truncateLog(db)
  assert.deepEqual(lies(), [])
  db.close()
})
