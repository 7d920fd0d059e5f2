import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { NOBODY } from '#core/actor.ts'
import { ENGINES } from '../support/engines.ts'
import { freshDocket } from '../support/fresh.ts'
import { notes, put } from '../support/store.ts'

for (const engine of ENGINES) {
  test(`a snapshot stays as it was while others write (${engine})`, async () => {
    const { storage } = await freshDocket(engine)
    await put(storage, 'a note before')
    const seen = await storage.snapshot(NOBODY, async (tx) => {
      const first = await tx.all(notes, {})
      await put(storage, 'a note meanwhile')
      await pause(20)
      const beside = await storage.read(NOBODY, (other) => other.all(notes, {}))
      return { first, beside, last: await tx.all(notes, {}) }
    })
    assert.deepEqual(seen.last, seen.first)
    assert.equal(seen.beside.length, seen.first.length + 1, 'a read of its own sees the new one')
    const failing = storage.snapshot(NOBODY, async () => {
      throw new Error('of the work')
    })
    await assert.rejects(failing, /of the work/)
    const after = await storage.snapshot(NOBODY, (tx) => tx.all(notes, {}))
    assert.equal(after.length, seen.beside.length)
  })
}
