import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { wrongWith } from '../experiments/check.ts'
import { type Asked, create, send } from '../experiments/load.ts'
import { emptyDir } from '../support/dir.ts'
import type { Home } from '../support/home.ts'
import { end, settle } from '../support/process.ts'
import { PROCESSES, type Several, startSeveral } from '../support/several.ts'
import { until } from '../support/until.ts'

/** What came of a request; the status 0 is a connection that was cut. */
interface Outcome {
  method: string
  status: number
  at: number
}

interface Came {
  statuses: Outcome[]
  log: Asked[]
}

const dataDir = emptyDir()
const came: Came = { statuses: [], log: [] }
let home: Home
let server: Several
let load: { stop(): Promise<unknown> }

before(async () => {
  home = await settle(dataDir)
  server = await startSeveral(dataDir)
  load = loadOn(server, home)
})
after(async () => {
  await load.stop()
  await end(server, 'SIGKILL')
})

test('the one that writes is killed under load: reads go on, and it comes back', async () => {
  await until('writes', () => count(0, 'POST', 201) > 20)
  process.kill(server.writer() ?? 0, 'SIGKILL')
  const at = performance.now()
  // What it had acknowledged still comes in: it is gone when one is handed to it in vain.
  await until('503', () => count(at, 'POST', 503) > 0)
  const gone = came.statuses.find((one) => isOne(one, at, 'POST', 503))?.at ?? Number.NaN
  await until('writes again', () => count(gone, 'POST', 201) > PROCESSES)
  const back = came.statuses.find((one) => isOne(one, gone, 'POST', 201))?.at ?? Number.NaN
  const reads = came.statuses.filter((one) => isOne(one, at, 'GET', 200) && one.at < back)
  assert.ok(reads.length > 0, 'reads went on')
  await server.whole(PROCESSES + 1)
})

test('one that reads is killed under load: the others go on, and it comes back', async () => {
  const [victim = 0] = server.readers()
  process.kill(victim, 'SIGKILL')
  const at = performance.now()
  await server.whole(PROCESSES + 2)
  assert.ok(!server.readers().includes(victim))
  await until('writes', () => count(at, 'POST', 201) > 0)
  assert.equal(count(at, 'POST', 503), 0)
})

test('all are killed with their parent, the next ones start, and nothing acknowledged was lost', async () => {
  await end(server, 'SIGKILL')
  await load.stop()
  // On the connections of what was killed: cut. On all others: an error that says what to do.
  const kinds = new Set(came.statuses.map(({ method, status }) => `${method} ${status}`))
  const known = ['GET 200', 'GET 0', 'POST 201', 'POST 503', 'POST 0']
  assert.deepEqual([...kinds.difference(new Set(known))], [])
  server = await startSeveral(dataDir)
  // What is open is done once when it is asked for again.
  const agent = new Agent({ keepAlive: true })
  const open = came.log.filter(({ ackedAt }) => ackedAt === undefined)
  for (const asked of open) await create(agent, server.port, home, asked)
  agent.destroy()
  assert.equal(await end(server, 'SIGTERM'), 0)
  assert.deepEqual(wrongWith(join(dataDir, 'docket.db'), came.log), [])
})

/** Clients that write, and as many that read, each on a connection that it makes anew when it is cut. */
function loadOn({ port }: Several, home: Home) {
  let isOver = false
  const told = (method: string, status: number) =>
    came.statuses.push({ method, status, at: performance.now() })

  async function client(method: 'GET' | 'POST') {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    while (!isOver) {
      const status = await (method === 'GET' ? read(agent) : write(agent))
      told(method, status)
      await pause(status < 300 && status > 0 ? 20 : 200)
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

const isOne = (one: Outcome, after: number, method: string, status: number): boolean =>
  one.method === method && one.status === status && one.at > after

const count = (after: number, method: string, status: number): number =>
  came.statuses.filter((one) => isOne(one, after, method, status)).length
