import assert from 'node:assert/strict'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { NOBODY } from '#core/actor.ts'
import { Refusal } from '#core/refusal.ts'
import type { Storage } from '#core/tx.ts'
import { openStore } from '#storage/open.ts'
import { openPostgres } from '#storage/postgres.ts'
import { openSqlite } from '#storage/sqlite.ts'
import { query } from '#storage/statement.ts'
import { emptyDir } from '../support/dir.ts'
import { closing, emptyDatabase, insertNote, names, put, surroundings } from '../support/store.ts'

const stores: Storage[] = []

before(async () => {
  const { url } = await emptyDatabase()
  stores.push(
    closing(openSqlite({ path: join(emptyDir(), 'docket.db'), guard: true, ...surroundings })),
    closing(await openPostgres({ url, ...surroundings })),
  )
})

test('of writes at once a refused one leaves no trace, and the others stay', async () => {
  for (const storage of stores) {
    const all = Array.from({ length: 40 }, (_, at) =>
      storage.write(NOBODY, async (tx) => {
        await tx.run(insertNote, { name: `many-${String(at).padStart(2, '0')}`, value: '' })
        if (at % 4 === 1) throw new Refusal(409, 'no', 'No.')
        if (at % 4 === 2) throw new TypeError('A fault of ours')
      }),
    )
    const outcomes = await Promise.allSettled(all)
    const kept = (await names(storage)).filter((name) => name.startsWith('many-'))
    assert.equal(kept.length, 20, storage.engine)
    for (const [at, { status }] of outcomes.entries()) {
      const refused = at % 4 === 1 || at % 4 === 2
      assert.equal(status, refused ? 'rejected' : 'fulfilled')
      assert.equal(kept.includes(`many-${String(at).padStart(2, '0')}`), !refused)
    }
  }
})

test('what a rehearsal did is taken back, and what came beside it is not', async () => {
  for (const storage of stores) {
    const rehearsal = storage.rehearse(NOBODY, async (tx) => {
      await tx.run(insertNote, { name: 'rehearsed', value: '' })
      return tx.changed
    })
    const [changed] = await Promise.all([rehearsal, put(storage, 'done')])
    assert.equal(changed, true)
    const kept = await names(storage)
    assert.ok(kept.includes('done') && !kept.includes('rehearsed'), storage.engine)
  }
})

test('nothing is seen of a write before it is answered', async () => {
  for (const storage of stores) {
    let answered = false
    const write = storage
      .write(NOBODY, async (tx) => {
        await tx.run(insertNote, { name: 'unseen', value: '' })
        if (storage.engine === 'postgres') assert.ok(!(await names(storage)).includes('unseen'))
      })
      .then(() => {
        answered = true
      })
    while (!answered) {
      const seen = (await names(storage)).includes('unseen')
      if (!answered && seen) assert.equal(storage.engine, 'postgres', 'seen before its answer')
      await new Promise(setImmediate)
    }
    await write
    assert.ok((await names(storage)).includes('unseen'))
  }
})

test('a store is not opened with another secret than the one it was made with', async () => {
  const { url } = await emptyDatabase()
  for (const databaseUrl of [undefined, url]) {
    const place = { ...surroundings, dataDir: emptyDir(), databaseUrl }
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

test('a generated secret is made once and stays', async () => {
  const place = { ...surroundings, dataDir: emptyDir(), databaseUrl: undefined, secret: undefined }
  const first = await openStore(place)
  await first.storage.close()
  const second = await openStore(place)
  await second.storage.close()
  assert.match(first.secret, /^[\w-]{43}$/)
  assert.equal(second.secret, first.secret)
})

test('a statement that names no workspace is refused when it is made', () => {
  assert.throws(() => query((db) => db.selectFrom('tags').select('id')), /names no workspace/)
})
