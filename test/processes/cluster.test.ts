import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { parseConfig } from '#config/config.ts'
import { openStore } from '#db/installation/open-store.ts'
import { createMigratedDatabase } from '../support/engines/test-database.ts'
import { endServer, startServer } from '../support/server/server-process.ts'
import { listChildProcesses } from '../support/system/child-processes.ts'
import { createTempDir } from '../support/system/temp-dir.ts'
import { TEST_SECRET } from '../support/system/test-secret.ts'
import { waitUntil } from '../support/system/wait-until.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'

const PROCESSES = 2
const SLOW_REQUESTS_MS = 10_000

test('several processes share a port and the rate limit, and a dead one is restarted', async (t) => {
  const dataDir = createTempDir()
  const { url } = await createMigratedDatabase()
  const env = { DOCKET_DATABASE_URL: url, DOCKET_PROCESSES: String(PROCESSES) }
  const server = await startServer(dataDir, {
    entry: 'test/support/server-variants/stopped-clock.ts',
    env: { ...env, TEST_CLOCK: String(Date.now()), DOCKET_LIMIT_PAID: '30' },
  })
  t.after(() => endServer(server, 'SIGKILL'))
  const { pid } = server.child
  const at = `http://127.0.0.1:${server.port}`
  await waitUntil('all processes', () => listChildProcesses(pid).length === PROCESSES)

  const config = parseConfig({ DOCKET_DATA_DIR: dataDir, DOCKET_SECRET: TEST_SECRET, ...env })
  const { storage } = await openStore(config)
  const team = await createTestWorkspace(storage).finally(() => storage.close())
  const me = async () => {
    const headers = { authorization: `Bearer ${team.keys.owner}`, connection: 'close' }
    const reply = await fetch(`${at}/api/v1/me`, { headers })
    await reply.arrayBuffer()
    return reply.status
  }
  // They are counted by the minutes of the database, whose clock goes on.
  const msLeft = 60_000 - (Date.now() % 60_000)
  if (msLeft < SLOW_REQUESTS_MS) await pause(msLeft)
  const statuses = await Promise.all(Array.from({ length: 40 }, me))
  assert.equal(statuses.filter((status) => status === 200).length, 30)
  assert.equal(statuses.filter((status) => status === 429).length, 10)

  // While a process starts, it does not answer for its figures yet.
  await waitUntil('the figures of all processes', async () => {
    const text = await (await fetch(`${at}/metrics`)).text()
    const counted = text.matchAll(/^docket_http_request_duration_seconds_count\{(.*)\} (\d+)$/gm)
    const ofMe = [...counted].filter(([, labels = '']) => labels.includes('/api/v1/me'))
    return ofMe.reduce((sum, [, , count]) => sum + Number(count), 0) === 40
  })

  const [first = 0, second = 0] = listChildProcesses(pid)
  process.kill(second, 'SIGKILL')
  await waitUntil('an end', () => !listChildProcesses(pid).includes(second))
  assert.equal((await fetch(`${at}/healthz`, { headers: { connection: 'close' } })).status, 200)
  await waitUntil('all processes', () => listChildProcesses(pid).length === PROCESSES)
  assert.ok(listChildProcesses(pid).includes(first))
  assert.equal(await endServer(server, 'SIGTERM'), 0)
})
