import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { openStore } from '#storage/open.ts'
import { configFrom } from '../../src/config.ts'
import { wrongAtTheEnd } from '../experiments/bad-sink-check.ts'
import { emptyDir } from '../support/dir.ts'
import { type Home, newHome } from '../support/home.ts'
import type { Manner } from '../support/manners.ts'
import { end, type Running, SECRET, start } from '../support/process.ts'
import { RECEIVED_SECRET, type Receiver, receiver } from '../support/receiver.ts'
import { emptyDatabase } from '../support/store.ts'

/** More than a server needs to write down how attempts went that have ended. */
const RECORDED_MS = 2_000

type Ended = { after(undo: () => unknown): void }

/** Servers on one store, a workspace in it, and a receiver that answers in the `manner` of the moment. */
async function world(t: Ended, servers: number, databaseUrl?: string) {
  const dataDir = emptyDir()
  const env = {
    DOCKET_WEBHOOK_RETRY_SECONDS: Array(50).fill('1').join(),
    ...(databaseUrl && { DOCKET_DATABASE_URL: databaseUrl }),
  }
  const config = configFrom({ DOCKET_DATA_DIR: dataDir, DOCKET_SECRET: SECRET, ...env })
  const { storage } = await openStore(config)
  const home = await newHome(storage).finally(() => storage.close())
  const sink: { manner: Manner } = { manner: 'ok' }
  const there = await receiver(() => sink.manner)
  t.after(() => there.close())
  const starting = async () => {
    const server = await start(dataDir, { env })
    t.after(() => end(server, 'SIGKILL'))
    return server
  }
  const running: Running[] = []
  for (let at = 0; at < servers; at++) running.push(await starting())
  const body = { url: there.urlOf('hook'), events: ['*'], secret: RECEIVED_SECRET }
  await post(running[0], home, '/api/v1/webhooks', body)
  return { home, sink, there, running, starting }
}

async function post(server: Running | undefined, { keys }: Home, path: string, body: object) {
  const reply = await fetch(`http://127.0.0.1:${server?.port}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${keys.owner}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  assert.equal(reply.status, 201, await reply.text())
}

const task = (server: Running | undefined, home: Home) =>
  post(server, home, '/api/v1/tasks', { project_id: home.project, title: 'Ship it' })

/** Waits until it is so; gives the milliseconds that it took. */
async function until(done: () => boolean | Promise<boolean>, patience: number): Promise<number> {
  const from = performance.now()
  while (!(await done())) {
    assert.ok(performance.now() - from < patience, `not within ${patience} ms`)
    await pause(20)
  }
  return performance.now() - from
}

const distinct = ({ received }: Receiver) => received.size

test('a server that is started after a kill sends at once what the killed one owed', async (t) => {
  const { home, sink, there, running, starting } = await world(t, 1)
  const [server] = running
  sink.manner = 'hang'
  for (let count = 0; count < 5; count++) await task(server, home)
  await until(() => there.arrivals.length > 0, 5_000)
  if (server) await end(server, 'SIGKILL')
  sink.manner = 'ok'
  await starting()
  const ms = await until(() => distinct(there) === 5, 10_000)
  assert.ok(ms < 5_000, `${Math.round(ms)} ms`)
})

// Beside each other: they wait for a lease most of the time.
suite('two servers on one PostgreSQL', { concurrency: 2 }, () => {
  const databases: Awaited<ReturnType<typeof emptyDatabase>>[] = []
  before(async () => {
    for (let count = 0; count < 2; count++) databases.push(await emptyDatabase())
  })

  for (const signal of ['SIGKILL', 'SIGSTOP'] as const) {
    test(`when one of two servers ends by ${signal}, the other sends what it owed within a minute`, async (t) => {
      const database = databases.pop()
      assert.ok(database)
      const { url, admin } = database
      const { home, sink, there, running } = await world(t, 2, url)
      await task(running[0], home)
      await until(() => distinct(there) === 1, 5_000)
      const holder = await holderOf(running)
      const other = running.find((one) => one !== holder)
      sink.manner = 'hang'
      for (let count = 0; count < 4; count++) await task(other, home)
      await until(() => there.arrivals.length > 1, 5_000)
      holder?.child.kill(signal)
      const hung = there.arrivals.length - 1
      sink.manner = 'ok'
      const ms = await until(() => distinct(there) === 5, 60_000)
      assert.ok(ms > 10_000, `${Math.round(ms)} ms: the lease was not waited for`)
      if (signal === 'SIGSTOP') {
        await pause(500)
        const before = await attemptsIn(admin)
        holder?.child.kill('SIGCONT')
        await until(async () => (await attemptsOf(holder)) > hung, 15_000)
        await pause(RECORDED_MS)
        assert.deepEqual(await attemptsIn(admin), before, 'late results are dropped')
      }
      await task(other, home)
      await until(() => distinct(there) === 6, 5_000)
      await until(async () => (await leftIn(admin)) === 0, 5_000)
      const ask = async (sql: string) => (await admin.query(sql)).rows
      assert.deepEqual(await wrongAtTheEnd(ask), [])
      assert.deepEqual([...there.wrong], [])
    })
  }
})

/** The one of the servers that has sent something. */
async function holderOf(running: readonly Running[]): Promise<Running | undefined> {
  for (const server of running) if ((await attemptsOf(server)) > 0) return server
  throw new Error('Nobody has sent anything')
}

/** How many attempts of a server have ended, whether or not they counted. */
async function attemptsOf(server: Running | undefined): Promise<number> {
  const figures = await (await fetch(`http://127.0.0.1:${server?.port}/metrics`)).text()
  const counts = figures.matchAll(/^docket_webhook_attempts_total\{.*\} (\d+)/gm)
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0)
}

const leftIn = async (admin: pg.Client): Promise<number> =>
  (await admin.query('select sum(pending_count)::int as waiting from webhooks')).rows[0].waiting

const attemptsIn = async (admin: pg.Client): Promise<unknown[]> =>
  (await admin.query('select delivery_id, number, error from delivery_attempts order by 1, 2')).rows
