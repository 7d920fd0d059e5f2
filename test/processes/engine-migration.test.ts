import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { killMigration, readMigrationError } from '../cli/migrate-to-process.ts'
import { runHostedCliJson } from '../cli/run-hosted-cli.ts'
import { createEmptyDatabase } from '../support/engines/test-database.ts'
import { endServer, type ServerProcess, startServer } from '../support/server/server-process.ts'
import { findFreePort } from '../support/system/free-port.ts'
import { createTempDir } from '../support/system/temp-dir.ts'
import { TEST_SECRET } from '../support/system/test-secret.ts'
import { waitUntil } from '../support/system/wait-until.ts'
import { startDeliveryReceiver } from '../support/webhooks/delivering-docket.ts'
import {
  createOneOfEach,
  createOwnerClient,
  FILLED_TASKS,
  fillInstallation,
  listReadPaths,
  type OneOfEach,
} from '../support/world/filled-installation.ts'

interface EngineMigrationReport {
  rows: number
  tables: { table: string; rows: number; checksum: string }[]
}

const place = createTempDir()
const started: ServerProcess[] = []
after(() => {
  for (const { child } of started) child.kill('SIGKILL')
})

const port = await findFreePort()
const baseUrl = `http://127.0.0.1:${port}`
const dataDir = join(place, 'data')
const { team, session } = await fillInstallation(dataDir, baseUrl)
const hook = await startDeliveryReceiver()
const ask = createOwnerClient(port, team)
const sqliteEnv = (dir: string) => ({ DOCKET_DATA_DIR: dir, DOCKET_SECRET: TEST_SECRET })

async function whileServing<T>(env: Record<string, string>, work: () => Promise<T>): Promise<T> {
  const server = await startServer(env.DOCKET_DATA_DIR ?? '', { env, port })
  started.push(server)
  try {
    return await work()
  } finally {
    assert.equal(await endServer(server, 'SIGTERM'), 0)
  }
}

/** Reads everything that can be read, and returns the replies by path. */
async function readAll(furnished: OneOfEach): Promise<Map<string, string>> {
  const { api, internal } = listReadPaths(team, furnished)
  const cookie = session.headers
  const replies = new Map<string, string>()
  for (const path of api) replies.set(path, withoutTimes((await ask('GET', path)).text))
  for (const path of internal) {
    const reply = await fetch(`${baseUrl}${path}`, { headers: cookie })
    assert.equal(reply.status, 200, path)
    // Internal replies are equal too, apart from the whitespace of each engine's JSON.
    const isInLines = reply.headers.get('content-type')?.startsWith('application/x-ndjson') === true
    const text = await reply.text()
    const values = (isInLines ? text.trim().split('\n') : [text]).map((part) => JSON.parse(part))
    replies.set(path, withoutTimes(JSON.stringify(values)))
  }
  return replies
}

/**
 * Removes what differs by time or process: the last activity, and the position among the changes.
 */
const withoutTimes = (text: string) =>
  text
    .replace(/"(last_active_at|last_used_at)":"[^"]*"/g, '"$1":""')
    // Unlike the positions of tasks, these have spaces.
    .replace(/"(position|history)":"[^"]* [^"]*"/g, '"$1":""')

const readSendingMetric = async () => {
  const metrics = await (await fetch(`${baseUrl}/metrics`)).text()
  return /^docket_webhook_sending (\d)$/m.exec(metrics)?.[1]
}

const lists = [
  `/api/v1/projects/${team.project}/tasks?limit=7`,
  '/api/v1/tasks?limit=3&sort=priority',
  '/api/v1/tasks?limit=5&q=of',
]
async function nextPages(): Promise<string[]> {
  const pages = await Promise.all(lists.map((path) => ask('GET', path)))
  return pages.map(({ text }, at) => `${lists[at]}&cursor=${JSON.parse(text).next_cursor}`)
}
const pagesAt = (paths: readonly string[]) => Promise.all(paths.map((path) => ask('GET', path)))

const json = (text: string) => JSON.parse(text)
const lastEvent = async () => {
  const { text } = await ask('GET', '/api/v1/events?after_sequence=0&limit=1')
  const { text: me } = await ask(
    'GET',
    `/api/v1/events?type=task.created&limit=200&after_sequence=${FILLED_TASKS}`,
  )
  return { first: json(text).data[0], last: json(me).data.at(-1) }
}

const furnished = await whileServing(sqliteEnv(dataDir), async () => {
  const made = await createOneOfEach(ask, team, hook.url)
  await waitUntil('deliveries that are recorded', async () => {
    const { text } = await ask('GET', `/api/v1/webhooks/${made.webhook.id}/deliveries?limit=200`)
    const { data } = json(text) as { data: { status: string }[] }
    return (
      hook.deliveries.some(({ event }) => event.data.id === json(made.once.text).id) &&
      data.every(({ status }) => status === 'succeeded')
    )
  })
  return made
})

test('a migrated installation gives the same replies and continues', async () => {
  const before = await whileServing(sqliteEnv(dataDir), async () => {
    const next = await nextPages()
    return {
      answers: await readAll(furnished),
      next,
      pages: await pagesAt(next),
      last: await lastEvent(),
    }
  })
  const { url, admin } = await createEmptyDatabase()
  const source = new DatabaseSync(join(dataDir, 'docket.db'))
  // As of a server that was killed.
  source.exec("insert into dispatchers (id, alive_until) values ('dsp_killed', '2099-01-01')")
  const moved = await runHostedCliJson<EngineMigrationReport>(sqliteEnv(dataDir), 'migrate-to', url)
  source.exec('delete from dispatchers')
  source.close()
  const leases = await admin.query('select id from dispatchers')
  assert.deepEqual(leases.rows, [], 'nobody waits for the lease of a server of the source')
  const onPostgres = { ...sqliteEnv(dataDir), DOCKET_DATABASE_URL: url }
  const sentBefore = hook.deliveries.length
  await whileServing(onPostgres, async () => {
    assert.deepEqual(await readAll(furnished), before.answers)
    assert.deepEqual(await pagesAt(before.next), before.pages)
    const { keyed, once: first } = furnished
    const again = await ask('POST', '/api/v1/tasks', keyed.body, { 'idempotency-key': keyed.key })
    assert.deepEqual(again, first)
    const { status, text } = await ask('POST', '/api/v1/tasks', {
      project_id: team.project,
      title: 'The first after it',
    })
    assert.equal(status, 201)
    const { data: of } = before.last.last
    assert.equal(json(text).number, of.number + 1)
    assert.equal((await lastEvent()).last.sequence, before.last.last.sequence + 1)
    assert.deepEqual(
      [await readSendingMetric(), hook.deliveries.length],
      ['0', sentBefore],
      'nothing is sent',
    )
    assert.deepEqual(await runHostedCliJson<object>(onPostgres, 'webhook', 'resume', '--yes'), {
      sending: true,
    })
    await waitUntil('the event', () => hook.deliveries.length > sentBefore)
    assert.equal(await readSendingMetric(), '1')
    const found = await ask('GET', '/api/v1/tasks?q=first%20after')
    assert.equal(json(found.text).data.length, 1)
  })
  const got = hook.deliveries.map(({ event }) => event.id)
  assert.equal(new Set(got).size, got.length, 'nothing is sent twice')
  const last = hook.deliveries.at(-1)
  const signed = new Webhook(furnished.webhook.secret ?? '')
  signed.verify(last?.text ?? '', (last?.headers ?? {}) as Record<string, string>)
  assert.ok(moved.tables.every(({ checksum }) => /^\d+$/.test(checksum)))
  assert.equal((await readMigrationError(sqliteEnv(dataDir), url)).code, 'store_not_empty')
})

test('a killed migration leaves the target empty, and the next one begins anew', async () => {
  const { url, admin } = await createEmptyDatabase()
  const env = sqliteEnv(dataDir)
  const isCopying = async () => {
    const { rows } = await admin.query(
      `select count(*)::int as n from pg_stat_activity where datname = current_database()
        and application_name = 'docket' and query like 'insert into "%'`,
    )
    return rows[0].n > 0
  }
  await killMigration(env, url, isCopying)
  await waitUntil('the end of its transaction', async () => !(await isCopying()))
  const { rows } = await admin.query("select to_regclass('schema_version') as version")
  assert.deepEqual(rows, [{ version: null }])
  const whole = await runHostedCliJson<EngineMigrationReport>(env, 'migrate-to', url)
  assert.ok(whole.rows > FILLED_TASKS)
})

test('refuses a migration that is not possible, and changes nothing', async () => {
  const { url, admin } = await createEmptyDatabase()
  const env = sqliteEnv(dataDir)
  const server = await startServer(dataDir, { env, port })
  started.push(server)
  assert.equal((await readMigrationError(env, url)).code, 'store_in_use')
  await endServer(server, 'SIGTERM')
  assert.equal((await readMigrationError(env, `sqlite:${place}`)).code, 'validation_failed')
  assert.equal((await readMigrationError(env, 'mysql://host')).code, 'validation_failed')
  assert.equal((await readMigrationError(sqliteEnv(createTempDir()), url)).code, 'nothing_to_move')
  const onPostgres = { ...env, DOCKET_DATABASE_URL: url }
  assert.equal((await readMigrationError(onPostgres, url)).code, 'validation_failed')
  const { rows } = await admin.query(
    "select count(*)::int as n from pg_class where relname = 'tasks'",
  )
  assert.equal(rows[0].n, 0)
})
