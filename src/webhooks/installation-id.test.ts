import assert from 'node:assert/strict'
import { cpSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import { unscopedCommand } from '#db/core/statement.ts'
import { installationValue } from '#db/installation/open-store.ts'
import { openPostgres } from '#db/postgres/open-postgres.ts'
import { openSqlite } from '#db/sqlite/open-sqlite.ts'
import { createWebhookAs } from '#resources/webhooks/operations.ts'
import {
  atEnd,
  closeAfterFile,
  createEmptyDatabase,
  TEST_STORE_OPTIONS,
} from '#test/support/engines/test-database.ts'
import { createTempDir } from '#test/support/system/temp-dir.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import { openInstallationId } from './installation-id.ts'

/** Adds a webhook: without one it does not matter which installation a database belongs to. */
async function withWebhook(storage: Storage): Promise<Storage> {
  const { workspace, people } = await createTestWorkspace(storage)
  await storage.write({ ...ANONYMOUS_ACTOR, workspace_id: workspace, role: 'owner' }, (tx) =>
    createWebhookAs(tx, { url: 'https://example.com', events: ['*'] }, people.owner),
  )
  return storage
}

const openIn = (dataDir: string) =>
  closeAfterFile(openSqlite({ path: join(dataDir, 'docket.db'), ...TEST_STORE_OPTIONS }))

async function inDirectory() {
  const dataDir = createTempDir()
  const storage = await withWebhook(openIn(dataDir))
  return {
    dataDir,
    storage,
    team: openInstallationId(storage, dataDir),
    file: join(dataDir, 'sending'),
  }
}

/** Reads and replaces the fingerprint that the database stores. */
const rowOf = (storage: Storage) =>
  storage.read(ANONYMOUS_ACTOR, (tx) => tx.one(installationValue, { name: 'sending' }))
const setRow = (storage: Storage, value: string) =>
  storage.write(ANONYMOUS_ACTOR, (tx) => tx.run(changeRow, { value }))
const changeRow = unscopedCommand((db, $: { value: string }) =>
  db.updateTable('installation').set({ value: $.value }).where('name', '=', 'sending'),
)

test('assigns a database that was never sent from to this installation once', async () => {
  const { storage, team, file } = await inDirectory()
  assert.equal(await team.findMismatch(), undefined)
  const row = await rowOf(storage)
  assert.ok(existsSync(file))
  assert.equal(await team.findMismatch(), undefined)
  assert.deepEqual(await rowOf(storage), row)
})

test('a kill between the writes to file and database never causes a mismatch', async () => {
  const { dataDir, storage, team } = await inDirectory()
  const failing = { ...storage, write: () => Promise.reject(new Error('killed')) }
  const killed = openInstallationId(failing, dataDir)
  await assert.rejects(killed.findMismatch(), /killed/)
  assert.equal(await team.findMismatch(), undefined, 'killed at the very first')
  for (let beat = 0; beat < 5; beat++) {
    for (let times = 0; times < 3; times++) await assert.rejects(killed.recordHeartbeat(), /killed/)
    assert.equal(await team.findMismatch(), undefined)
    await team.recordHeartbeat()
    assert.equal(await team.findMismatch(), undefined)
  }
})

test('reports a database that is behind by more than one heartbeat as older', async () => {
  const { storage, team } = await inDirectory()
  await team.findMismatch()
  const before = (await rowOf(storage))?.value ?? ''
  await team.recordHeartbeat()
  await setRow(storage, before)
  assert.equal(await team.findMismatch(), undefined, 'a kill may have done that')
  await team.recordHeartbeat()
  await team.recordHeartbeat()
  await setRow(storage, before)
  assert.equal(await team.findMismatch(), 'older')
  await team.resume()
  assert.equal(await team.findMismatch(), undefined)
})

test('reports a database without its original fingerprint file as elsewhere', async () => {
  const { dataDir, storage, team, file } = await inDirectory()
  await team.findMismatch()
  const otherDir = createTempDir()
  assert.equal(await openInstallationId(storage, otherDir).findMismatch(), 'elsewhere')
  cpSync(file, join(otherDir, 'sending'), { preserveTimestamps: true })
  assert.equal(await openInstallationId(storage, otherDir).findMismatch(), 'elsewhere')
  const other = await inDirectory()
  await other.team.findMismatch()
  assert.equal(await openInstallationId(storage, other.dataDir).findMismatch(), 'elsewhere')
  writeFileSync(file, '')
  assert.equal(await openInstallationId(storage, dataDir).findMismatch(), 'elsewhere')
})

test('sending stays paused until it is resumed, whatever heartbeats are recorded', async () => {
  const { team } = await inDirectory()
  await team.findMismatch()
  await team.pause()
  await team.recordHeartbeat()
  assert.equal(await team.findMismatch(), 'paused')
  await team.resume()
  assert.equal(await team.findMismatch(), undefined)
})

test('a database without webhooks replaces a fingerprint file that was left behind', async () => {
  const { dataDir, team, file } = await inDirectory()
  await team.findMismatch()
  for (let beat = 0; beat < 3; beat++) await team.recordHeartbeat()
  const newDir = createTempDir()
  cpSync(file, join(newDir, 'sending'))
  assert.equal(await openInstallationId(openIn(newDir), newDir).findMismatch(), undefined)
  const older = await withWebhook(openIn(createTempDir()))
  assert.equal(await openInstallationId(older, dataDir).findMismatch(), 'older')
})

test('reports a restored dump of PostgreSQL as elsewhere, in another database or its own', async () => {
  const { url, admin } = await createEmptyDatabase()
  const first = await openPostgres({ url, ...TEST_STORE_OPTIONS })
  await withWebhook(first)
  assert.equal(await openInstallationId(first, '').findMismatch(), undefined)
  await openInstallationId(first, '').recordHeartbeat()
  assert.equal(await openInstallationId(first, '').findMismatch(), undefined)
  await first.close()

  const clone = `${new URL(url).pathname.slice(1)}_clone`
  const server = new pg.Client(process.env.TEST_POSTGRES)
  await server.connect()
  atEnd(() => server.end())
  await server.query(`create database ${clone} template template0`)
  atEnd(() => server.query(`drop database ${clone} with (force)`))
  const cloned = closeAfterFile(
    await openPostgres({ url: url.replace(/[^/]+$/, clone), ...TEST_STORE_OPTIONS }),
  )
  await withWebhook(cloned)
  const { rows } = await admin.query("select * from installation where name = 'sending'")
  await cloned.write(ANONYMOUS_ACTOR, (tx) => tx.run(insertRow, { value: rows[0].value }))
  assert.equal(await openInstallationId(cloned, '').findMismatch(), 'elsewhere')
  await openInstallationId(cloned, '').resume()
  assert.equal(await openInstallationId(cloned, '').findMismatch(), undefined)

  await admin.query(`alter table installation rename to former;
    create table installation (like former including all);
    insert into installation select * from former`)
  const restored = closeAfterFile(await openPostgres({ url, ...TEST_STORE_OPTIONS }))
  assert.equal(await openInstallationId(restored, '').findMismatch(), 'elsewhere')
})

const insertRow = unscopedCommand((db, $: { value: string }) =>
  db.insertInto('installation').values({ name: 'sending', value: $.value }),
)
