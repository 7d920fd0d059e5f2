import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { runHostedCliJson } from '../../cli/run-hosted-cli.ts'
import { createEmptyDatabase } from '../../support/engines/test-database.ts'
import {
  endServer,
  type ServerProcess,
  seedDataDir,
  startServer,
} from '../../support/server/server-process.ts'
import { createTempDir } from '../../support/system/temp-dir.ts'
import { TEST_SECRET } from '../../support/system/test-secret.ts'
import { waitUntil } from '../../support/system/wait-until.ts'
import { startDeliveryReceiver } from '../../support/webhooks/delivering-docket.ts'

type Environment = Record<string, string> & { DOCKET_DATA_DIR: string }

/** Longer than everything here takes, and shorter than the lease that no clock can explain. */
const LEASE_MS = 240_000

const started: ServerProcess[] = []
after(() => {
  for (const { child } of started) child.kill('SIGKILL')
})

/** Creates an installation on SQLite that has a webhook, and starts no server. */
async function createInstallation() {
  const place = createTempDir()
  const source: Environment = { DOCKET_DATA_DIR: join(place, 'data'), DOCKET_SECRET: TEST_SECRET }
  const team = await seedDataDir(source.DOCKET_DATA_DIR)
  const hook = await startDeliveryReceiver()
  const { url, admin } = await createEmptyDatabase()

  const post = async ({ port }: ServerProcess, path: string, body: object) => {
    const reply = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${team.keys.owner}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    })
    assert.equal(reply.status, 201, await reply.text())
  }
  const start = async (env: Environment) => {
    const server = await startServer(env.DOCKET_DATA_DIR, { env })
    started.push(server)
    return server
  }
  const hasReceived = (title: string) =>
    hook.deliveries.some(({ event }) => event.data.title === title)
  const createTask = (server: ServerProcess, title: string) =>
    post(server, '/tasks', { project_id: team.project, title })

  /** Kills a server, whose lease then seems to be renewed until much later. Returns its end. */
  const killDispatcher = async (server: ServerProcess, env: Environment): Promise<number> => {
    await endServer(server, 'SIGKILL')
    const until = Date.now() + LEASE_MS
    const at = new Date(until).toISOString()
    if (env.DOCKET_DATABASE_URL === undefined) {
      const db = new DatabaseSync(join(env.DOCKET_DATA_DIR, 'docket.db'))
      assert.equal(db.prepare('update dispatchers set alive_until = ?').run(at).changes, 1)
      db.close()
    } else {
      const { rowCount } = await admin.query('update dispatchers set alive_until = $1', [at])
      assert.equal(rowCount, 1)
      await waitUntil('the connections of the killed server end', async () => {
        const connected = `select from pg_stat_activity
          where datname = current_database() and application_name = 'docket'`
        return (await admin.query(connected)).rowCount === 0
      })
    }
    return until
  }

  /** Starts a server on copied data, resumes its webhooks, and waits for an event before `until`. */
  const assertResumes = async (env: Environment, title: string, until: number) => {
    const server = await start(env)
    await createTask(server, title)
    await runHostedCliJson(env, 'webhook', 'resume', '--yes')
    await waitUntil('the waiting event', () => hasReceived(title))
    assert.ok(Date.now() < until, 'it did not wait for the lease of the killed server')
    return server
  }

  return {
    place,
    source,
    url,
    hook,
    start,
    createTask,
    hasReceived,
    killDispatcher,
    assertResumes,
    async startWithWebhook() {
      const server = await start(source)
      await post(server, '/webhooks', { url: hook.url, events: ['*'] })
      await createTask(server, 'before')
      await waitUntil('the first event', () => hasReceived('before'))
      return server
    },
  }
}

test('webhook resume does not wait for the lease of a killed server after migrate-to or restore', async () => {
  const { place, source, url, ...docket } = await createInstallation()
  const first = await docket.startWithWebhook()
  const untilFirst = await docket.killDispatcher(first, source)
  await runHostedCliJson(source, 'migrate-to', url)
  const onPostgres: Environment = { ...source, DOCKET_DATABASE_URL: url }
  const second = await docket.assertResumes(onPostgres, 'on PostgreSQL', untilFirst)
  const untilSecond = await docket.killDispatcher(second, onPostgres)

  const { backup } = await runHostedCliJson<{ backup: string }>(
    onPostgres,
    ...['backup', '--to', join(place, 'backups')],
  )
  const target = await createEmptyDatabase()
  const restored: Environment = {
    DOCKET_DATA_DIR: join(place, 'restored'),
    DOCKET_SECRET: TEST_SECRET,
    DOCKET_DATABASE_URL: target.url,
  }
  await runHostedCliJson(restored, 'restore', '--from', backup)
  await endServer(await docket.assertResumes(restored, 'restored', untilSecond), 'SIGTERM')

  const back = join(place, 'back')
  await runHostedCliJson(onPostgres, 'migrate-to', `sqlite:${back}`)
  const onSqlite: Environment = { DOCKET_DATA_DIR: back, DOCKET_SECRET: TEST_SECRET }
  await endServer(await docket.assertResumes(onSqlite, 'on SQLite', untilSecond), 'SIGTERM')
})
