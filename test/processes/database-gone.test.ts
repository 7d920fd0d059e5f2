import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { openStore } from '#storage/open.ts'
import { configFrom } from '../../src/config.ts'
import { type Balanced, balanced } from '../experiments/balanced.ts'
import { emptyDir } from '../support/dir.ts'
import { type Embedded, embeddedPostgres } from '../support/embedded.ts'
import { type Home, newHome } from '../support/home.ts'
import { type Live, openLive } from '../support/live.ts'
import { end, type Running, SECRET, start } from '../support/process.ts'
import { RECEIVED_SECRET, type Receiver, receiver } from '../support/receiver.ts'
import { contentOf } from '../support/saved.ts'
import { sessionOf } from '../support/session.ts'

/** So long after PostgreSQL is up again everything goes on (E15). */
const BACK_MS = 10_000
const DOWN_MS = 700
const CLIENTS = 12

let postgres: Embedded
let home: Home
let there: Receiver
let live: Live
let load: Balanced
let env: Record<string, string>
const running: Running[] = []

before(async () => {
  postgres = await embeddedPostgres()
  env = {
    DOCKET_DATA_DIR: emptyDir(),
    DOCKET_SECRET: SECRET,
    DOCKET_DATABASE_URL: postgres.url,
    DOCKET_WEBHOOK_ALLOW_PRIVATE: '1',
  }
  const { storage } = await openStore(configFrom(env))
  home = await newHome(storage)
  const { headers } = await sessionOf(storage, home, 'owner')
  await storage.close()
  there = await receiver()
  running.push(...(await Promise.all([0, 1].map(() => start(emptyDir(), { env })))))
  const reply = await fetch(`http://127.0.0.1:${running[0]?.port}/api/v1/webhooks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${home.keys.owner}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url: there.urlOf('hook'), events: ['*'], secret: RECEIVED_SECRET }),
  })
  assert.equal(reply.status, 201, await reply.text())
  live = await openLive(running[1]?.port ?? 0, headers)
  load = balanced(portsOf(running), home, CLIENTS, true)
  await pause(300)
})
after(async () => {
  await load.stop()
  live.close()
  await Promise.all(running.map((server) => end(server, 'SIGKILL')))
  await there.close()
  await postgres.remove()
})

const portsOf = (servers: readonly Running[]) => servers.map(({ port }) => port)

/** Waits until all is as it should be: writes are acknowledged, and who looks on is told of them. */
async function back(): Promise<void> {
  const from = performance.now()
  const [acks, told] = [load.acked.length, live.heard.length]
  while (load.acked.length < acks + 50 || live.heard.length < told + 2) {
    assert.ok(performance.now() - from < BACK_MS, `${load.acked.length - acks} writes since`)
    await pause(10)
  }
}

/** Nothing was answered but success and that the database is away just now. */
const clean = () => assert.deepEqual(new Set(load.failed.keys()).difference(CLEAN), new Set())
const CLEAN = new Set(['503 unavailable'])

test('a restart of PostgreSQL under load costs nothing but 503', async () => {
  await postgres.stop()
  await pause(DOWN_MS)
  await postgres.start()
  await back()
  clean()
  assert.ok(load.failed.size > 0, 'it was away')
})

test('so does a crash', async () => {
  await postgres.kill()
  await pause(DOWN_MS)
  await postgres.start()
  await back()
  clean()
})

test('so does the end of all its connections, five times in a second', async () => {
  const admin = new pg.Client(postgres.url)
  await admin.connect()
  for (let times = 0; times < 5; times += 1) {
    const { rowCount } = await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where application_name like 'docket%'`)
    assert.ok(rowCount)
    await pause(200)
  }
  await admin.end()
  await back()
  clean()
})

test('after all that nothing acknowledged is lost, and everything was sent', async () => {
  await load.stop()
  clean()
  const { tasks } = await contentOf(env, home)
  const lost = new Set(load.acked).difference(new Set(tasks))
  assert.deepEqual([...lost], [])
  assert.equal(new Set(load.acked).size, load.acked.length)
  // What a client asked for last may be there without its knowing; all else it asked for again.
  assert.ok(tasks.length <= load.acked.length + CLIENTS, 'nothing is there twice')
  const sent = () => new Set([...there.events.values()].map(({ subject }) => subject))
  for (const from = performance.now(); new Set(tasks).difference(sent()).size > 0; ) {
    assert.ok(performance.now() - from < BACK_MS, `${sent().size} of ${tasks.length} were sent`)
    await pause(50)
  }
  assert.deepEqual([...there.wrong], [])
})

test('a server that answers before PostgreSQL has committed is found out by a crash', async () => {
  await load.stop()
  const slow = { ...env, NODE_OPTIONS: '--import ./test/support/slow-commit.ts' }
  const server = await start(emptyDir(), { env: slow, entry: 'test/support/early-reply.ts' })
  running.push(server)
  const more = balanced([server.port], home, CLIENTS, true)
  while (more.acked.length === 0) await pause(2)
  await postgres.kill()
  await more.stop()
  await postgres.start()
  const { tasks } = await contentOf(env, home)
  const lost = new Set(more.acked).difference(new Set(tasks))
  assert.ok(lost.size > 0, `nothing of ${more.acked.length} is lost`)
})
