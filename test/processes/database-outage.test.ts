import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { startBalancedLoad } from '../experiments/load/balanced-load.ts'
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../support/postgres/embedded-postgres.ts'
import { withAdminClient } from '../support/postgres/standby.ts'
import { startServer } from '../support/server/server-process.ts'
import {
  LOAD_CLIENTS,
  type ServersUnderLoad,
  startServersUnderLoad,
} from '../support/server/servers-under-load.ts'
import { readWorkspaceContent } from '../support/server/write-load.ts'
import { createTempDir } from '../support/system/temp-dir.ts'
import { waitUntil } from '../support/system/wait-until.ts'

let postgres: EmbeddedPostgres
let on: ServersUnderLoad

before(async () => {
  postgres = await startEmbeddedPostgres({ durable: true })
  on = await startServersUnderLoad(postgres.url)
})
after(async () => {
  await on.close()
  await postgres.remove()
})

/** Waits until clients got this many more 503s. */
async function until503(times = LOAD_CLIENTS): Promise<void> {
  const count = () => on.load.failed.get('503 unavailable') ?? 0
  const before = count()
  await waitUntil('503', () => count() >= before + times)
}

test('a restart of PostgreSQL under load causes only 503s', async () => {
  await postgres.stop()
  await until503()
  await postgres.start()
  await on.back()
  on.clean()
})

test('a crash of PostgreSQL under load causes only 503s', async () => {
  await postgres.kill()
  await until503()
  await postgres.start()
  await on.back()
  on.clean()
})

test('terminating all connections five times in a row causes only 503s', async () => {
  const admin = new pg.Client(postgres.url)
  await admin.connect()
  const endAll = `select pg_terminate_backend(pid) from pg_stat_activity
    where application_name like 'docket%'`
  for (let times = 0; times < 5; times += 1) {
    // For a moment after the last round there may be no connections yet.
    await waitUntil('connections', async () => ((await admin.query(endAll)).rowCount ?? 0) > 0)
    const acks = on.load.acked.length
    await waitUntil('a write on another connection', () => on.load.acked.length > acks)
  }
  await admin.end()
  await on.back()
  on.clean()
})

test('keeps every acknowledged write and delivers every event after these outages', async () => {
  await on.load.stop()
  on.clean()
  await on.whole()
})

test('control: a server that replies before the commit loses writes in a crash', async () => {
  await on.load.stop()
  const server = await startServer(createTempDir(), {
    env: on.env,
    entry: 'test/support/controls/slow-commit.ts',
  })
  on.running.push(server)
  const more = startBalancedLoad([server.port], on.team, LOAD_CLIENTS, true)
  await withAdminClient(postgres.url, (admin) =>
    waitUntil('a reply before its commit', async () => {
      const acked = [...more.acked]
      const found = await admin.query('select from tasks where id = any($1)', [acked])
      return found.rowCount !== acked.length
    }),
  )
  await postgres.kill()
  await more.stop()
  await postgres.start()
  const { tasks } = await readWorkspaceContent(on.env, on.team)
  const lost = new Set(more.acked).difference(new Set(tasks))
  assert.ok(lost.size > 0, `nothing of ${more.acked.length} is lost`)
})
