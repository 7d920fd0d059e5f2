import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { openStore } from '#storage/open.ts'
import { openPool } from '#storage/postgres-pool.ts'
import { configFrom } from '../../src/config.ts'
import { balanced } from '../experiments/balanced.ts'
import { type Beset, beset, CLIENTS } from '../support/beset.ts'
import { type Embedded, embeddedPostgres, urlOf } from '../support/embedded.ts'
import { type Forwarder, forwarder } from '../support/forwarder.ts'
import { freePort } from '../support/port.ts'
import { contentOf } from '../support/saved.ts'
import { asked, type Standby, signalled, standbyOf, waitForStandby } from '../support/standby.ts'
import { until } from '../support/until.ts'

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

const refused = () => on.load.failed.get('503 unavailable') ?? 0

/** Waits until clients were answered so often more that the database is away. */
async function untilRefused(times = 2 * CLIENTS): Promise<void> {
  const before = refused()
  await until('503', () => refused() >= before + times)
}

/** Ends when what both servers have answered by now is here. */
const answered = () => Promise.all(([0, 1] as const).map((at) => on.ask(at, '/healthz')))

test('a server that only reads is asked for nothing', async () => {
  way.leadTo(standby.port)
  // What was committed before may still be acknowledged.
  await untilRefused()
  const acks = on.load.acked.length
  assert.equal((await on.ask(0, '/api/v1/tasks?limit=1')).status, 503)
  await untilRefused()
  assert.equal(on.load.acked.length, acks)
  way.leadTo(primary.port)
  await on.back()
  on.clean()
})

test('a server whose commits wait for no standby, though there is one, is refused', async () => {
  const options = encodeURIComponent('-c synchronous_commit=local')
  const risky = { ...on.env, DOCKET_DATABASE_URL: `${primary.url}?options=${options}` }
  await assert.rejects(openStore(configFrom(risky)), /synchronous_commit = local beside/)
})

test('a primary that says nothing any more costs 503, and nobody waits for it', async () => {
  const all = await signalled(primary)
  all('SIGSTOP')
  // It stays as it is until all are answered: they cannot wait for it.
  await untilRefused(CLIENTS).finally(() => all('SIGCONT'))
  await on.back()
  on.clean()
})

test('a commit is no success before the standby has it, even when its waiting is ended', async () => {
  const all = await signalled(standby)
  all('SIGSTOP')
  let more = Number.NaN
  try {
    more = await asked(primary.url, async (admin) => {
      const waiting = "from pg_stat_activity where wait_event = 'SyncRep'"
      const waits = async () => (await admin.query(`select ${waiting}`)).rowCount !== 0
      await until('commits that wait', waits)
      // What the standby had before is acknowledged by then.
      await answered()
      const [acks, before] = [on.load.acked.length, refused()]
      await admin.query(`select pg_cancel_backend(pid) ${waiting}`)
      await until('503', () => refused() > before)
      await answered()
      return on.load.acked.length - acks
    })
  } finally {
    all('SIGCONT')
  }
  assert.equal(more, 0)
  await on.back()
  on.clean()
})

test('a primary that is killed, and whose standby takes over, costs nothing but 503', async () => {
  await primary.kill()
  await untilRefused()
  await standby.promote()
  way.leadTo(standby.port)
  await on.back()
  on.clean()
})

test('a primary of before that comes back is left alone', async () => {
  await primary.start()
  const acks = on.load.acked.length
  way.leadTo(primary.port)
  await untilRefused()
  const reply = await on.ask(1, '/api/v1/tasks?limit=1')
  way.leadTo(standby.port)
  assert.equal(reply.status, 503, 'what it has is old')
  await on.back()
  assert.ok(on.load.acked.length > acks)
  on.clean()
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
  on.clean()
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
  await until('some writes', () => more.acked.length >= 20)
  await standby.kill()
  await late.promote()
  way.leadTo(late.port)
  await more.stop()
  const { tasks } = await contentOf(on.env, on.home)
  const lost = new Set(more.acked).difference(new Set(tasks))
  assert.ok(lost.size > 0, `nothing of ${more.acked.length} is lost`)
})
