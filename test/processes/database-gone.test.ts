import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { balanced } from '../experiments/balanced.ts'
import { type Beset, beset, CLIENTS } from '../support/beset.ts'
import { emptyDir } from '../support/dir.ts'
import { type Embedded, embeddedPostgres } from '../support/embedded.ts'
import { start } from '../support/process.ts'
import { contentOf } from '../support/saved.ts'
import { until } from '../support/until.ts'

let postgres: Embedded
let on: Beset

before(async () => {
  postgres = await embeddedPostgres({ durable: true })
  on = await beset(postgres.url)
})
after(async () => {
  await on.close()
  await postgres.remove()
})

/** Waits until clients were answered so often more that the database is away. */
async function refused(times = CLIENTS): Promise<void> {
  const count = () => on.load.failed.get('503 unavailable') ?? 0
  const before = count()
  await until('503', () => count() >= before + times)
}

test('a restart of PostgreSQL under load costs nothing but 503', async () => {
  await postgres.stop()
  await refused()
  await postgres.start()
  await on.back()
  on.clean()
})

test('so does a crash', async () => {
  await postgres.kill()
  await refused()
  await postgres.start()
  await on.back()
  on.clean()
})

test('so does the end of all its connections, five times in a row', async () => {
  const admin = new pg.Client(postgres.url)
  await admin.connect()
  const endAll = `select pg_terminate_backend(pid) from pg_stat_activity
    where application_name like 'docket%'`
  for (let times = 0; times < 5; times += 1) {
    // A moment after the last end there may be none yet.
    await until('connections', async () => ((await admin.query(endAll)).rowCount ?? 0) > 0)
    const acks = on.load.acked.length
    await until('a write on another connection', () => on.load.acked.length > acks)
  }
  await admin.end()
  await on.back()
  on.clean()
})

test('after all that nothing acknowledged is lost, and everything was sent', async () => {
  await on.load.stop()
  on.clean()
  await on.whole()
})

test('a server that answers before PostgreSQL has committed is found out by a crash', async () => {
  await on.load.stop()
  const slow = { ...on.env, NODE_OPTIONS: '--import ./test/support/slow-commit.ts' }
  const server = await start(emptyDir(), { env: slow, entry: 'test/support/early-reply.ts' })
  on.running.push(server)
  const more = balanced([server.port], on.home, CLIENTS, true)
  await until('a write', () => more.acked.length > 0)
  await postgres.kill()
  await more.stop()
  await postgres.start()
  const { tasks } = await contentOf(on.env, on.home)
  const lost = new Set(more.acked).difference(new Set(tasks))
  assert.ok(lost.size > 0, `nothing of ${more.acked.length} is lost`)
})
