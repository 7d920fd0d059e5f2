import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openStore } from '#storage/open.ts'
import { configFrom } from '../../src/config.ts'
import { childrenOf } from '../support/children.ts'
import { emptyDir } from '../support/dir.ts'
import { newHome } from '../support/home.ts'
import { oneMinute } from '../support/one-minute.ts'
import { end, SECRET, start } from '../support/process.ts'
import { migratedDatabase } from '../support/store.ts'
import { until } from '../support/until.ts'

const PROCESSES = 2

test('several processes share a port, count together, and one that dies is started again', async (t) => {
  const dataDir = emptyDir()
  const { url } = await migratedDatabase()
  const env = { DOCKET_DATABASE_URL: url, DOCKET_PROCESSES: String(PROCESSES) }
  const limited = { ...env, ...oneMinute(), DOCKET_LIMIT_PAID: '30' }
  const server = await start(dataDir, { env: limited })
  t.after(() => end(server, 'SIGKILL'))
  const { pid } = server.child
  const at = `http://127.0.0.1:${server.port}`
  await until('all processes', () => childrenOf(pid).length === PROCESSES)

  const config = configFrom({ DOCKET_DATA_DIR: dataDir, DOCKET_SECRET: SECRET, ...env })
  const { storage } = await openStore(config)
  const home = await newHome(storage).finally(() => storage.close())
  const me = async () => {
    const headers = { authorization: `Bearer ${home.keys.owner}`, connection: 'close' }
    const reply = await fetch(`${at}/api/v1/me`, { headers })
    await reply.arrayBuffer()
    return reply.status
  }
  const statuses = await Promise.all(Array.from({ length: 40 }, me))
  assert.equal(statuses.filter((status) => status === 200).length, 30)
  assert.equal(statuses.filter((status) => status === 429).length, 10)

  const text = await (await fetch(`${at}/metrics`)).text()
  const counted = [...text.matchAll(/^docket_http_request_duration_seconds_count\{(.*)\} (\d+)$/gm)]
  const ofMe = counted.filter(([, labels = '']) => labels.includes('/api/v1/me'))
  assert.equal(
    ofMe.reduce((sum, [, , count]) => sum + Number(count), 0),
    40,
    'the figures are those of all processes',
  )

  const [first = 0, second = 0] = childrenOf(pid)
  process.kill(second, 'SIGKILL')
  await until('an end', () => !childrenOf(pid).includes(second))
  assert.equal((await fetch(`${at}/healthz`, { headers: { connection: 'close' } })).status, 200)
  await until('all processes', () => childrenOf(pid).length === PROCESSES)
  assert.ok(childrenOf(pid).includes(first))
  assert.equal(await end(server, 'SIGTERM'), 0)
})
