import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { openStore } from '#storage/open.ts'
import { configFrom } from '../../src/config.ts'
import { emptyDir } from '../support/dir.ts'
import { newHome } from '../support/home.ts'
import { end, SECRET, start } from '../support/process.ts'
import { RECEIVED_SECRET, receiver } from '../support/receiver.ts'
import { migratedDatabase } from '../support/store.ts'
import { until } from '../support/until.ts'

test('one process serves and another works: what one is asked the other delivers', async (t) => {
  const dataDir = emptyDir()
  const { url, admin } = await migratedDatabase()
  const env = { DOCKET_DATABASE_URL: url }
  const config = configFrom({ DOCKET_DATA_DIR: dataDir, DOCKET_SECRET: SECRET, ...env })
  const { storage } = await openStore(config)
  const home = await newHome(storage).finally(() => storage.close())
  const there = await receiver()
  t.after(() => there.close())
  const serving = await start(dataDir, { env, part: 'serve' })
  t.after(() => end(serving, 'SIGKILL'))
  const ask = (port: number, path: string, body?: object) =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
      headers: { authorization: `Bearer ${home.keys.owner}`, 'content-type': 'application/json' },
    })
  const hook = { url: there.urlOf('hook'), events: ['task.created'], secret: RECEIVED_SECRET }
  assert.equal((await ask(serving.port, '/api/v1/webhooks', hook)).status, 201)
  const task = { project_id: home.project, title: 'Ship it' }
  assert.equal((await ask(serving.port, '/api/v1/tasks', task)).status, 201)
  // A process that delivers inserts its row there before it serves.
  const deliver = async () => (await admin.query('select from dispatchers')).rowCount
  assert.deepEqual(
    [await deliver(), there.arrivals.length],
    [0, 0],
    'who only serves delivers nothing',
  )

  const working = await start(dataDir, { env, part: 'work' })
  t.after(() => end(working, 'SIGKILL'))
  await until('the delivery', () => there.arrivals.length > 0)
  assert.equal(await deliver(), 1)
  assert.deepEqual([...there.wrong], [])
  assert.equal((await ask(working.port, '/healthz')).status, 200)
  assert.equal((await ask(working.port, '/metrics')).status, 200)
  for (const path of ['/api/v1/me', '/', '/sign-in', '/oauth/authorize']) {
    assert.equal((await ask(working.port, path)).status, 404, path)
  }
  assert.equal(await end(working, 'SIGTERM'), 0)
  assert.equal(await end(serving, 'SIGTERM'), 0)
  assert.equal(there.arrivals.length, 1)
})

test('a part that cannot be is refused at the start, by either way to say it', async () => {
  const began = async (entry: string, word: string) => {
    const child = spawn(process.execPath, [join(import.meta.dirname, '../..', entry), word], {
      env: { ...process.env, DOCKET_DATA_DIR: emptyDir(), DOCKET_PORT: '0' },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let said = ''
    child.stderr.on('data', (text) => {
      said += text
    })
    const [code] = await once(child, 'exit')
    return { code, said }
  }
  for (const [entry, word, why] of [
    ['src/main.ts', 'rest', /serve, work, or nothing/],
    ['src/main.ts', 'work', /needs DOCKET_DATABASE_URL/],
    ['src/cli/main.ts', 'serve', /needs DOCKET_DATABASE_URL/],
  ] as const) {
    const { code, said } = await began(entry, word)
    assert.equal(code, 78, `${entry} ${word}: ${said}`)
    assert.match(said, why)
  }
})
