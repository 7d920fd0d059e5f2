import assert from 'node:assert/strict'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { ApiError } from '#core/api-error.ts'
import type { Storage, WriteTx } from '#core/transaction.ts'
import { query } from '#db/core/statement.ts'
import { openStore } from '#db/installation/open-store.ts'
import { openPostgres } from '#db/postgres/open-postgres.ts'
import { openSqlite } from '#db/sqlite/open-sqlite.ts'
import type { Json } from '#lib/json.ts'
import { openFreshDocket } from '../support/engines/fresh-docket.ts'
import {
  allNotes,
  closeAfterFile,
  createEmptyDatabase,
  insertNote,
  readNoteNames,
  TEST_STORE_OPTIONS,
  writeNote,
} from '../support/engines/test-database.ts'
import { ENGINES, openTestDocket } from '../support/engines/test-docket.ts'
import { createTempDir } from '../support/system/temp-dir.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'

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
  // A session moves from workspace to workspace, so that its statements say themselves which one they mean.
  const unbound = query((db) => db.selectFrom('sessions').select('id'))
  for (const engine of ['sqlite', 'postgres'] as const)
    assert.throws(() => unbound.text(engine), /names no workspace/)
})

for (const engine of ENGINES) {
  test(`a snapshot does not change while others write (${engine})`, async () => {
    const { storage } = await openFreshDocket(engine)
    await writeNote(storage, 'a note before')
    const seen = await storage.snapshot(ANONYMOUS_ACTOR, async (tx) => {
      const first = await tx.all(allNotes, {})
      await writeNote(storage, 'a note meanwhile')
      const outsideSnapshot = await storage.read(ANONYMOUS_ACTOR, (other) =>
        other.all(allNotes, {}),
      )
      return { first, outsideSnapshot, last: await tx.all(allNotes, {}) }
    })
    assert.deepEqual(seen.last, seen.first)
    assert.equal(
      seen.outsideSnapshot.length,
      seen.first.length + 1,
      'a read of its own sees the new one',
    )
    const failing = storage.snapshot(ANONYMOUS_ACTOR, async () => {
      throw new Error('of the work')
    })
    await assert.rejects(failing, /of the work/)
    const after = await storage.snapshot(ANONYMOUS_ACTOR, (tx) => tx.all(allNotes, {}))
    assert.equal(after.length, seen.outsideSnapshot.length)
  })
}

/** Of these, nine are more than may wait for the commit. */
const LARGE = 1_000_000

const emitTag = (tx: WriteTx, name: string, units = 0): void => {
  const id = `tag_${name}`
  const record = JSON.stringify({ id, name, rest: 'x'.repeat(units) }) as Json<object>
  tx.emit('tag.created', record, { subject_id: id, project_id: null })
}

async function emitLarge(tx: WriteTx, name: string): Promise<void> {
  for (let index = 0; index < 9; index += 1) emitTag(tx, `${name}${index}`, LARGE)
  await tx.storeLargeEvents()
  assert.equal(tx.events.length, 0, 'none waits for the commit')
}

for (const engine of ENGINES) {
  test(`large events are stored before the commit, in order and only if their operation succeeds (${engine})`, async () => {
    const { storage, server } = await openTestDocket(engine)
    const { workspace, keys } = await createTestWorkspace(storage)
    const read = async (after: number) => {
      const { data } = (
        await server.inject({
          url: `/api/v1/events?after_sequence=${after}&limit=200`,
          headers: { authorization: `Bearer ${keys.owner}` },
        })
      ).json<{ data: { sequence: number; data: { name: string } }[] }>()
      return data
    }
    const start = (await read(0)).at(-1)?.sequence ?? 0
    await storage.write({ ...ANONYMOUS_ACTOR, workspace_id: workspace }, async (tx) => {
      emitTag(tx, 'first')
      const failing = tx.runOperation(async () => {
        await emitLarge(tx, 'undone')
        emitTag(tx, 'undone')
        throw new Error('refused')
      })
      await assert.rejects(failing, /refused/)
      emitTag(tx, 'second')
      await tx.runOperation(async () => {
        await emitLarge(tx, 'large')
        emitTag(tx, 'third')
      })
      emitTag(tx, 'last')
    })
    const events: [sequence: number, name: string][] = []
    for (let page = await read(start); page.length > 0; page = await read(start + events.length))
      for (const { sequence, data } of page) events.push([sequence, data.name])
    const names = ['first', 'second', ...Array.from({ length: 9 }, (_, at) => `large${at}`)]
    names.push('third', 'last')
    assert.deepEqual(
      events,
      names.map((name, at) => [start + 1 + at, name]),
    )
  })
}
