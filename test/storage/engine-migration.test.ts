import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import pg from 'pg'
import { loadAuthVersion } from '#auth/auth-version.ts'
import { copyIn, copyOut, formatCopyRow, parseCopyRow } from '#db/copy/postgres-copy-protocol.ts'
import { openPostgresSource } from '#db/copy/postgres-source.ts'
import { openSqliteSource } from '#db/copy/sqlite-source.ts'
import { openStore } from '#db/installation/open-store.ts'
import { migrateEngine } from '#engine-migration/migrate-engine.ts'
import type { CliEnv } from '#test/cli/run-cli.ts'
import { runHostedCliJson } from '#test/cli/run-hosted-cli.ts'
import { createEmptyDatabase, TEST_STORE_OPTIONS } from '#test/support/engines/test-database.ts'
import { openTestDocket } from '#test/support/engines/test-docket.ts'
import { createTempDir } from '#test/support/system/temp-dir.ts'
import { TEST_SECRET } from '#test/support/system/test-secret.ts'
import { createCookieClient } from '#test/support/world/cookie-client.ts'
import { createSignedInWorkspace } from '#test/tenants-and-roles/internal-records.ts'

const allCharacters = Array.from({ length: 0x2ff }, (_, at) => String.fromCodePoint(at + 1)).join(
  '',
)
const texts = [
  allCharacters,
  '',
  '\\N',
  '\\.',
  '\\',
  '\t',
  '\r\n',
  "'",
  '\u2028\u{1f680}\uffff',
  '\\134n',
  null,
]

test('the row format of copies equals that of COPY, for any text', async () => {
  const { url, admin } = await createEmptyDatabase()
  await admin.query('create table lines (n bigint primary key, text text)')
  const rows = texts.map((text, n) => [n === 0 ? Number.MAX_SAFE_INTEGER : n, text])
  const lines = rows.map(formatCopyRow)
  const client = new pg.Client(url)
  await client.connect()
  await copyIn(client, 'copy lines from stdin', Buffer.from(`${lines.join('\n')}\n`))
  const { rows: found } = await admin.query('select n::text, text from lines')
  assert.deepEqual(
    found.map(({ n, text }) => [Number(n), text]),
    rows,
  )
  const back: string[] = []
  await copyOut(client, 'copy lines to stdout', (row) => back.push(Buffer.from(row).toString()))
  assert.deepEqual(
    back,
    lines.map((line) => `${line}\n`),
  )
  assert.deepEqual(
    lines.map((line) => parseCopyRow(line)[1]),
    texts,
  )
  // A failed statement leaves the connection usable.
  await assert.rejects(copyIn(client, 'copy lines from stdin', Buffer.from('x\ty\n')), /bigint/)
  await assert.rejects(copyIn(client, 'copy none from stdin', Buffer.from('\n')), /none/)
  assert.equal((await client.query('select count(*)::int as n from lines')).rows[0].n, texts.length)
  await client.end()
})

/** Creates a store by opening it once. */
async function createStore(databaseUrl?: string): Promise<string> {
  const dataDir = createTempDir()
  const secret = 'a secret of the tests only'
  const { storage } = await openStore({ dataDir, databaseUrl, secret, ...TEST_STORE_OPTIONS })
  await storage.close()
  return dataDir
}

test('both engines have the same tables, except those of search words', async () => {
  const { url } = await createEmptyDatabase()
  await createStore(url)
  const [sqlite, postgres] = [openSqliteSource(await createStore()), await openPostgresSource(url)]
  assert.deepEqual(await sqlite?.listTables(), await postgres.listTables())
  await Promise.all([sqlite?.close(), postgres.close()])
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
  const values = { moved: 'yes' }
  const ignoreProgress = () => {}
  const outward = await migrateEngine({ dataDir, toUrl: url }, values, ignoreProgress)
  assert.deepEqual(await readOtherTables(), before)
  const back = await migrateEngine({ url, toDir: join(dataDir, 'back') }, {}, ignoreProgress)
  const rowsOf = (table: string, { tables }: typeof back) =>
    tables.find((one) => one.table === table)?.rows
  // `moved`, and the history of changes.
  assert.equal(rowsOf('installation', back), 2 + (rowsOf('installation', outward) ?? 0))
  assert.deepEqual(await readOtherTables(), before)
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
  await migrateEngine({ dataDir, toUrl: url }, {}, () => {})
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
