import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { moveTo } from '#moving/place.ts'
import { fieldsOf, lineOf } from '#storage/move/line.ts'
import { copyIn, copyOut } from '#storage/move/postgres-copy.ts'
import { openPostgresSource } from '#storage/move/postgres-source.ts'
import { openSqliteSource } from '#storage/move/sqlite-source.ts'
import { openStore } from '#storage/open.ts'
import { emptyDir } from '#test/support/dir.ts'
import { emptyDatabase, surroundings } from '#test/support/store.ts'

const signs = Array.from({ length: 0x2ff }, (_, at) => String.fromCodePoint(at + 1)).join('')
const texts = [
  signs,
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

test('a line is what PostgreSQL reads and writes by itself, whatever a text holds', async () => {
  const { url, admin } = await emptyDatabase()
  await admin.query('create table lines (n bigint primary key, text text)')
  const rows = texts.map((text, n) => [n === 0 ? Number.MAX_SAFE_INTEGER : n, text])
  const lines = rows.map(lineOf)
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
    lines.map((line) => fieldsOf(line)[1]),
    texts,
  )
  // A statement that fails leaves the connection as it was.
  await assert.rejects(copyIn(client, 'copy lines from stdin', Buffer.from('x\ty\n')), /bigint/)
  await assert.rejects(copyIn(client, 'copy none from stdin', Buffer.from('\n')), /none/)
  assert.equal((await client.query('select count(*)::int as n from lines')).rows[0].n, texts.length)
  await client.end()
})

/** A store that was opened once, and so has a little in it. */
async function opened(databaseUrl?: string): Promise<string> {
  const dataDir = emptyDir()
  const secret = 'a secret of the tests only'
  const { storage } = await openStore({ dataDir, databaseUrl, secret, ...surroundings })
  await storage.close()
  return dataDir
}

test('both engines have the same tables, but for words', async () => {
  const { url } = await emptyDatabase()
  await opened(url)
  const [sqlite, postgres] = [openSqliteSource(await opened()), await openPostgresSource(url)]
  assert.deepEqual(await sqlite?.shapes(), await postgres.shapes())
  await Promise.all([sqlite?.close(), postgres.close()])
})

test('what others keep in the same database stays as it is', async () => {
  const { url, admin } = await emptyDatabase()
  await admin.query(
    `create table others (n integer, at timestamptz default now());
      create table more (n integer primary key);
      alter table others add foreign key (n) references more;
      create index others_n on others (n); insert into more values (1); insert into others values (1)`,
  )
  const look = async () => {
    const { rows } = await admin.query(
      `select (select array_agg(o::text) from others as o) as rows, to_regclass('others_n') as index,
        (select count(*)::int from pg_constraint where conrelid = 'others'::regclass) as references`,
    )
    return rows
  }
  const before = await look()
  const dataDir = await opened()
  const values = { moved: 'yes' }
  const quiet = () => {}
  const there = await moveTo({ dataDir, toUrl: url }, values, quiet)
  assert.deepEqual(await look(), before)
  const back = await moveTo({ url, toDir: join(dataDir, 'back') }, {}, quiet)
  const rowsOf = (table: string, { tables }: typeof back) =>
    tables.find((one) => one.table === table)?.rows
  assert.equal(rowsOf('installation', back), 1 + (rowsOf('installation', there) ?? 0))
  assert.deepEqual(await look(), before)
})
