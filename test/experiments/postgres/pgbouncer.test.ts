import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { parseConfig } from '#config/config.ts'
import { migrateStore, openStore } from '#db/installation/open-store.ts'
import { copyFromSqlite } from '#db/postgres/copy-from-sqlite.ts'
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

  test('migrate-to fills an empty database through PgBouncer', async (t) => {
    const { url } = await createEmptyDatabase()
    const pooler = await startPgbouncer(program, url)
    t.after(() => pooler.stop())
    const dataDir = createTempDir()
    const { workspace } = await seedDataDir(dataDir)
    const copied = await copyFromSqlite({
      dataDir,
      url: pooler.urlOf(url),
      values: {},
      onProgress() {},
    })
    assert.equal(copied.find(({ table }) => table === 'workspaces')?.rows, 1)
    const ids = await withAdminClient(url, async (client) => {
      return (await client.query('select id from workspaces')).rows
    })
    assert.deepEqual(ids, [{ id: workspace }])
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
