import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { wrongWith } from '../experiments/check.ts'
import { type Asked, create, send } from '../experiments/load.ts'
import { emptyDir } from '../support/dir.ts'
import type { Home } from '../support/home.ts'
import { end, settle } from '../support/process.ts'
import { PROCESSES, type Several, startSeveral, until } from '../support/several.ts'

/** What came of the requests since it was emptied. */
interface Came {
  /** Statuses, by method; 0 is a connection that was cut. */
  statuses: { method: string; status: number; at: number }[]
  log: Asked[]
}

test('the one that writes is killed under load: nothing is lost, reads go on, and it comes back', async (t) => {
  const dataDir = emptyDir()
  const home = await settle(dataDir)
  const server = await startSeveral(dataDir)
  t.after(() => end(server, 'SIGKILL'))
  const came: Came = { statuses: [], log: [] }
  const load = loadOn(server, home, came)
  for (let round = 1; round <= 2; round += 1) {
    await until(() => since(came, 0, 'POST', 201) > 20 * round)
    const victim = server.writer() ?? 0
    process.kill(victim, 'SIGKILL')
    const at = performance.now()
    await until(() => since(came, at, 'POST', 201) > PROCESSES, 10_000)
    const back = firstOf(came, at, 'POST', 201)
    assert.ok(back - at < 5_000, `back after ${back - at} ms`)
    const read = came.statuses.filter(
      (one) => one.method === 'GET' && one.status === 200 && one.at > at && one.at < back,
    )
    assert.ok(read.length > 0, 'reads went on')
    await server.whole(PROCESSES + round)
  }
  await load.stop()

  // On the connections of the one that was killed: cut. All others: an error that says what to do.
  const kinds = new Set(came.statuses.map(({ method, status }) => `${method} ${status}`))
  assert.deepEqual(
    [...kinds].filter((kind) => !/^(GET (200|0)|POST (201|503|0))$/.test(kind)),
    [],
  )
  assert.ok(kinds.has('POST 503'), 'some were handed to one that was not there')
  // What is open is done once when it is asked for again.
  const agent = new Agent({ keepAlive: true })
  const open = came.log.filter(({ ackedAt }) => ackedAt === undefined)
  for (const asked of open) await create(agent, server.port, home, asked)
  agent.destroy()
  assert.equal(await end(server, 'SIGTERM'), 0)
  assert.deepEqual(wrongWith(join(dataDir, 'docket.db'), came.log), [])
})

test('one that reads is killed under load: the others go on, and it comes back', async (t) => {
  const dataDir = emptyDir()
  const home = await settle(dataDir)
  const server = await startSeveral(dataDir)
  t.after(() => end(server, 'SIGKILL'))
  const came: Came = { statuses: [], log: [] }
  const load = loadOn(server, home, came)
  await until(() => since(came, 0, 'POST', 201) > 20)
  const [victim = 0] = server.readers()
  process.kill(victim, 'SIGKILL')
  await server.whole(PROCESSES + 1)
  assert.ok(!server.readers().includes(victim))
  await load.stop()
  const bad = came.statuses.filter(({ status }) => ![200, 201, 0].includes(status))
  assert.deepEqual(bad, [])
  assert.equal(await end(server, 'SIGTERM'), 0)
  const open = came.log.filter(({ ackedAt }) => ackedAt === undefined)
  const acked = came.log.filter((asked) => !open.includes(asked))
  assert.ok(acked.length > 20)
  assert.deepEqual(wrongWith(join(dataDir, 'docket.db'), acked), [])
})

test('a parent that is killed takes all with it, and the next one starts', async () => {
  const dataDir = emptyDir()
  await settle(dataDir)
  const first = await startSeveral(dataDir)
  await end(first, 'SIGKILL')
  const second = await startSeveral(dataDir)
  assert.equal(await end(second, 'SIGTERM'), 0)
})

/** Clients that write, and as many that read, each on a connection that it makes anew when it is cut. */
function loadOn({ port }: Several, home: Home, came: Came) {
  let isOver = false
  const told = (method: string, status: number) =>
    came.statuses.push({ method, status, at: performance.now() })

  async function client(method: 'GET' | 'POST') {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    while (!isOver) {
      told(method, await (method === 'GET' ? read(agent) : write(agent)))
      await pause(20)
    }
    agent.destroy()
  }

  function read(agent: Agent): Promise<number> {
    const headers = { authorization: `Bearer ${home.keys.owner}` }
    return send(agent, port, 'GET', '/api/v1/tasks?limit=5', headers).then(
      ({ status }) => status,
      () => 0,
    )
  }

  async function write(agent: Agent): Promise<number> {
    const name = `${process.pid}-${came.log.length}`
    const asked: Asked = { key: `key-${name}`, title: name, sentAt: process.hrtime.bigint() }
    came.log.push(asked)
    try {
      return (await create(agent, port, home, asked)).status
    } catch (error) {
      return Number(/^Error: (\d{3}) /.exec(String(error))?.[1] ?? 0)
    }
  }

  const all = Promise.all(
    Array.from({ length: 4 * PROCESSES }, (_, at) => client(at % 2 === 0 ? 'GET' : 'POST')),
  )
  return {
    stop() {
      isOver = true
      return all
    },
  }
}

const since = (came: Came, at: number, method: string, status: number): number =>
  came.statuses.filter((one) => one.method === method && one.status === status && one.at > at)
    .length

const firstOf = (came: Came, at: number, method: string, status: number): number =>
  came.statuses.find((one) => one.method === method && one.status === status && one.at > at)?.at ??
  Number.POSITIVE_INFINITY
