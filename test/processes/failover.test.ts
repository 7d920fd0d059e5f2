import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { openStore } from '#storage/open.ts'
import { openPool } from '#storage/postgres-pool.ts'
import { configFrom } from '../../src/config.ts'
import { type Balanced, balanced } from '../experiments/balanced.ts'
import { emptyDir } from '../support/dir.ts'
import { type Embedded, embeddedPostgres, urlOf } from '../support/embedded.ts'
import { type Forwarder, forwarder } from '../support/forwarder.ts'
import { type Home, newHome } from '../support/home.ts'
import { type Live, openLive } from '../support/live.ts'
import { end, freePort, type Running, SECRET, start } from '../support/process.ts'
import { RECEIVED_SECRET, type Receiver, receiver } from '../support/receiver.ts'
import { contentOf } from '../support/saved.ts'
import { sessionOf } from '../support/session.ts'
import { asked, type Standby, signalled, standbyOf, waitForStandby } from '../support/standby.ts'

/** So long after a primary is there again everything goes on (E15). */
const BACK_MS = 10_000
/** Nobody waits longer for an answer, with room for a machine that has other work. */
const ANSWER_MS = 8_000
const CLIENTS = 12

let primary: Embedded
let standby: Standby
let way: Forwarder
let home: Home
let there: Receiver
let live: Live
let load: Balanced
let env: Record<string, string>
const running: Running[] = []

before(async () => {
  primary = await embeddedPostgres()
  standby = await standbyOf(primary)
  await waitForStandby(primary)
  way = await forwarder(primary.port)
  env = {
    DOCKET_DATA_DIR: emptyDir(),
    DOCKET_SECRET: SECRET,
    DOCKET_DATABASE_URL: urlOf(way.port),
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
  await way.close()
  await standby.remove()
  await primary.remove()
})

const portsOf = (servers: readonly Running[]) => servers.map(({ port }) => port)

/** Waits until all is as it should be: writes are acknowledged, and who looks on is told of them. */
async function back(): Promise<void> {
  const from = performance.now()
  const [acks, told] = [load.acked.length, live.heard.length]
  while (load.acked.length < acks + 20 || live.heard.length < told + 2) {
    assert.ok(performance.now() - from < BACK_MS, `${load.acked.length - acks} writes since`)
    await pause(10)
  }
}

/** Nothing was answered but success and that the database is away just now; and soon. */
function clean(): void {
  assert.deepEqual(new Set(load.failed.keys()).difference(CLEAN), new Set())
  assert.ok(load.slowest < ANSWER_MS, `an answer took ${load.slowest} ms`)
}
const CLEAN = new Set(['503 unavailable'])
const refused = () => load.failed.get('503 unavailable') ?? 0

test('a server that only reads is asked for nothing', async () => {
  way.leadTo(standby.port)
  await pause(500)
  const acks = load.acked.length
  const reading = fetch(`http://127.0.0.1:${running[0]?.port}/api/v1/tasks?limit=1`, {
    headers: { authorization: `Bearer ${home.keys.owner}` },
  })
  assert.equal((await reading).status, 503)
  await pause(500)
  assert.equal(load.acked.length, acks)
  way.leadTo(primary.port)
  await back()
  clean()
})

test('a server whose commits wait for no standby, though there is one, is refused', async () => {
  const options = encodeURIComponent('-c synchronous_commit=local')
  const risky = { ...env, DOCKET_DATABASE_URL: `${primary.url}?options=${options}` }
  await assert.rejects(openStore(configFrom(risky)), /synchronous_commit = local beside/)
})

test('a primary that says nothing any more costs 503, and nobody waits long', async () => {
  const all = await signalled(primary)
  const before = refused()
  all('SIGSTOP')
  await pause(7_000)
  const refusedInTime = refused() - before
  all('SIGCONT')
  assert.ok(refusedInTime >= CLIENTS, `${refusedInTime} of ${CLIENTS} clients were answered`)
  await back()
  clean()
})

test('a commit is no success before the standby has it, even when its waiting is ended', async () => {
  const all = await signalled(standby)
  all('SIGSTOP')
  await pause(1_000)
  const acks = load.acked.length
  const waiting = `select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'`
  const cut = await asked(primary.url, async (admin) => (await admin.query(waiting)).rowCount)
  await pause(500)
  const more = load.acked.length - acks
  all('SIGCONT')
  assert.ok(cut, 'commits waited')
  assert.equal(more, 0)
  await back()
  clean()
})

test('a primary that is killed, and whose standby takes over, costs nothing but 503', async () => {
  await primary.kill()
  await pause(300)
  await standby.promote()
  way.leadTo(standby.port)
  await back()
  clean()
})

test('a primary of before that comes back is left alone', async () => {
  await primary.start()
  const acks = load.acked.length
  way.leadTo(primary.port)
  await pause(500)
  const { port = 0 } = running[1] ?? {}
  const reply = await fetch(`http://127.0.0.1:${port}/api/v1/tasks?limit=1`, {
    headers: { authorization: `Bearer ${home.keys.owner}` },
  })
  way.leadTo(standby.port)
  assert.equal(reply.status, 503, 'what it has is old')
  await back()
  assert.ok(load.acked.length > acks)
  clean()
})

test('connections to a primary of before end when the new one is seen', async (t) => {
  const name = await forwarder(primary.port)
  const pool = openPool({ url: urlOf(name.port), isPrimary: true })
  // Not waited for: a test that fails has given nothing back.
  t.after(() => Promise.race([pool.end(), name.close()]))
  const [used, idle] = await Promise.all([pool.connect(), pool.connect()])
  idle.release()
  name.leadNewTo(standby.port)
  // All that there are are taken: the next one is new.
  const taken = await pool.connect()
  const fresh = await pool.connect()
  await assert.rejects(used.query('select 1'), ENDED)
  await assert.rejects(taken.query('select 1'), ENDED)
  const { rows } = await fresh.query('show port')
  for (const client of [used, taken, fresh]) client.release()
  assert.deepEqual(rows, [{ port: String(standby.port) }])
})

const ENDED = /terminated|not queryable/

/** What is left of the minute, as the servers tell it in turn; within one minute. */
async function remaining(): Promise<number[]> {
  const asks = [...portsOf(running), ...portsOf(running)]
  for (;;) {
    const told: { left: number; until: string | null }[] = []
    for (const port of asks) {
      const { headers } = await fetch(`http://127.0.0.1:${port}/api/v1/me`, {
        headers: { authorization: `Bearer ${home.keys.owner}` },
      })
      const left = Number(headers.get('x-ratelimit-remaining'))
      told.push({ left, until: headers.get('x-ratelimit-reset') })
    }
    if (new Set(told.map(({ until }) => until)).size === 1) return told.map(({ left }) => left)
  }
}

test('after all that nothing acknowledged is lost, and everything was sent', async () => {
  await load.stop()
  clean()
  const [first = 0, ...more] = await remaining()
  assert.deepEqual(more, [first - 1, first - 2, first - 3], 'they count together again')
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

test('a standby that nobody waits for loses what was acknowledged', async (t: TestContext) => {
  await load.stop()
  const between = await forwarder(standby.port)
  const late = await standbyOf({ ...standby, port: between.port })
  t.after(() => Promise.all([late.remove(), between.close()]))
  between.leadTo(await freePort())
  const more = balanced(portsOf(running), home, CLIENTS, true)
  while (more.acked.length < 20) await pause(10)
  await standby.kill()
  await late.promote()
  way.leadTo(late.port)
  await more.stop()
  const { tasks } = await contentOf(env, home)
  const lost = new Set(more.acked).difference(new Set(tasks))
  assert.ok(lost.size > 0, `nothing of ${more.acked.length} is lost`)
})
