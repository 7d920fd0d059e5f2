import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { openFreshDocket } from '../support/engines/fresh-docket.ts'
import { allNotes, writeNote } from '../support/engines/test-database.ts'
import { ENGINES } from '../support/engines/test-docket.ts'

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
