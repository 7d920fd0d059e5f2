import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { openStore } from '#storage/open.ts'
import { openPool } from '#storage/postgres-pool.ts'
import { configFrom } from '../../src/config.ts'
import { balanced } from '../experiments/balanced.ts'
import { type Beset, beset, CLIENTS } from '../support/beset.ts'
import { type Embedded, embeddedPostgres, urlOf } from '../support/embedded.ts'
import { type Forwarder, forwarder } from '../support/forwarder.ts'
import { freePort } from '../support/process.ts'
import { contentOf } from '../support/saved.ts'
import { asked, type Standby, signalled, standbyOf, waitForStandby } from '../support/standby.ts'

/** Nobody waits longer for an answer, with room for a machine that has other work. */
const ANSWER_MS = 8_000

let primary: Embedded
let standby: Standby
let way: Forwarder
let on: Beset

before(async () => {
  primary = await embeddedPostgres({ durable: true })
  standby = await standbyOf(primary)
  await waitForStandby(primary)
  way = await forwarder(primary.port)
  on = await beset(urlOf(way.port))
})
after(async () => {
  await on.close()
  await way.close()
  await standby.remove()
  await primary.remove()
})

/** Nothing was answered but success and that the database is away just now; and soon. */
function clean(): void {
  on.clean()
  assert.ok(on.load.slowest < ANSWER_MS, `an answer took ${on.load.slowest} ms`)
}
const refused = () => on.load.failed.get('503 unavailable') ?? 0

test('a server that only reads is asked for nothing', async () => {
  way.leadTo(standby.port)
  await pause(500)
  const acks = on.load.acked.length
  assert.equal((await on.ask(0, '/api/v1/tasks?limit=1')).status, 503)
  await pause(500)
  assert.equal(on.load.acked.length, acks)
  way.leadTo(primary.port)
  await on.back()
  clean()
})

test('a server whose commits wait for no standby, though there is one, is refused', async () => {
  const options = encodeURIComponent('-c synchronous_commit=local')
  const risky = { ...on.env, DOCKET_DATABASE_URL: `${primary.url}?options=${options}` }
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
  await on.back()
  clean()
})

test('a commit is no success before the standby has it, even when its waiting is ended', async () => {
  const all = await signalled(standby)
  all('SIGSTOP')
  await pause(1_000)
  const acks = on.load.acked.length
  const waiting = `select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'`
  const cut = await asked(primary.url, async (admin) => (await admin.query(waiting)).rowCount)
  await pause(500)
  const more = on.load.acked.length - acks
  all('SIGCONT')
  assert.ok(cut, 'commits waited')
  assert.equal(more, 0)
  await on.back()
  clean()
})

test('a primary that is killed, and whose standby takes over, costs nothing but 503', async () => {
  await primary.kill()
  await pause(300)
  await standby.promote()
  way.leadTo(standby.port)
  await on.back()
  clean()
})

test('a primary of before that comes back is left alone', async () => {
  await primary.start()
  const acks = on.load.acked.length
  way.leadTo(primary.port)
  await pause(500)
  const reply = await on.ask(1, '/api/v1/tasks?limit=1')
  way.leadTo(standby.port)
  assert.equal(reply.status, 503, 'what it has is old')
  await on.back()
  assert.ok(on.load.acked.length > acks)
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
  for (;;) {
    const told: { left: number; until: string | null }[] = []
    for (const at of [0, 1, 0, 1] as const) {
      const { headers } = await on.ask(at, '/api/v1/me')
      const left = Number(headers.get('x-ratelimit-remaining'))
      told.push({ left, until: headers.get('x-ratelimit-reset') })
    }
    if (new Set(told.map(({ until }) => until)).size === 1) return told.map(({ left }) => left)
  }
}

test('after all that nothing acknowledged is lost, and everything was sent', async () => {
  await on.load.stop()
  clean()
  const [first = 0, ...more] = await remaining()
  assert.deepEqual(more, [first - 1, first - 2, first - 3], 'they count together again')
  await on.whole()
})

test('a standby that nobody waits for loses what was acknowledged', async (t: TestContext) => {
  await on.load.stop()
  const between = await forwarder(standby.port)
  const late = await standbyOf({ ...standby, port: between.port })
  t.after(() => Promise.all([late.remove(), between.close()]))
  between.leadTo(await freePort())
  const more = balanced(on.ports, on.home, CLIENTS, true)
  while (more.acked.length < 20) await pause(10)
  await standby.kill()
  await late.promote()
  way.leadTo(late.port)
  await more.stop()
  const { tasks } = await contentOf(on.env, on.home)
  const lost = new Set(more.acked).difference(new Set(tasks))
  assert.ok(lost.size > 0, `nothing of ${more.acked.length} is lost`)
})
