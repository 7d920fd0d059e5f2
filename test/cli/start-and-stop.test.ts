import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { BUILD_INFO } from '#db/installation/build-info.ts'
import { createMigratedDatabase } from '../support/engines/test-database.ts'
import {
  CURRENT_MIGRATION_COUNT,
  NEXT_MIGRATIONS,
} from '../support/migrations/next-release-migrations.ts'
import { openOldSqlite } from '../support/migrations/old-database.ts'
import { tcpUrlOf } from '../support/postgres/embedded-postgres.ts'
import { findFreePort } from '../support/system/free-port.ts'
import { waitUntil } from '../support/system/wait-until.ts'
import { launchServer, newInstallation, spawnServer } from './run-cli.ts'

const NEXT_RELEASE = 'test/support/server-variants/next-release.ts'

async function listenOnFreePort(server: Server): Promise<number> {
  const port = await findFreePort()
  await once(server.listen(port, '127.0.0.1'), 'listening')
  return port
}

/** The option of Node that runs this code before a program. */
const preload = (code: string) => `--import=data:text/javascript,${encodeURIComponent(code)}`

test('a start tells its migrations, its data and its stop', async (t) => {
  const { env, url, dataDir, remove } = await newInstallation()
  t.after(remove)
  const from = CURRENT_MIGRATION_COUNT
  const to = from + NEXT_MIGRATIONS.length
  const path = join(dataDir, 'docket.db')
  await openOldSqlite(path, from).close()
  const { child, ended, stdout } = await spawnServer(env, NEXT_RELEASE)
  child.kill('SIGTERM')
  const { stderr, code } = await ended
  assert.equal(code, 0)
  const names = NEXT_MIGRATIONS.map(({ name }) => name)
  const lines = stdout()
    .replaceAll(/\d+\.\d s/g, '0.0 s')
    .split('\n')
  assert.deepEqual(lines, [
    `Migrating SQLite in ${path} from schema version ${from} to ${to} …`,
    `Migrated to schema version ${to} in 0.0 s: ${names.join(', ')}`,
    `The database as it was is in ${path}.v${from}; delete it when you no longer need it`,
    `Docket is running at ${url}`,
    `Docket ${BUILD_INFO.version} with SQLite in ${path}, files in ${dataDir}, base URL ${url}`,
    'Docket is stopping (SIGTERM)',
    'Docket stopped after 0.0 s',
    '',
  ])
  assert.ok(existsSync(`${path}.v${from}`))
  const logged = stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.partialDeepStrictEqual(logged, [
    { msg: 'Migrating the database', from, to },
    { msg: 'Migrated the database', applied: names, copy: `${path}.v${from}` },
    { msg: 'Docket started', engine: 'sqlite', data_dir: dataDir, processes: 1 },
    { msg: 'Docket is stopping' },
    { msg: 'Docket stopped' },
  ])
})

test('a start waits for a PostgreSQL that comes up later', async (t) => {
  // Its own, because a server delivers the webhooks of all workspaces in its database.
  const database = tcpUrlOf((await createMigratedDatabase()).url)
  let refused = 0
  const proxy = createServer((client) => {
    if (refused === 0) {
      refused += 1
      client.destroy()
      return
    }
    const upstream = connect(Number(database.port), database.hostname)
    client.pipe(upstream).pipe(client)
    for (const socket of [client, upstream]) socket.on('error', () => client.destroy())
  })
  const port = await listenOnFreePort(proxy)
  t.after(() => proxy.close())
  const throughProxy = new URL(database)
  throughProxy.host = `127.0.0.1:${port}`
  const { env, remove } = await newInstallation({
    DOCKET_DATABASE_URL: throughProxy.href,
    DOCKET_SECRET: 'a secret of the tests only',
  })
  t.after(remove)
  const { child, ended, serves, stdout } = await spawnServer(env)
  child.kill('SIGTERM')
  const { stderr, code } = await ended
  assert.deepEqual([serves, code], [true, 0], stderr)
  const place = `PostgreSQL at 127\\.0\\.0\\.1:${port}${database.pathname}`
  assert.match(stderr, new RegExp(`^${place} cannot be reached \\(.+\\); waiting .* 60 s`))
  assert.match(stdout(), new RegExp(`^${place} answers after \\d+ s\nDocket is running`))
})

test('SIGTERM ends a start that waits for its database, even during an attempt, with exit code 0', async (t) => {
  let attempts = 0
  // The second attempt gets no answer, so it lasts until the process ends.
  const database = createServer((client) => {
    attempts += 1
    client.on('error', () => {})
    if (attempts !== 2) client.destroy()
  })
  const port = await listenOnFreePort(database)
  t.after(() => database.close())
  const { env, remove } = await newInstallation({
    DOCKET_DATABASE_URL: `postgres://127.0.0.1:${port}/docket`,
    DOCKET_DATABASE_WAIT: '600',
    DOCKET_SECRET: 'a secret of the tests only',
  })
  t.after(remove)
  const { child, ended, stdout, stderr } = launchServer(env)
  t.after(() => child.kill('SIGKILL'))
  await waitUntil('the second attempt', () => attempts === 2)
  assert.match(stderr(), /DOCKET_DATABASE_WAIT/)
  child.kill('SIGTERM')
  await waitUntil('the end', () => child.exitCode !== null || attempts > 2)
  assert.equal(attempts, 2, 'it does not try again')
  const { code, signal } = await ended
  assert.deepEqual({ code, signal }, { code: 0, signal: null })
  assert.match(stdout(), /^Docket is stopping \(SIGTERM\)\nDocket stopped after \d\.\d s\n$/)
})

test('SIGTERM after a start has begun to listen drains the server once it has started', async (t) => {
  const onListening = `import { subscribe } from 'node:diagnostics_channel'
    subscribe('tracing:net.server.listen:asyncEnd', () => process.kill(process.pid, 'SIGTERM'))`
  const { env, url, dataDir, remove } = await newInstallation({
    NODE_OPTIONS: preload(onListening),
  })
  t.after(remove)
  const { ended, stdout } = await spawnServer(env)
  const { code, signal } = await ended
  assert.deepEqual({ code, signal }, { code: 0, signal: null })
  const lines = stdout()
    .split('\n')
    .filter((line) => line.startsWith('Docket is') || line.startsWith('Docket stopped'))
  assert.deepEqual(lines.slice(0, 2), [
    `Docket is running at ${url}`,
    'Docket is stopping (SIGTERM)',
  ])
  assert.match(lines[2] ?? '', /^Docket stopped/)
  assert.equal(existsSync(join(dataDir, 'running')), false)
})

test('a Ctrl-C that arrives twice, as from npm, finishes running requests', async (t) => {
  const { env, url, remove } = await newInstallation({ DOCKET_DEMO: '1' })
  t.after(remove)
  const { child, ended, stdout } = await spawnServer(env)
  t.after(() => child.kill('SIGKILL'))
  await waitUntil('the key of the demo', () => /dkt_\w+/.test(stdout()))
  const [authorization = ''] = /dkt_\w+/.exec(stdout()) ?? []
  const headers = { authorization: `Bearer ${authorization}` }
  const { position } = await (await fetch(`${url}/api/v1/changes?after=now`, { headers })).json()
  const changes = fetch(`${url}/api/v1/changes?after=${position}&wait=30`, { headers })
  const waiting = changes.then(({ status }) => status)
  // It is received after the one that waits.
  assert.equal((await fetch(`${url}/readyz`)).status, 200)
  // Two kinds, because the kernel may merge two equal signals.
  child.kill('SIGINT')
  child.kill('SIGTERM')
  const { code, stderr } = await ended
  assert.deepEqual([await waiting, code], [200, 0], stderr)
})

test('SIGTERM while the first of several processes starts ends them all', async (t) => {
  const onListening = `import cluster from 'node:cluster'
    import { subscribe } from 'node:diagnostics_channel'
    const stop = () => process.kill(process.ppid, 'SIGTERM')
    if (cluster.isWorker) subscribe('tracing:net.server.listen:asyncEnd', stop)`
  const { env, remove } = await newInstallation({
    NODE_OPTIONS: preload(onListening),
    DOCKET_DATABASE_URL: tcpUrlOf((await createMigratedDatabase()).url).href,
    DOCKET_SECRET: 'a secret of the tests only',
    DOCKET_PROCESSES: '2',
  })
  t.after(remove)
  const { child, ended, stdout } = await spawnServer(env)
  t.after(() => child.kill('SIGKILL'))
  const { code, signal, stderr } = await ended
  assert.deepEqual({ code, signal }, { code: 0, signal: null }, stderr)
  assert.match(stdout(), /Docket is stopping \(SIGTERM\)\nDocket stopped/)
})

test('errors that an operator can cause end the start with one line and the remedy', async (t) => {
  const { env, dataDir, remove } = await newInstallation()
  t.after(remove)
  const file = join(dataDir, 'file')
  writeFileSync(file, '')
  const taken = createServer()
  const port = await listenOnFreePort(taken)
  t.after(() => taken.close())
  const unreachable = {
    DOCKET_DATABASE_URL: 'postgres://ada:hunter2@127.0.0.1:1/docket',
    DOCKET_DATABASE_WAIT: '0',
  }
  const cases: [Record<string, string>, RegExp][] = [
    [{ DOCKET_DATA_DIR: file }, /^\/.*file is not a directory\. Set DOCKET_DATA_DIR .*\n$/],
    [{ DOCKET_PORT: `${port}` }, /^Address .* is already in use\. Stop .*DOCKET_PORT\.\n$/],
    [{ DOCKET_HOST: '192.0.2.1' }, /^This machine does not have .*192\.0\.2\.1\. .*\n$/],
    [unreachable, /^Docket cannot start with PostgreSQL at 127\.0\.0\.1:1\/docket: .* Check .*\n$/],
  ]
  const runs = cases.map(async ([settings, expected], at) => {
    const place = { DOCKET_DATA_DIR: join(dataDir, `${at}`) }
    const { serves, ended } = await spawnServer({ ...env, ...place, ...settings })
    const { code, stderr } = await ended
    assert.deepEqual([serves, code], [false, 1])
    assert.match(stderr, expected)
    assert.doesNotMatch(stderr, /hunter2/)
  })
  await Promise.all(runs)
})
