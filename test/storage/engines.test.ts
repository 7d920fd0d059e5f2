import assert from 'node:assert/strict'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { ApiError } from '#core/api-error.ts'
import type { Storage } from '#core/transaction.ts'
import { query } from '#db/core/statement.ts'
import { openStore } from '#db/installation/open-store.ts'
import { openPostgres } from '#db/postgres/open-postgres.ts'
import { openSqlite } from '#db/sqlite/open-sqlite.ts'
import {
  closeAfterFile,
  createEmptyDatabase,
  insertNote,
  readNoteNames,
  TEST_STORE_OPTIONS,
  writeNote,
} from '../support/engines/test-database.ts'
import { createTempDir } from '../support/system/temp-dir.ts'

const stores: Storage[] = []

before(async () => {
  const { url } = await createEmptyDatabase()
  stores.push(
    closeAfterFile(
      openSqlite({ path: join(createTempDir(), 'docket.db'), guard: true, ...TEST_STORE_OPTIONS }),
    ),
    closeAfterFile(await openPostgres({ url, ...TEST_STORE_OPTIONS })),
  )
})

test('a refused write among concurrent ones is rolled back alone', async () => {
  for (const storage of stores) {
    const all = Array.from({ length: 40 }, (_, at) =>
      storage.write(ANONYMOUS_ACTOR, async (tx) => {
        await tx.run(insertNote, { name: `many-${String(at).padStart(2, '0')}`, value: '' })
        if (at % 4 === 1) throw new ApiError<string>(409, 'no', 'No.')
        if (at % 4 === 2) throw new TypeError('A fault of ours')
      }),
    )
    const outcomes = await Promise.allSettled(all)
    const kept = (await readNoteNames(storage)).filter((name) => name.startsWith('many-'))
    assert.equal(kept.length, 20, storage.engine)
    for (const [at, { status }] of outcomes.entries()) {
      const refused = at % 4 === 1 || at % 4 === 2
      assert.equal(status, refused ? 'rejected' : 'fulfilled')
      assert.equal(kept.includes(`many-${String(at).padStart(2, '0')}`), !refused)
    }
  }
})

test('a dry run is rolled back, and a concurrent write is kept', async () => {
  for (const storage of stores) {
    const rehearsal = storage.dryRun(ANONYMOUS_ACTOR, async (tx) => {
      await tx.run(insertNote, { name: 'rehearsed', value: '' })
      return tx.hasChanges
    })
    const [changed] = await Promise.all([rehearsal, writeNote(storage, 'done')])
    assert.equal(changed, true)
    const kept = await readNoteNames(storage)
    assert.ok(kept.includes('done') && !kept.includes('rehearsed'), storage.engine)
  }
})

test('a write is not visible before it is acknowledged', async () => {
  for (const storage of stores) {
    let answered = false
    const write = storage
      .write(ANONYMOUS_ACTOR, async (tx) => {
        await tx.run(insertNote, { name: 'unseen', value: '' })
        if (storage.engine === 'postgres')
          assert.ok(!(await readNoteNames(storage)).includes('unseen'))
      })
      .then(() => {
        answered = true
      })
    while (!answered) {
      const seen = (await readNoteNames(storage)).includes('unseen')
      if (!answered && seen) assert.equal(storage.engine, 'postgres', 'seen before its answer')
      await new Promise(setImmediate)
    }
    await write
    assert.ok((await readNoteNames(storage)).includes('unseen'))
  }
})

test('refuses to open a store with another secret', async () => {
  const { url } = await createEmptyDatabase()
  for (const databaseUrl of [undefined, url]) {
    const place = { ...TEST_STORE_OPTIONS, dataDir: createTempDir(), databaseUrl }
    const secrets = ['the secret of the first', 'the secret of another']
    const opening = secrets.map((secret) => openStore({ ...place, secret }))
    const outcomes = await Promise.allSettled(opening)
    const opened = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    assert.equal(opened.length, 1, 'of two that start at once with different secrets, one')
    const { storage, secret } = opened[0] ?? assert.fail()
    await storage.close()
    const other = secrets.find((one) => one !== secret)
    await assert.rejects(openStore({ ...place, secret: other }), /DOCKET_SECRET/)
    const again = await openStore({ ...place, secret })
    await again.storage.close()
  }
})

test('generates a secret once and keeps it', async () => {
  const place = {
    ...TEST_STORE_OPTIONS,
    dataDir: createTempDir(),
    databaseUrl: undefined,
    secret: undefined,
  }
  const first = await openStore(place)
  await first.storage.close()
  const second = await openStore(place)
  await second.storage.close()
  assert.match(first.secret, /^[\w-]{43}$/)
  assert.equal(second.secret, first.secret)
})

test('refuses to build a statement without a workspace', () => {
  const unbound = query((db) => db.selectFrom('tags').select('id'))
  for (const engine of ['sqlite', 'postgres'] as const)
    assert.throws(() => unbound.text(engine), /names no workspace/)
})
