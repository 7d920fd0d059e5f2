import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NOBODY } from '#core/actor.ts'
import type { Storage } from '#core/tx.ts'
import { entriesAfter } from '#storage/audit-log.ts'
import { verifyChain } from '#storage/audit-verify.ts'
import { command, type Scoped } from '#storage/statement.ts'
import { CHAIN, grow } from '#test/support/chain.ts'
import { createTestClock } from '#test/support/clock.ts'
import { ENGINES } from '#test/support/engines.ts'
import { freshDocket } from '#test/support/fresh.ts'
import { forgetAudit, tellHeads } from './audit.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const KEPT_DAYS = 400

const clock = createTestClock()

/** Does something as if it were so many days ago. */
async function daysAgo<T>(days: number, work: () => Promise<T>): Promise<T> {
  const present = clock.now()
  clock.advance(-days * DAY_MS)
  try {
    return await work()
  } finally {
    clock.set(present)
  }
}

async function rounds(step: () => Promise<boolean>): Promise<void> {
  while (await step());
}

const entries = (storage: Storage) =>
  storage.read({ ...NOBODY, workspace_id: CHAIN }, (tx) =>
    tx.all(entriesAfter, { after: 0, limit: 5_000 }),
  )

const dropFirst = command((db, $: Scoped<{ sequence: number }>) =>
  db
    .deleteFrom('audit_entries')
    .where('workspace_id', '=', $.workspace_id)
    .where('sequence', '=', $.sequence),
)

for (const engine of ENGINES) {
  test(`old entries leave the audit log, and what is left is still whole (${engine})`, async () => {
    const { storage } = await freshDocket(engine, {}, { clock })
    await daysAgo(500, () => grow(storage, 1_200))
    await daysAgo(KEPT_DAYS + 0.5, () => grow(storage, 5))
    await daysAgo(10, () => grow(storage, 20))
    await rounds(forgetAudit(storage, KEPT_DAYS))
    const left = await entries(storage)
    assert.equal(left[0]?.sequence, 1_206)
    assert.deepEqual(
      left.slice(20).map(({ action }) => action),
      Array(3).fill('audit.purged'),
    )
    assert.equal((await verifyChain(storage, CHAIN)).fault, null)
    await rounds(forgetAudit(storage, KEPT_DAYS))
    assert.equal((await entries(storage)).length, left.length, 'a second round finds nothing')

    await grow(storage, 3)
    const noted = [{ sequence: 1_205, hash: 'f'.repeat(64) }]
    const other = await verifyChain(storage, CHAIN, { noted })
    assert.partialDeepStrictEqual(other, { fault: { fault: 'rewritten' } } as object)

    const [first] = left
    await storage.write({ ...NOBODY, workspace_id: CHAIN }, (tx) =>
      tx.run(dropFirst, { sequence: first?.sequence ?? 0 }),
    )
    const { fault } = await verifyChain(storage, CHAIN)
    assert.deepEqual([fault?.fault, fault?.sequence], ['missing', 1_206])
  })

  test(`a day that is over but for some hours stays with the next (${engine})`, async () => {
    const { storage } = await freshDocket(engine, {}, { clock })
    await daysAgo(KEPT_DAYS + 0.9, () => grow(storage, 5))
    await rounds(forgetAudit(storage, KEPT_DAYS))
    assert.equal((await entries(storage)).length, 5)
    await daysAgo(-0.2, () => rounds(forgetAudit(storage, KEPT_DAYS)))
    const left = await entries(storage)
    assert.deepEqual(
      left.map(({ action }) => action),
      ['audit.purged'],
    )
    assert.equal((await verifyChain(storage, CHAIN)).fault, null)
  })

  test(`where chains end is written to the log once they have grown (${engine})`, async () => {
    const { storage } = await freshDocket(engine, {}, { clock })
    const said: string[] = []
    const info = (about: object) => said.push(Object(about).head)
    const tell = tellHeads(storage, { info })
    await grow(storage, 3)
    await grow(storage, 2, 'installation')
    await rounds(tell)
    const { head } = await verifyChain(storage, CHAIN)
    assert.equal(said.length, 2)
    assert.ok(said.includes(`${CHAIN}:3:${head?.hash}`), said.join())
    said.length = 0
    // The minute before each round is told twice: clocks differ.
    await daysAgo(-1, () => rounds(tell))
    await daysAgo(-2, () => rounds(tell))
    said.length = 0
    await daysAgo(-3, async () => {
      await grow(storage, 1)
      await rounds(tell)
    })
    assert.deepEqual(
      said.map((text) => text.split(':', 2).join(':')),
      [`${CHAIN}:4`],
    )
  })
}
