import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { parseConfig } from '#config/config.ts'
import { connectForCopy } from '#db/copy/copy-connection.ts'
import { assertNotServed } from '#db/copy/docket-connections.ts'
import { migrateStore, openStore } from '#db/installation/open-store.ts'
import { checkDatabase } from '#doctor/check-database.ts'
import { createEmptyDatabase } from '../../support/engines/test-database.ts'
import { startBalancedLoad } from '../../support/load/balanced-load.ts'
import { recordIndexTimeouts } from '../../support/migrations/index-timeouts.ts'
import { NEXT_MIGRATIONS, runAsRelease } from '../../support/migrations/next-release-migrations.ts'
import { pgbouncerProgram, startPgbouncer } from '../../support/postgres/pgbouncer.ts'
import { withAdminClient } from '../../support/postgres/standby.ts'
import { openLiveStream } from '../../support/server/live-stream.ts'
import { endServer, seedDataDir, startServer } from '../../support/server/server-process.ts'
import { readWorkspaceContent } from '../../support/server/write-load.ts'
import { createTempDir } from '../../support/system/temp-dir.ts'
import { TEST_SECRET } from '../../support/system/test-secret.ts'
import { waitUntil } from '../../support/system/wait-until.ts'
import {
  RECEIVER_SECRET,
  startVerifyingReceiver,
} from '../../support/webhooks/verifying-receiver.ts'
import { createTestSession } from '../../support/world/test-session.ts'

/** The address of the admin console of a PgBouncer. */
const adminUrlOf = (url: string) => url.replace(/[^/]+$/, 'pgbouncer')

if (pgbouncerProgram !== undefined) {
  const program = pgbouncerProgram

  test('two servers behind PgBouncer in transaction mode serve, notify and deliver', async (t) => {
    const { url } = await createEmptyDatabase()
    const pooler = await startPgbouncer(program, url)
    t.after(() => pooler.stop())
    const env = {
      DOCKET_DATA_DIR: createTempDir(),
      DOCKET_SECRET: TEST_SECRET,
      DOCKET_DATABASE_URL: pooler.urlOf(url),
      DOCKET_DATABASE_LISTEN_URL: url,
    }
    // Migrates an empty database through PgBouncer.
    const team = await seedDataDir(createTempDir(), env)
    const { storage } = await openStore(parseConfig(env))
    const { headers } = await createTestSession(storage, team, 'owner')
    await storage.close()
    const running = await Promise.all([0, 1].map(() => startServer(createTempDir(), { env })))
    t.after(() => Promise.all(running.map((server) => endServer(server, 'SIGKILL'))))
    const [one, two] = running
    assert.ok(one && two)
    const webhookReceiver = await startVerifyingReceiver()
    t.after(() => webhookReceiver.close())
    const reply = await fetch(`http://127.0.0.1:${one.port}/api/v1/webhooks`, {
      method: 'POST',
      headers: { authorization: `Bearer ${team.keys.owner}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        url: webhookReceiver.urlOf('hook'),
        events: ['*'],
        secret: RECEIVER_SECRET,
      }),
    })
    assert.equal(reply.status, 201, await reply.text())
    const live = await openLiveStream(two.port, headers)
    t.after(() => live.close())
    const load = startBalancedLoad([one.port, two.port], team, 12, true)
    await waitUntil('writes', () => load.acked.length > 100)
    await waitUntil('the other one streams the writes', () => live.news().length > 10)
    await load.stop()
    assert.deepEqual([...load.failed], [])

    const { tasks } = await readWorkspaceContent({ ...env, DOCKET_DATABASE_URL: url }, team)
    assert.deepEqual(tasks.toSorted(), load.acked.toSorted())
    await waitUntil('deliveries', () => webhookReceiver.events.size >= tasks.length)
    assert.deepEqual([...webhookReceiver.wrong], [])
  })

  test('settings of a transaction do not leak to other connections', async (t: TestContext) => {
    const { url, admin } = await createEmptyDatabase()
    const { rows } = await admin.query('select current_database() as name')
    await admin.query(`alter database ${rows[0].name} set statement_timeout = '7s'`)
    const pooler = await startPgbouncer(program, url)
    t.after(() => pooler.stop())
    const through = pooler.urlOf(url)
    await seedDataDir(createTempDir(), { DOCKET_DATABASE_URL: through })
    const said = await withAdminClient(through, async (client) => {
      return (await client.query('show statement_timeout')).rows
    })
    assert.deepEqual(said, [{ statement_timeout: '7s' }])
    // Indexes are built over the address of PostgreSQL itself.
    const readTimeouts = await recordIndexTimeouts(admin)
    await runAsRelease(NEXT_MIGRATIONS, () =>
      migrateStore({ dataDir: '', databaseUrl: through, databaseListenUrl: url }),
    )
    assert.deepEqual(await readTimeouts(), [2 ** 31 - 1])
  })

  test('migrate-to tells connections that PgBouncer keeps from those of a running Docket', async (t) => {
    const { url, admin } = await createEmptyDatabase()
    const pooler = await startPgbouncer(program, url)
    t.after(() => pooler.stop())
    const through = pooler.urlOf(url)
    await assert.rejects(connectForCopy(through, 'test'), { code: 'pooler_address' })
    const direct = await connectForCopy(url, 'test')
    t.after(() => direct.end())
    await assertNotServed(direct)

    const place = { DOCKET_DATA_DIR: createTempDir(), DOCKET_DATABASE_URL: through }
    const { storage } = await openStore({ ...parseConfig(place), isServing: true })
    let isRunning = true
    const using = (async () => {
      while (isRunning) await storage.isReady()
    })()
    await assert.rejects(assertNotServed(direct), { code: 'store_in_use' })
    isRunning = false
    await using
    await storage.close()
    const remaining = () =>
      admin.query(
        "select from pg_stat_activity where datname = current_database() and application_name like 'docket%'",
      )
    assert.notEqual((await remaining()).rowCount, 0)
    // A message to the other processes may still be under way.
    const onlyIdle = () =>
      assertNotServed(direct, 200).then(
        () => assert.fail('connections remain'),
        ({ code }) => code === 'idle_connections',
      )
    await waitUntil('the idle connections', onlyIdle)
    await withAdminClient(adminUrlOf(through), (console) => console.query('RECONNECT'))
    await waitUntil('the end of the connections', async () => (await remaining()).rowCount === 0)
    await assertNotServed(direct)
  })

  test('the doctor reports that a pooler drops the timeouts', async (t) => {
    const { url } = await createEmptyDatabase()
    const pooler = await startPgbouncer(program, url)
    t.after(() => pooler.stop())
    const checkDatabaseAt = (databaseUrl: string) =>
      checkDatabase({ dataDir: createTempDir(), databaseUrl })
    const said = JSON.stringify(await checkDatabaseAt(pooler.urlOf(url)))
    assert.match(said, /no timeout.*alter role/)
    assert.doesNotMatch(JSON.stringify(await checkDatabaseAt(url)), /no timeout/)
  })
}
