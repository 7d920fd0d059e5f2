import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Task } from '#resources/tasks/fields.ts'
import { openStore } from '#storage/open.ts'
import { configFrom } from '../../src/config.ts'
import { emptyDir } from '../support/dir.ts'
import { ENGINES } from '../support/engines.ts'
import { importAt } from '../support/import-at.ts'
import { freePort } from '../support/port.ts'
import { end, SECRET, settle, start } from '../support/process.ts'
import { eventsOf } from '../support/scenario.ts'
import { sessionOf } from '../support/session.ts'
import { migratedDatabase } from '../support/store.ts'

const ROWS = 400

for (const engine of ENGINES) {
  test(`a server that is killed in an import goes on with it (${engine})`, {
    timeout: 120_000,
  }, async (t) => {
    const dataDir = emptyDir()
    const env: Record<string, string> =
      engine === 'postgres' ? { DOCKET_DATABASE_URL: (await migratedDatabase()).url } : {}
    const home = await settle(dataDir, env)
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const store = () =>
      openStore(configFrom({ ...env, DOCKET_DATA_DIR: dataDir, DOCKET_SECRET: SECRET }))
    const before = await store()
    const { headers } = await sessionOf(before.storage, home, 'admin', url)
    await before.storage.close()

    const first = await start(dataDir, { port, env })
    t.after(() => end(first, 'SIGKILL'))
    const by = importAt(url, headers)
    const lines = Array.from({ length: ROWS }, (_, at) => `Task ${at},tag ${at % 7}`)
    const { id } = await by.upload('Many.csv', `title,tags\n${lines.join('\n')}`)
    await by.until(id, ({ status }) => status === 'ready')
    await by.act(id, 'start')
    await by.until(id, ({ made_count }) => made_count > 0)
    await end(first, 'SIGKILL')

    const second = await start(dataDir, { port, env })
    t.after(() => end(second, 'SIGKILL'))
    const { made_count } = await by.get(id)
    assert.ok(made_count > 0 && made_count < ROWS, `killed after ${made_count}`)
    const done = await by.until(id, ({ status }) => status === 'done')
    assert.deepEqual([done.made_count, done.failed_count], [ROWS, 0])
    await end(second, 'SIGTERM')

    const { storage } = await store()
    const titles = (await eventsOf(storage, home.workspace))
      .filter(({ type }) => type === 'task.created')
      .map(({ payload }) => (JSON.parse(payload) as { data: Task }).data.title)
    await storage.close()
    assert.deepEqual(
      titles,
      Array.from({ length: ROWS }, (_, at) => `Task ${at}`),
    )
  })
}
