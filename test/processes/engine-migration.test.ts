import assert from 'node:assert/strict'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { killMigration, readMigrationError } from '../cli/migrate-to-process.ts'
import { runHostedCliJson } from '../cli/run-hosted-cli.ts'
import { createEmptyDatabase } from '../support/engines/test-database.ts'
import {
  endServer,
  type ServerProcess,
  seedDataDir,
  startServer,
} from '../support/server/server-process.ts'
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
  resumed_after: number
  tables: { table: string; rows: number; digest: string }[]
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

test('a migrated installation gives the same replies, continues, and can be migrated back', async () => {
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
  const onTarget = await whileServing(onPostgres, async () => {
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
    return { answers: await readAll(furnished) }
  })
  const got = hook.deliveries.map(({ event }) => event.id)
  assert.equal(new Set(got).size, got.length, 'nothing is sent twice')
  const last = hook.deliveries.at(-1)
  const signed = new Webhook(furnished.webhook.secret ?? '')
  signed.verify(last?.text ?? '', (last?.headers ?? {}) as Record<string, string>)

  const back = join(place, 'back')
  const returned = await runHostedCliJson<EngineMigrationReport>(
    onPostgres,
    'migrate-to',
    `sqlite:${back}`,
  )
  assert.ok(returned.rows > moved.rows)
  cpSync(join(dataDir, 'files'), join(back, 'files'), { recursive: true })
  await whileServing(sqliteEnv(back), async () => {
    assert.deepEqual(await readAll(furnished), onTarget.answers)
    const task = await ask('POST', '/api/v1/tasks', {
      project_id: team.project,
      title: 'Last zeppelin',
    })
    assert.equal(task.status, 201)
    const { text } = await ask('GET', '/api/v1/tasks?q=zeppelin')
    assert.equal(json(text).data.length, 1)
  })
})

test('a killed migration continues, and every difference is detected', async () => {
  const { url, admin } = await createEmptyDatabase()
  const env = sqliteEnv(dataDir)
  const noted = async (kind: string) => {
    const sql =
      'select count(*)::int as n from unfinished_migration where note like \'%"kind":"\' || $1 || \'"%\''
    const { rows } = await admin.query(sql, [kind]).catch(() => ({ rows: [{ n: -1 }] }))
    return Number(rows[0].n)
  }
  await killMigration(env, url, async () => (await noted('range')) >= 12)
  const later = await noted('later')
  await killMigration(env, url, async () => (await noted('later')) < later - 3)

  const served = startServer(dataDir, { env: { ...env, DOCKET_DATABASE_URL: url }, port })
  served.then(
    (server) => started.push(server),
    () => {},
  )
  await assert.rejects(served, /docket migrate-to.*run the same command again/)

  const source = new DatabaseSync(join(dataDir, 'docket.db'))
  const paint = source.prepare('update tags set color = ? where id = ?')
  const { id = '', color = '' } = furnished.tag
  paint.run('#abcdef', id)
  assert.equal((await readMigrationError(env, url)).code, 'source_changed')
  paint.run(color, id)

  const { task } = furnished
  const differences: [wrong: string, right: string, message: RegExp][] = [
    [
      `update tasks set title = title || '!' where id = '${task}'`,
      `update tasks set title = rtrim(title, '!') where id = '${task}'`,
      new RegExp(`^tasks: the row ${team.workspace} ${task} is not the same in the target`),
    ],
    [
      'create temp table kept as select * from time_entries where id = (select max(id) from time_entries); delete from time_entries where id = (select id from kept)',
      // The deletion has left a tombstone.
      'insert into time_entries select * from kept; delete from tombstones where record_id = (select id from kept); drop table kept',
      /^time_entries: the row wsp_\w+ \w+ is missing in the target/,
    ],
    [
      "insert into attempts values ('nobody', '', '', '')",
      "delete from attempts where subject = 'nobody'",
      /^attempts: the row nobody is in the target alone/,
    ],
    [
      'create temp table kept as select * from task_words limit 1; delete from task_words where task_id in (select task_id from kept)',
      'insert into task_words select * from kept; drop table kept',
      /^task_words has \d+ rows on PostgreSQL/,
    ],
  ]
  for (const [wrong, right, expected] of differences) {
    await admin.query(wrong)
    const { code, message } = await readMigrationError(env, url)
    assert.equal(code, 'move_differs')
    assert.match(message, expected)
    await admin.query(right)
  }

  const whole = await runHostedCliJson<EngineMigrationReport>(env, 'migrate-to', url)
  assert.ok(whole.resumed_after > FILLED_TASKS)
  assert.equal((await readMigrationError(env, url)).code, 'store_not_empty')
  const onPostgres = { ...env, DOCKET_DATABASE_URL: url }
  const back = `sqlite:${join(place, 'killed-back')}`
  const returned = await runHostedCliJson<EngineMigrationReport>(onPostgres, 'migrate-to', back)
  // Only the installation id, which marks where data is sent from, differs.
  const rowsOf = ({ tables }: EngineMigrationReport) =>
    tables.filter(({ table }) => table !== 'installation')
  assert.deepEqual(rowsOf(returned), rowsOf(whole))
  assert.equal((await readMigrationError(onPostgres, back)).code, 'store_not_empty')
  source.close()
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
  const empty = `sqlite:${join(place, 'empty')}`
  assert.equal((await readMigrationError(onPostgres, empty)).code, 'nothing_to_move')
  assert.equal((await readMigrationError(onPostgres, url)).code, 'validation_failed')
  const { rows } = await admin.query(
    "select count(*)::int as n from pg_class where relname = 'tasks'",
  )
  assert.equal(rows[0].n, 0)

  await killMigration(env, url, async () => {
    const found = await admin.query("select to_regclass('unfinished_migration') is not null as is")
    return found.rows[0].is
  })
  const other = join(place, 'other')
  await seedDataDir(other)
  assert.equal((await readMigrationError(sqliteEnv(other), url)).code, 'other_move')
})
