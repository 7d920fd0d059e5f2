import assert from 'node:assert/strict'
import { cpSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { NOBODY } from '#core/actor.ts'
import type { Storage } from '#core/tx.ts'
import { addWebhook } from '#resources/webhooks/operations.ts'
import { installationValue } from '#storage/open.ts'
import { openPostgres } from '#storage/postgres.ts'
import { openSqlite } from '#storage/sqlite.ts'
import { commandOfAll } from '#storage/statement.ts'
import { emptyDir } from '#test/support/dir.ts'
import { newHome } from '#test/support/home.ts'
import { atEnd, closing, emptyDatabase, surroundings } from '#test/support/store.ts'
import { homeOf } from './home.ts'

/** Makes what a database must have for it to matter where it is: a webhook. */
async function withWebhook(storage: Storage): Promise<Storage> {
  const { workspace, people } = await newHome(storage)
  await storage.write({ ...NOBODY, workspace_id: workspace, role: 'owner' }, (tx) =>
    addWebhook(tx, { url: 'https://example.com', events: ['*'] }, people.owner),
  )
  return storage
}

const openIn = (dataDir: string) =>
  closing(openSqlite({ path: join(dataDir, 'docket.db'), ...surroundings }))

async function inDirectory() {
  const dataDir = emptyDir()
  const storage = await withWebhook(openIn(dataDir))
  return { dataDir, storage, home: homeOf(storage, dataDir), file: join(dataDir, 'sending') }
}

/** The row that the database keeps, and a way to put another in its place. */
const rowOf = (storage: Storage) =>
  storage.read(NOBODY, (tx) => tx.one(installationValue, { name: 'sending' }))
const setRow = (storage: Storage, value: string) =>
  storage.write(NOBODY, (tx) => tx.run(changeRow, { value }))
const changeRow = commandOfAll((db, $: { value: string }) =>
  db.updateTable('installation').set({ value: $.value }).where('name', '=', 'sending'),
)

test('a database that was never sent from is at home, once and for all', async () => {
  const { storage, home, file } = await inDirectory()
  assert.equal(await home.whyNot(), undefined)
  const row = await rowOf(storage)
  assert.ok(existsSync(file))
  assert.equal(await home.whyNot(), undefined)
  assert.deepEqual(await rowOf(storage), row)
})

test('a kill between file and database changes nothing, at whichever beat and how often', async () => {
  const { dataDir, storage, home } = await inDirectory()
  const failing = { ...storage, write: () => Promise.reject(new Error('killed')) }
  const killed = homeOf(failing, dataDir)
  await assert.rejects(killed.whyNot(), /killed/)
  assert.equal(await home.whyNot(), undefined, 'killed at the very first')
  for (let beat = 0; beat < 5; beat++) {
    for (let times = 0; times < 3; times++) await assert.rejects(killed.beat(), /killed/)
    assert.equal(await home.whyNot(), undefined)
    await home.beat()
    assert.equal(await home.whyNot(), undefined)
  }
})

test('a database that is behind by more than one beat is older', async () => {
  const { storage, home } = await inDirectory()
  await home.whyNot()
  const before = (await rowOf(storage))?.value ?? ''
  await home.beat()
  await setRow(storage, before)
  assert.equal(await home.whyNot(), undefined, 'a kill may have done that')
  await home.beat()
  await home.beat()
  await setRow(storage, before)
  assert.equal(await home.whyNot(), 'older')
  await home.settle()
  assert.equal(await home.whyNot(), undefined)
})

test('without its file, or with a copy or the file of another, it is elsewhere', async () => {
  const { dataDir, storage, home, file } = await inDirectory()
  await home.whyNot()
  const bare = emptyDir()
  assert.equal(await homeOf(storage, bare).whyNot(), 'elsewhere')
  cpSync(file, join(bare, 'sending'), { preserveTimestamps: true })
  assert.equal(await homeOf(storage, bare).whyNot(), 'elsewhere')
  const other = await inDirectory()
  await other.home.whyNot()
  assert.equal(await homeOf(storage, other.dataDir).whyNot(), 'elsewhere')
  writeFileSync(file, '')
  assert.equal(await homeOf(storage, dataDir).whyNot(), 'elsewhere')
})

test('a pause holds until it is over, and no beat ends it', async () => {
  const { home } = await inDirectory()
  await home.whyNot()
  await home.pause()
  await home.beat()
  assert.equal(await home.whyNot(), 'paused')
  await home.settle()
  assert.equal(await home.whyNot(), undefined)
})

test('a database without webhooks is at home beside the file of one that is gone', async () => {
  const { dataDir, home, file } = await inDirectory()
  await home.whyNot()
  for (let beat = 0; beat < 3; beat++) await home.beat()
  const anew = emptyDir()
  cpSync(file, join(anew, 'sending'))
  assert.equal(await homeOf(openIn(anew), anew).whyNot(), undefined)
  const older = await withWebhook(openIn(emptyDir()))
  assert.equal(await homeOf(older, dataDir).whyNot(), 'older')
})

test('a dump of PostgreSQL is elsewhere, restored into another database or over its own', async () => {
  const { url, admin } = await emptyDatabase()
  const first = await openPostgres({ url, ...surroundings })
  await withWebhook(first)
  assert.equal(await homeOf(first, '').whyNot(), undefined)
  await homeOf(first, '').beat()
  assert.equal(await homeOf(first, '').whyNot(), undefined)
  await first.close()

  const clone = `${new URL(url).pathname.slice(1)}_clone`
  const server = new pg.Client(process.env.TEST_POSTGRES)
  await server.connect()
  atEnd(() => server.end())
  await server.query(`create database ${clone} template template0`)
  atEnd(() => server.query(`drop database ${clone} with (force)`))
  const cloned = closing(await openPostgres({ url: url.replace(/[^/]+$/, clone), ...surroundings }))
  await withWebhook(cloned)
  const { rows } = await admin.query("select * from installation where name = 'sending'")
  await cloned.write(NOBODY, (tx) => tx.run(insertRow, { value: rows[0].value }))
  assert.equal(await homeOf(cloned, '').whyNot(), 'elsewhere')
  await homeOf(cloned, '').settle()
  assert.equal(await homeOf(cloned, '').whyNot(), undefined)

  await admin.query(`alter table installation rename to former;
    create table installation (like former including all);
    insert into installation select * from former`)
  const restored = closing(await openPostgres({ url, ...surroundings }))
  assert.equal(await homeOf(restored, '').whyNot(), 'elsewhere')
})

const insertRow = commandOfAll((db, $: { value: string }) =>
  db.insertInto('installation').values({ name: 'sending', value: $.value }),
)
