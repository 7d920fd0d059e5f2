import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { loadAuthVersion } from '#auth/auth-version.ts'
import { openStore } from '#db/installation/open-store.ts'
import { copyFromSqlite } from '#db/postgres/copy-from-sqlite.ts'
import type { CliEnv } from '#test/cli/run-cli.ts'
import { runHostedCliJson } from '#test/cli/run-hosted-cli.ts'
import { createEmptyDatabase, TEST_STORE_OPTIONS } from '#test/support/engines/test-database.ts'
import { openTestDocket } from '#test/support/engines/test-docket.ts'
import { createTempDir } from '#test/support/system/temp-dir.ts'
import { TEST_SECRET } from '#test/support/system/test-secret.ts'
import { createCookieClient } from '#test/support/world/cookie-client.ts'
import { createSignedInWorkspace } from '#test/tenants-and-roles/internal-records.ts'

const ALL_CHARACTERS = Array.from({ length: 0x2ff }, (_, at) => String.fromCodePoint(at + 1))
const TEXTS = [
  ALL_CHARACTERS.join(''),
  '',
  '\\N',
  '\\u0041',
  '\t',
  '\r\n',
  "'",
  '\u007f\u2028\u{1f680}\uffff',
]

/** Creates a store by opening it once. */
async function createStore(databaseUrl?: string): Promise<string> {
  const dataDir = createTempDir()
  const secret = 'a secret of the tests only'
  const { storage } = await openStore({ dataDir, databaseUrl, secret, ...TEST_STORE_OPTIONS })
  await storage.close()
  return dataDir
}

const copyTo = (dataDir: string, url: string, values: Record<string, string> = {}) =>
  copyFromSqlite({ dataDir, url, values, onProgress() {} })

/** Changes the rows of a store that nobody serves. */
function changeRows(dataDir: string, change: (db: DatabaseSync) => void): void {
  const db = new DatabaseSync(join(dataDir, 'docket.db'))
  change(db)
  db.close()
}

test('a migration copies any text', async () => {
  const dataDir = await createStore()
  changeRows(dataDir, (db) => {
    const insert = db.prepare('insert into attempts values (?, ?, ?, ?)')
    for (const [at, text] of TEXTS.entries()) insert.run(`${at}`, text, text, text)
  })
  const { url, admin } = await createEmptyDatabase()
  const copied = await copyTo(dataDir, url)
  assert.equal(copied.find(({ table }) => table === 'attempts')?.rows, TEXTS.length)
  const { rows } = await admin.query('select failed_at, kept_until from attempts order by subject')
  const expected = TEXTS.map((text) => ({ failed_at: text, kept_until: text }))
  assert.deepEqual(rows, expected)
})

test('a migration that cannot copy a row, or finds a difference, leaves the target empty', async () => {
  const dataDir = await createStore()
  const { url, admin } = await createEmptyDatabase()
  for (const [value, expected] of [
    // A text for PostgreSQL, whose checksum is not that of these bytes.
    ["x'01'", /attempts has 1 rows with the checksum/],
    ["'a' || char(0)", /unsupported Unicode|0x00/],
  ] as const) {
    changeRows(dataDir, (db) => {
      db.exec(`delete from attempts; insert into attempts values ('a', ${value}, '', '')`)
    })
    await assert.rejects(copyTo(dataDir, url), expected)
    const state = await admin.query("select to_regclass('schema_version') as version")
    assert.deepEqual(state.rows, [{ version: null }])
  }
})

test('a migration between engines leaves other tables of the database unchanged', async () => {
  const { url, admin } = await createEmptyDatabase()
  await admin.query(
    `create table others (n integer, at timestamptz default now());
      create table more (n integer primary key);
      alter table others add foreign key (n) references more;
      create index others_n on others (n); insert into more values (1); insert into others values (1)`,
  )
  const readOtherTables = async () => {
    const { rows } = await admin.query(
      `select (select array_agg(o::text) from others as o) as rows, to_regclass('others_n') as index,
        (select count(*)::int from pg_constraint where conrelid = 'others'::regclass) as references`,
    )
    return rows
  }
  const before = await readOtherTables()
  const dataDir = await createStore()
  const copied = await copyTo(dataDir, url, { moved: 'yes' })
  assert.deepEqual(await readOtherTables(), before)
  const { rows } = await admin.query('select count(*)::int as n from installation')
  // `moved`, and the history of changes.
  const installation = copied.find(({ table }) => table === 'installation')
  assert.equal(rows[0].n, 2 + (installation?.rows ?? 0))
  await assert.rejects(copyTo(dataDir, url), { code: 'store_not_empty' })
})

test('access can be changed after a migration from SQLite', async () => {
  const dataDir = createTempDir()
  const onSqlite = { DOCKET_DATA_DIR: dataDir, DOCKET_SECRET: TEST_SECRET }
  const workspaceOptions = ['--owner-email', 'ada@example.com', '--owner-name', 'Ada']
  const create = ['workspace', 'create', '--name', 'A', ...workspaceOptions]
  const created = await runHostedCliJson(onSqlite, ...create)
  const [workspace, owner] = [`--workspace=${created.workspace_id}`, `--user=${created.user_id}`]
  const addMember = (env: CliEnv, name: string) => {
    const options = ['--email', `${name}@example.com`, '--name', name, '--role', 'member']
    return runHostedCliJson(env, 'member', 'add', workspace, ...options)
  }
  for (const name of ['bea', 'cem', 'dan', 'eva']) await addMember(onSqlite, name)
  // Earlier builds stored the version as `6.0`.
  const sqlite = new DatabaseSync(join(dataDir, 'docket.db'))
  sqlite.exec("update installation set value = value || '.0' where name = 'identity_generation'")
  sqlite.close()

  const { url } = await createEmptyDatabase()
  await copyTo(dataDir, url)
  const served = await openTestDocket('postgres', { DOCKET_DATABASE_URL: url })
  assert.equal(await loadAuthVersion(served.storage), '5.0')
  const world = await createSignedInWorkspace(served)
  const invitation = { method: 'POST', url: '/internal/invitations' } as const
  const invited = await served.server.inject({
    ...invitation,
    headers: world.sessions.owner.headers,
    payload: { email: 'new@example.com', role: 'admin' },
  })
  const accepted = await createCookieClient(served.server).send(
    'POST /internal/invitations/accept',
    {
      token: String(invited.json().accept_url.split('/').at(-1)),
      name: 'New',
      password: 'plum tart at noon',
    },
  )
  assert.equal(accepted.status, 201)

  const onPostgres = { ...onSqlite, DOCKET_DATABASE_URL: url }
  const run = (...words: string[]) => runHostedCliJson(onPostgres, ...words)
  await addMember(onPostgres, 'fay')
  const type = ['--type', 'public', '--redirect-uri', 'https://a.example/cb']
  await run('app', 'create', workspace, '--name', 'A', '--scopes', 'tasks:read', ...type)
  const key = await run('key', 'create', workspace, owner, '--scopes', 'full')
  await run('key', 'revoke', '--key', String(key.id), '--yes')
  await run(...create)
  assert.match((await loadAuthVersion(served.storage)) ?? '', /^\d+$/)
})
