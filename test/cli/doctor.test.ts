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
import { examine } from '#doctor/examine.ts'
import type { Finding } from '#doctor/finding.ts'
import { MIGRATIONS } from '#storage/migrations.ts'
import { installationOf } from '../../src/cli/installation.ts'
import { configFrom } from '../../src/config.ts'
import { emptyDir } from '../support/dir.ts'
import { mailServer } from '../support/mail.ts'
import { freePort } from '../support/port.ts'
import { emptyDatabase } from '../support/store.ts'
import { answerOf, docket, newPlace, serve } from './run.ts'

type Env = Record<string, string>

const place = emptyDir()
const good = join(place, 'good')
const OWNER = ['--owner-email', 'ada@example.com', '--owner-name', 'Ada']
await answerOf({ DOCKET_DATA_DIR: good }, 'workspace', 'create', '--name', 'Acme', ...OWNER)
const port = String(await freePort())

/** What is found in a copy of a good data directory after harm was done to it. */
async function found(env: Env, harm: (dataDir: string) => void = () => {}): Promise<Finding[]> {
  const dataDir = join(mkdtempSync(join(place, 'd-')), 'data')
  cpSync(good, dataDir, { recursive: true })
  chmodSync(dataDir, 0o700)
  harm(dataDir)
  const config = configFrom({ DOCKET_DATA_DIR: dataDir, DOCKET_PORT: port, ...env })
  const installation = installationOf(config)
  try {
    return await examine(config, installation.storage)
  } finally {
    await installation.close()
  }
}

/** The status of each check that is not well; every one says what to do. */
function ills(checks: readonly Finding[]): Record<string, string> {
  const ill = checks.filter(({ status }) => status !== 'ok')
  for (const { remedy, message } of ill) assert.ok(remedy, message)
  return Object.fromEntries(ill.map(({ check, status }) => [check, status]))
}

/** No server runs here. */
const IDLE = { 'base URL': 'warning' }

function inDatabase(sql: string) {
  return (dataDir: string) => {
    const db = new DatabaseSync(join(dataDir, 'docket.db'))
    db.exec(sql)
    db.close()
  }
}

test('a Docket that is well is found well, beside its server', async (t) => {
  const mail = await mailServer()
  t.after(mail.close)
  const sending = { DOCKET_SMTP_URL: mail.url, DOCKET_MAIL_FROM: 'docket@example.com' }
  const { env, remove, dataDir } = await newPlace(sending)
  t.after(remove)
  const { child } = await serve(env)
  t.after(() => child.kill('SIGKILL'))
  chmodSync(dataDir, 0o700)
  const { status, checks } = await answerOf<{ status: string; checks: Finding[] }>(env, 'doctor')
  assert.deepEqual([status, ills(checks)], ['ok', {}])
  assert.deepEqual(
    checks.map(({ check }) => check),
    [
      ...['settings', 'data directory', 'disk', 'database', 'schema', 'clock', 'integrity'],
      ...['secret', 'mail', 'files', 'limits', 'base URL', 'https', 'audit log', 'webhooks'],
    ],
  )
})

test('wrong settings are told with the others, and end with 1', async () => {
  const wrong = { DOCKET_DATA_DIR: good, DOCKET_PORT: 'x', DOCKET_SECRET: 'short' }
  const ran = await docket(wrong, 'doctor')
  assert.equal(ran.code, 1)
  assert.match(ran.stdout, /^FAILED .* DOCKET_PORT must/m)
  assert.match(ran.stdout, /^FAILED .* DOCKET_SECRET must/m)
  const slip = { DOCKET_DATA_DIR: good, DOCKET_PORT: port, DOCKET_DATADIR: '/x' }
  const warned = await docket(slip, 'doctor')
  assert.equal(warned.code, 0)
  assert.match(warned.stdout, /^WARNING .* DOCKET_DATADIR is no setting\n +→ Correct/m)
})

test('each harm is found, and only where it is', async () => {
  assert.deepEqual(ills(await found({})), IDLE)
  const ways: [Env, ((dataDir: string) => void) | undefined, Record<string, string>][] = [
    [{ DOCKET_SECRET: 'another secret than its own' }, undefined, { secret: 'failed' }],
    [{}, (dir) => rmSync(join(dir, 'secret')), { secret: 'failed' }],
    [{}, (dir) => chmodSync(join(dir, 'secret'), 0o644), { secret: 'warning' }],
    [{}, (dir) => chmodSync(dir, 0o755), { 'data directory': 'warning' }],
    [
      { DOCKET_SMTP_URL: 'smtp://127.0.0.1:1', DOCKET_MAIL_FROM: 'a@example.com' },
      undefined,
      { mail: 'failed' },
    ],
    [
      { DOCKET_BASE_URL: 'http://nowhere.invalid' },
      undefined,
      { 'base URL': 'failed', https: 'warning' },
    ],
    [{ DOCKET_DATABASE_URL: 'postgres://a:b@127.0.0.1:1/c' }, undefined, { database: 'failed' }],
    [BUCKET, undefined, { files: 'failed' }],
    [{ DOCKET_REDIS_URL: 'redis://127.0.0.1:1' }, undefined, { limits: 'failed' }],
    [{}, (dir) => utimesSync(join(dir, 'docket.db'), TOMORROW, TOMORROW), { clock: 'failed' }],
    [{}, (dir) => writeFileSync(join(dir, 'docket.db'), 'no database'), { database: 'failed' }],
    [{}, inDatabase('pragma user_version = 99'), { schema: 'failed' }],
    [{}, inDatabase(BORNE), { schema: 'warning' }],
    [{}, inDatabase('create table unfinished_move (n integer)'), { schema: 'failed' }],
    [{}, inDatabase("insert into installation values ('sending', 'nowhere 1')"), PAUSED],
    [{}, inDatabase('delete from audit_entries'), { 'audit log': 'failed' }],
  ]
  for (const [env, harm, expected] of ways) {
    assert.deepEqual(ills(await found(env, harm)), { ...IDLE, ...expected })
  }
})

const [NOW, NEXT] = [MIGRATIONS.length, MIGRATIONS.length + 1]
const BORNE = `pragma user_version = ${NEXT}; insert into installation values ('schema ${NEXT}', ${NOW})`
const PAUSED = { webhooks: 'warning' }
const TOMORROW = Date.now() / 1000 + 86_400
const BUCKET = {
  DOCKET_S3_ENDPOINT: 'http://127.0.0.1:1',
  ...{ DOCKET_S3_BUCKET: 'files', DOCKET_S3_REGION: 'eu' },
  ...{ DOCKET_S3_ACCESS_KEY_ID: 'a', DOCKET_S3_SECRET_ACCESS_KEY: 'b' },
}

test('a damaged page is found that only a look at all of them finds', async () => {
  const harmed = await found({}, (dataDir) => {
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
  assert.deepEqual(ills(harmed), { ...IDLE, integrity: 'failed' })
})

test('PostgreSQL is found well, and changed by nothing', async () => {
  const { url, admin } = await emptyDatabase()
  const env = { DOCKET_DATABASE_URL: url, DOCKET_SECRET: 'a secret of the tests only' }
  assert.deepEqual(ills(await found(env)), IDLE)
  const { rows } = await admin.query(
    'select count(*)::int as n from pg_tables where schemaname = $1',
    ['public'],
  )
  assert.deepEqual(rows, [{ n: 0 }], 'it makes no tables')
  await answerOf({ ...env, DOCKET_DATA_DIR: good }, 'migrate')
  assert.deepEqual(ills(await found(env)), IDLE)
})
