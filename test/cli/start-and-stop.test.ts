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
import { findEntry } from '../support/server/server-process.ts'
import { findFreePort } from '../support/system/free-port.ts'
import { createTempDir } from '../support/system/temp-dir.ts'
import { waitUntil } from '../support/system/wait-until.ts'
import { launchServer, newInstallation, spawnServer } from './run-cli.ts'
import { runHostedCli, runHostedCliJson } from './run-hosted-cli.ts'

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
    DOCKET_SECRET: 'a secret of the tests only',
  })
  t.after(remove)
  const { child, ended, stdout, stderr } = launchServer(env)
  t.after(() => child.kill('SIGKILL'))
  await waitUntil('the second attempt', () => attempts === 2)
  assert.match(stderr(), /waiting for it for up to 60 s/)
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

test('a stopping server reports not ready, completes running requests and ignores the second signal of a Ctrl-C', async (t) => {
  const { env, url, remove } = await newInstallation({ DOCKET_DRAIN_SECONDS: '2' })
  t.after(remove)
  const owner = ['--owner-email', 'ada@example.com', '--owner-name', 'Ada']
  const create = ['workspace', 'create', '--name', 'Acme', ...owner]
  const { api_key } = await runHostedCliJson(env, ...create)
  const headers = { authorization: `Bearer ${api_key}` }
  const { child, ended } = await spawnServer(env)
  t.after(() => child.kill('SIGKILL'))
  const { position } = await (await fetch(`${url}/api/v1/changes?after=now`, { headers })).json()
  const changes = fetch(`${url}/api/v1/changes?after=${position}&wait=30`, { headers })
  const slow = connect(Number(env.DOCKET_PORT), '127.0.0.1')
  slow.write(
    `GET /api/v1/projects HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${headers.authorization}\r\n`,
  )
  let reply = ''
  slow.on('data', (chunk) => {
    reply += chunk
  })
  // It is received after the one that waits.
  assert.equal((await fetch(`${url}/readyz`)).status, 200)
  // As npm passes on a Ctrl-C. Two kinds, because the kernel may merge two equal signals.
  child.kill('SIGINT')
  child.kill('SIGTERM')
  await waitUntil('a readiness that is denied', async () => {
    const ready = await fetch(`${url}/readyz`)
    return ready.status === 503 && ready.headers.get('connection') === 'close'
  })
  const accepted = await fetch(`${url}/api/v1/projects`, { headers })
  assert.equal(accepted.status, 200, 'it still accepts')
  slow.write('\r\n')
  await once(slow, 'close')
  assert.match(reply, /^HTTP\/1\.1 200 /)
  assert.equal((await changes).status, 200)
  const { code, stderr } = await ended
  assert.equal(code, 0, stderr)
})

test('a signal more than two seconds after the first ends the server immediately', async (t) => {
  const { env, url, remove } = await newInstallation({ DOCKET_DRAIN_SECONDS: '20' })
  t.after(remove)
  const { child, ended } = await spawnServer(env)
  child.kill('SIGINT')
  await waitUntil('the first signal', async () => (await fetch(`${url}/readyz`)).status === 503)
  // Without a later one it would end in order, 20 seconds later, and with 0.
  await waitUntil('the end', () => {
    child.kill('SIGTERM')
    return child.exitCode !== null
  })
  assert.equal((await ended).code, 1)
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
    TEST_SERVER_OPTIONS: JSON.stringify({ databaseWaitSeconds: 0 }),
  }
  const cases: [Record<string, string>, RegExp][] = [
    [{ DOCKET_DATA_DIR: file }, /^\/.*file is not a directory\. Set DOCKET_DATA_DIR .*\n$/],
    [{ DOCKET_PORT: `${port}` }, /^Address .* is already in use\. Stop .*DOCKET_PORT\.\n$/],
    [{ DOCKET_HOST: '192.0.2.1' }, /^This machine does not have .*192\.0\.2\.1\. .*\n$/],
    [
      { DOCKET_DB_URL: 'y' },
      /^DOCKET_DB_URL is not a setting; did you mean DOCKET_DATABASE_URL\?\n$/,
    ],
    [unreachable, /^Docket cannot start with PostgreSQL at 127\.0\.0\.1:1\/docket: .* Check .*\n$/],
  ]
  const runs = cases.map(async ([settings, expected], at) => {
    const place = { DOCKET_DATA_DIR: join(dataDir, `${at}`) }
    const entry =
      'TEST_SERVER_OPTIONS' in settings
        ? findEntry('test/support/server-variants/with-options.ts')
        : undefined
    const { child, serves, ended } = await spawnServer({ ...env, ...place, ...settings }, entry)
    t.after(() => child.kill('SIGKILL'))
    assert.equal(serves, false, String(expected))
    const { code, stderr } = await ended
    assert.equal(code, 'DOCKET_DB_URL' in settings ? 78 : 1)
    assert.match(stderr, expected)
    assert.doesNotMatch(stderr, /hunter2/)
    assert.equal(
      existsSync(join(dataDir, `${at}`)),
      code !== 78 && !('DOCKET_DATA_DIR' in settings),
    )
  })
  await Promise.all(runs)
})

test('a folder that cannot be the data directory fails a command, without a stack', async () => {
  const folder = createTempDir()
  const file = join(folder, 'file')
  writeFileSync(file, '')
  const unusable = [file, join(file, 'below'), join(folder, 'a'.repeat(300)), '/dev/null']
  if (existsSync('/proc/self')) unusable.push('/proc/x', '/proc/x/y', '/proc')
  const owner = ['--owner-email', 'ada@example.com', '--owner-name', 'Ada']
  for (const dataDir of unusable) {
    const create = ['workspace', 'create', '--name', 'Acme', ...owner]
    const made = await runHostedCli({ DOCKET_DATA_DIR: dataDir }, ...create)
    assert.equal(made.code, 1, dataDir)
    assert.doesNotMatch(made.stderr, /\n {4}at /, dataDir)
  }
})
