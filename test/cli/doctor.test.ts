import assert from 'node:assert/strict'
import {
  chmodSync,
  cpSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { parseConfig } from '#config/config.ts'
import { MIGRATIONS } from '#db/migrate/migrations.ts'
import type { Finding } from '#doctor/finding.ts'
import { runDoctor } from '#doctor/run-doctor.ts'
import { createEmptyDatabase } from '../support/engines/test-database.ts'
import { startSmtpServer } from '../support/services/smtp-server.ts'
import { createTempDir } from '../support/system/temp-dir.ts'
import { type CliEnv, newInstallation, spawnServer } from './run-cli.ts'
import { runHostedCli, runHostedCliJson } from './run-hosted-cli.ts'

const testDir = createTempDir()
const healthyDir = join(testDir, 'good')
const OWNER = ['--owner-email', 'ada@example.com', '--owner-name', 'Ada']
await runHostedCliJson(
  { DOCKET_DATA_DIR: healthyDir },
  'workspace',
  'create',
  '--name',
  'Acme',
  ...OWNER,
)

/** Runs the doctor on a copy of a healthy data directory after it was damaged. */
async function examineDamaged(
  env: CliEnv,
  damage: (dataDir: string) => void = () => {},
): Promise<Finding[]> {
  const dataDir = join(mkdtempSync(join(testDir, 'd-')), 'data')
  cpSync(healthyDir, dataDir, { recursive: true })
  chmodSync(dataDir, 0o700)
  damage(dataDir)
  return runDoctor(parseConfig({ DOCKET_DATA_DIR: dataDir, ...env }))
}

/** The status of each failed check; each of them must have a remedy. */
function problemsIn(checks: readonly Finding[]): Record<string, string> {
  const failed = checks.filter(({ status }) => status !== 'ok')
  for (const { remedy, message } of failed) assert.ok(remedy, message)
  return Object.fromEntries(failed.map(({ check, status }) => [check, status]))
}

function inDatabase(sql: string) {
  return (dataDir: string) => {
    const db = new DatabaseSync(join(dataDir, 'docket.db'))
    db.exec(sql)
    db.close()
  }
}

test('doctor reports ok for a healthy installation with a running server, also beside variables of clients', async (t) => {
  const mail = await startSmtpServer()
  t.after(mail.close)
  const sending = { DOCKET_SMTP_URL: mail.url, DOCKET_MAIL_FROM: 'docket@example.com' }
  const ofClients = { DOCKET_KEY: 'dkt_x', DOCKET_URL: 'http://x' }
  const { env, remove, dataDir } = await newInstallation({ ...sending, ...ofClients })
  t.after(remove)
  const { child, serves } = await spawnServer(env)
  t.after(() => child.kill('SIGKILL'))
  assert.ok(serves)
  chmodSync(dataDir, 0o700)
  const { status, checks } = await runHostedCliJson<{ status: string; checks: Finding[] }>(
    env,
    'doctor',
  )
  assert.deepEqual([status, problemsIn(checks)], ['ok', {}])
  assert.deepEqual(
    checks.map(({ check }) => check),
    [
      'settings',
      'https',
      'data directory',
      'disk',
      'database',
      'schema',
      'clock',
      'integrity',
      'secret',
      'mail',
      'files',
    ],
  )
})

test('doctor reports invalid settings and exits with 1', async () => {
  const wrong = {
    DOCKET_DATA_DIR: healthyDir,
    DOCKET_PORT: 'x',
    DOCKET_SECRET: 'short',
    DOCKET_DATADIR: '/x',
  }
  const ran = await runHostedCli(wrong, 'doctor')
  assert.equal(ran.code, 1)
  assert.match(ran.stdout, /^FAILED .* DOCKET_PORT must/m)
  assert.match(ran.stdout, /^FAILED .* DOCKET_SECRET must/m)
  assert.match(ran.stdout, /^FAILED .* DOCKET_DATADIR is not a setting; .*\n +→ Correct/m)
})

test('doctor reports each problem in its own check only', async () => {
  assert.deepEqual(problemsIn(await examineDamaged({})), {})
  const cases: [CliEnv, ((dataDir: string) => void) | undefined, Record<string, string>][] = [
    [{ DOCKET_SECRET: 'another secret than its own' }, undefined, { secret: 'failed' }],
    [{}, (dir) => rmSync(join(dir, 'secret')), { secret: 'failed' }],
    [{}, (dir) => chmodSync(join(dir, 'secret'), 0o644), { secret: 'warning' }],
    [{}, (dir) => chmodSync(dir, 0o755), { 'data directory': 'warning' }],
    [
      { DOCKET_SMTP_URL: 'smtp://127.0.0.1:1', DOCKET_MAIL_FROM: 'a@example.com' },
      undefined,
      { mail: 'failed' },
    ],
    [{ DOCKET_BASE_URL: 'http://docket.example.com' }, undefined, { https: 'warning' }],
    [{ DOCKET_BASE_URL: 'https://docket.example.com' }, undefined, { https: 'warning' }],
    [{ DOCKET_DATABASE_URL: 'postgres://a:b@127.0.0.1:1/c' }, undefined, { database: 'failed' }],
    [UNREACHABLE_BUCKET, undefined, { files: 'failed' }],
    [{}, (dir) => utimesSync(join(dir, 'docket.db'), TOMORROW, TOMORROW), { clock: 'failed' }],
    [{}, (dir) => writeFileSync(join(dir, 'docket.db'), 'no database'), { database: 'failed' }],
    [{}, inDatabase('pragma user_version = 99'), { schema: 'failed' }],
    [{}, inDatabase(COMPATIBLE_NEWER_SCHEMA), { schema: 'warning' }],
  ]
  for (const [env, damage, expected] of cases) {
    assert.deepEqual(problemsIn(await examineDamaged(env, damage)), expected)
  }
})

const [CURRENT_VERSION, NEXT_VERSION] = [MIGRATIONS.length, MIGRATIONS.length + 1]
const COMPATIBLE_NEWER_SCHEMA = `pragma user_version = ${NEXT_VERSION}; insert into installation values ('schema ${NEXT_VERSION}', ${CURRENT_VERSION})`
const TOMORROW = Date.now() / 1000 + 86_400
const UNREACHABLE_BUCKET = {
  DOCKET_S3_ENDPOINT: 'http://127.0.0.1:1',
  DOCKET_S3_BUCKET: 'files',
  DOCKET_S3_REGION: 'eu',
  DOCKET_S3_ACCESS_KEY_ID: 'a',
  DOCKET_S3_SECRET_ACCESS_KEY: 'b',
}

test('doctor finds a damaged page by a full integrity check', async () => {
  const findings = await examineDamaged({}, (dataDir) => {
    const path = join(dataDir, 'docket.db')
    const db = new DatabaseSync(path)
    const page = db
      .prepare("select rootpage as n from sqlite_schema where name = 'tasks_due'")
      .get()
    db.close()
    const noise = Buffer.alloc(64, 0xa5)
    const bytes = Buffer.from(readFileSync(path))
    noise.copy(bytes, (Number(page?.n) - 1) * 4096)
    writeFileSync(path, bytes)
  })
  assert.deepEqual(problemsIn(findings), { integrity: 'failed' })
})

test('doctor checks PostgreSQL without changing it', async () => {
  const { url, admin } = await createEmptyDatabase()
  const env = { DOCKET_DATABASE_URL: url, DOCKET_SECRET: 'a secret of the tests only' }
  assert.deepEqual(problemsIn(await examineDamaged(env)), {})
  const { rows } = await admin.query(
    'select count(*)::int as n from pg_tables where schemaname = $1',
    ['public'],
  )
  assert.deepEqual(rows, [{ n: 0 }], 'it makes no tables')
  await runHostedCliJson({ ...env, DOCKET_DATA_DIR: healthyDir }, 'migrate')
  assert.deepEqual(problemsIn(await examineDamaged(env)), {})
})
