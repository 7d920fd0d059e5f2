import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { parseConfig } from '#config/config.ts'
import { openStore } from '#db/installation/open-store.ts'
import { CLI_ENTRY, SERVER_ENTRY } from '../cli/run-cli.ts'
import { createMigratedDatabase } from '../support/engines/test-database.ts'
import { endServer, startServer } from '../support/server/server-process.ts'
import { createTempDir } from '../support/system/temp-dir.ts'
import { TEST_SECRET } from '../support/system/test-secret.ts'
import { waitUntil } from '../support/system/wait-until.ts'
import { RECEIVER_SECRET, startVerifyingReceiver } from '../support/webhooks/verifying-receiver.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'

test('a `work` process delivers events of requests to a `serve` process', async (t) => {
  const dataDir = createTempDir()
  const { url, admin } = await createMigratedDatabase()
  const env = { DOCKET_DATABASE_URL: url }
  const config = parseConfig({ DOCKET_DATA_DIR: dataDir, DOCKET_SECRET: TEST_SECRET, ...env })
  const { storage } = await openStore(config)
  const team = await createTestWorkspace(storage).finally(() => storage.close())
  const webhookReceiver = await startVerifyingReceiver()
  t.after(() => webhookReceiver.close())
  const serveProcess = await startServer(dataDir, { env, role: 'serve' })
  t.after(() => endServer(serveProcess, 'SIGKILL'))
  const ask = (port: number, path: string, body?: object) =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
      headers: { authorization: `Bearer ${team.keys.owner}`, 'content-type': 'application/json' },
    })
  const hook = {
    url: webhookReceiver.urlOf('hook'),
    events: ['task.created'],
    secret: RECEIVER_SECRET,
  }
  assert.equal((await ask(serveProcess.port, '/api/v1/webhooks', hook)).status, 201)
  const task = { project_id: team.project, title: 'Ship it' }
  assert.equal((await ask(serveProcess.port, '/api/v1/tasks', task)).status, 201)
  // A process that delivers inserts its row into `dispatchers` before it is ready.
  const countDispatchers = async () => (await admin.query('select from dispatchers')).rowCount
  assert.deepEqual(
    [await countDispatchers(), webhookReceiver.arrivals.length],
    [0, 0],
    'who only serves delivers nothing',
  )

  const workProcess = await startServer(dataDir, { env, role: 'work' })
  t.after(() => endServer(workProcess, 'SIGKILL'))
  await waitUntil('the delivery', () => webhookReceiver.arrivals.length > 0)
  assert.equal(await countDispatchers(), 1)
  assert.deepEqual([...webhookReceiver.wrong], [])
  assert.equal((await ask(workProcess.port, '/healthz')).status, 200)
  assert.equal((await ask(workProcess.port, '/metrics')).status, 200)
  for (const path of ['/api/v1/me', '/', '/sign-in', '/oauth/authorize']) {
    assert.equal((await ask(workProcess.port, path)).status, 404, path)
  }
  assert.equal(await endServer(workProcess, 'SIGTERM'), 0)
  assert.equal(await endServer(serveProcess, 'SIGTERM'), 0)
  assert.equal(webhookReceiver.arrivals.length, 1)
})

test('refuses an invalid process role at the start', async () => {
  const runUntilExit = async (entry: string, word: string) => {
    const child = spawn(process.execPath, [entry, word], {
      env: { ...process.env, DOCKET_DATA_DIR: createTempDir(), DOCKET_PORT: '0' },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let output = ''
    child.stderr.on('data', (text) => {
      output += text
    })
    const [code] = await once(child, 'exit')
    return { code, output }
  }
  for (const [entry, word, why] of [
    [SERVER_ENTRY, 'rest', /Unexpected argument: .*serve, work, or none/],
    [SERVER_ENTRY, 'work', /require PostgreSQL: set DOCKET_DATABASE_URL/],
    [CLI_ENTRY, 'serve', /require PostgreSQL: set DOCKET_DATABASE_URL/],
  ] as const) {
    const { code, output } = await runUntilExit(entry, word)
    assert.equal(code, 78, `${entry} ${word}: ${output}`)
    assert.match(output, why)
  }
})
