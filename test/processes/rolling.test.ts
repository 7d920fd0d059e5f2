import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { BALANCED, balanced } from '../experiments/balanced.ts'
import { emptyDir } from '../support/dir.ts'
import { end, SECRET, settle, start } from '../support/process.ts'
import { contentOf } from '../support/saved.ts'
import { migratedDatabase } from '../support/store.ts'
import { until } from '../support/until.ts'

/** So many writes lie between what happens to the servers. */
const WRITES = 60

/** E22 with two processes: under load each is ended by a signal and started again, one after the other. */
async function rolled(t: TestContext, signal: NodeJS.Signals, turns = 2) {
  const dataDirs = [emptyDir(), emptyDir()]
  const env = { DOCKET_DATABASE_URL: (await migratedDatabase()).url, ...BALANCED }
  const home = await settle(emptyDir(), env)
  const running = await Promise.all(dataDirs.map((dataDir) => start(dataDir, { env })))
  t.after(() => Promise.all(running.map((server) => end(server, 'SIGKILL'))))
  const ports = running.map(({ port }) => port)
  const load = balanced(ports, home, 16)
  const exits: (number | null)[] = []
  const writes = async () => {
    const before = load.acked.length
    await until('writes', () => load.acked.length >= before + WRITES)
  }
  await writes()
  for (const [at, dataDir] of dataDirs.slice(0, turns).entries()) {
    const server = running[at]
    assert.ok(server)
    exits.push(await end(server, signal))
    running[at] = await start(dataDir, { env, port: server.port })
    await writes()
  }
  await load.stop()
  const { tasks } = await contentOf(
    { ...env, DOCKET_DATA_DIR: emptyDir(), DOCKET_SECRET: SECRET },
    home,
  )
  const there = new Set(tasks)
  const lost = load.acked.filter((id) => !there.has(id))
  return { acked: load.acked.length, failed: [...load.failed.keys()], exits, lost, tasks }
}

test('two servers that are started again in turn, under load, fail no request', async (t) => {
  const { acked, failed, exits, lost, tasks } = await rolled(t, 'SIGTERM')
  assert.deepEqual(failed, [])
  assert.deepEqual(exits, [0, 0])
  assert.deepEqual(lost, [])
  assert.equal(tasks.length, acked)
  assert.ok(acked >= 3 * WRITES, `${acked} writes`)
})

test('a server that is killed fails requests, which is found out, and loses nothing', async (t) => {
  const { failed, lost } = await rolled(t, 'SIGKILL', 1)
  assert.notDeepEqual(failed, [])
  assert.deepEqual(lost, [])
})
