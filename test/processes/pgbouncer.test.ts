import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { lookAtDatabase } from '#doctor/database.ts'
import { openStore } from '#storage/open.ts'
import { configFrom } from '../../src/config.ts'
import { balanced } from '../experiments/balanced.ts'
import { emptyDir } from '../support/dir.ts'
import { openLive } from '../support/live.ts'
import { pgbouncerProgram, startPgbouncer } from '../support/pgbouncer.ts'
import { end, SECRET, settle, start } from '../support/process.ts'
import { RECEIVED_SECRET, receiver } from '../support/receiver.ts'
import { contentOf } from '../support/saved.ts'
import { sessionOf } from '../support/session.ts'
import { asked } from '../support/standby.ts'
import { emptyDatabase } from '../support/store.ts'
import { until } from '../support/until.ts'

if (pgbouncerProgram !== undefined) {
  const program = pgbouncerProgram

  test('two servers behind a PgBouncer in transaction mode serve, tell and deliver', async (t) => {
    const { url } = await emptyDatabase()
    const pooler = await startPgbouncer(program, url)
    t.after(() => pooler.stop())
    const env = {
      DOCKET_DATA_DIR: emptyDir(),
      DOCKET_SECRET: SECRET,
      DOCKET_DATABASE_URL: pooler.urlOf(url),
      DOCKET_DATABASE_LISTEN_URL: url,
    }
    // An empty database is migrated through it, by two at once.
    const home = await settle(emptyDir(), env)
    const { storage } = await openStore(configFrom(env))
    const { headers } = await sessionOf(storage, home, 'owner')
    await storage.close()
    const running = await Promise.all([0, 1].map(() => start(emptyDir(), { env })))
    t.after(() => Promise.all(running.map((server) => end(server, 'SIGKILL'))))
    const [one, two] = running
    assert.ok(one && two)
    const there = await receiver()
    t.after(() => there.close())
    const reply = await fetch(`http://127.0.0.1:${one.port}/api/v1/webhooks`, {
      method: 'POST',
      headers: { authorization: `Bearer ${home.keys.owner}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url: there.urlOf('hook'), events: ['*'], secret: RECEIVED_SECRET }),
    })
    assert.equal(reply.status, 201, await reply.text())
    const live = await openLive(two.port, headers)
    t.after(() => live.close())
    const load = balanced([one.port, two.port], home, 12, true)
    await until('writes', () => load.acked.length > 100)
    await load.stop()
    assert.deepEqual([...load.failed], [])

    const { tasks } = await contentOf({ ...env, DOCKET_DATABASE_URL: url }, home)
    assert.deepEqual(tasks.toSorted(), load.acked.toSorted())
    await until('deliveries', () => there.events.size >= tasks.length)
    assert.deepEqual([...there.wrong], [])
    await until('what one has written is told by the other', () => live.heard.length > 10)
  })

  test('what a server sets for its own transactions stays in them', async (t: TestContext) => {
    const { url, admin } = await emptyDatabase()
    const { rows } = await admin.query('select current_database() as name')
    await admin.query(`alter database ${rows[0].name} set statement_timeout = '7s'`)
    const pooler = await startPgbouncer(program, url)
    t.after(() => pooler.stop())
    const through = pooler.urlOf(url)
    await settle(emptyDir(), { DOCKET_DATABASE_URL: through })
    const said = await asked(through, async (client) => {
      return (await client.query('show statement_timeout')).rows
    })
    assert.deepEqual(said, [{ statement_timeout: '7s' }])
  })

  test('the doctor finds out that a pooler has dropped the time-outs', async (t) => {
    const { url } = await emptyDatabase()
    const pooler = await startPgbouncer(program, url)
    t.after(() => pooler.stop())
    const looked = (databaseUrl: string) => lookAtDatabase({ dataDir: emptyDir(), databaseUrl })
    const said = JSON.stringify(await looked(pooler.urlOf(url)))
    assert.match(said, /no time-out.*alter role/)
    assert.doesNotMatch(JSON.stringify(await looked(url)), /time-out/)
  })
}
