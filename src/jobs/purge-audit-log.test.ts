import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import { auditEntriesAfter } from '#db/audit/audit-log.ts'
import { verifyAuditChain } from '#db/audit/verify-chain.ts'
import { command, type Scoped } from '#db/core/statement.ts'
import { appendAuditEntries, TEST_CHAIN } from '#test/support/data/audit-chain.ts'
import { openFreshStore } from '#test/support/engines/fresh-docket.ts'
import { ENGINES } from '#test/support/engines/test-docket.ts'
import { createTestClock } from '#test/support/system/test-clock.ts'
import { logAuditHeads, purgeOldAuditEntries } from './purges.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const RETENTION_DAYS = 400

const clock = createTestClock()

/** Runs work with the clock set back by some days. */
async function daysAgo<T>(days: number, work: () => Promise<T>): Promise<T> {
  const present = clock.now()
  clock.advance(-days * DAY_MS)
  try {
    return await work()
  } finally {
    clock.set(present)
  }
}

async function runToEnd(step: () => Promise<boolean>): Promise<void> {
  while (await step());
}

const entries = (storage: Storage) =>
  storage.read({ ...ANONYMOUS_ACTOR, workspace_id: TEST_CHAIN }, (tx) =>
    tx.all(auditEntriesAfter, { after: 0, limit: 5_000 }),
  )

const dropFirst = command((db, $: Scoped<{ sequence: number }>) =>
  db
    .deleteFrom('audit_entries')
    .where('workspace_id', '=', $.workspace_id)
    .where('sequence', '=', $.sequence),
)

for (const engine of ENGINES) {
  test(`purges old audit entries and keeps the chain verifiable (${engine})`, async () => {
    const { storage } = await openFreshStore(engine, clock)
    await daysAgo(500, () => appendAuditEntries(storage, 1_200))
    await daysAgo(RETENTION_DAYS + 0.5, () => appendAuditEntries(storage, 5))
    await daysAgo(10, () => appendAuditEntries(storage, 20))
    await runToEnd(purgeOldAuditEntries(storage, RETENTION_DAYS))
    const remaining = await entries(storage)
    assert.equal(remaining[0]?.sequence, 1_206)
    assert.deepEqual(
      remaining.slice(20).map(({ action }) => action),
      Array(3).fill('audit.purged'),
    )
    assert.equal((await verifyAuditChain(storage, TEST_CHAIN)).fault, null)
    await runToEnd(purgeOldAuditEntries(storage, RETENTION_DAYS))
    assert.equal((await entries(storage)).length, remaining.length, 'a second round finds nothing')

    await appendAuditEntries(storage, 3)
    const noted = [{ sequence: 1_205, hash: 'f'.repeat(64) }]
    const other = await verifyAuditChain(storage, TEST_CHAIN, { recorded: noted })
    assert.partialDeepStrictEqual(other, { fault: { fault: 'rewritten' } } as object)

    const [first] = remaining
    await storage.write({ ...ANONYMOUS_ACTOR, workspace_id: TEST_CHAIN }, (tx) =>
      tx.run(dropFirst, { sequence: first?.sequence ?? 0 }),
    )
    const { fault } = await verifyAuditChain(storage, TEST_CHAIN)
    assert.deepEqual([fault?.fault, fault?.sequence], ['missing', 1_206])
  })

  test(`purges audit entries only when a whole day is due (${engine})`, async () => {
    const { storage } = await openFreshStore(engine, clock)
    await daysAgo(RETENTION_DAYS + 0.9, () => appendAuditEntries(storage, 5))
    await runToEnd(purgeOldAuditEntries(storage, RETENTION_DAYS))
    assert.equal((await entries(storage)).length, 5)
    await daysAgo(-0.2, () => runToEnd(purgeOldAuditEntries(storage, RETENTION_DAYS)))
    const remaining = await entries(storage)
    assert.deepEqual(
      remaining.map(({ action }) => action),
      ['audit.purged'],
    )
    assert.equal((await verifyAuditChain(storage, TEST_CHAIN)).fault, null)
  })

  test(`logs the heads of audit chains that have grown (${engine})`, async () => {
    const { storage } = await openFreshStore(engine, clock)
    const logged: string[] = []
    const info = (about: object) => logged.push(Object(about).head)
    const logHeads = logAuditHeads(storage, { info })
    await appendAuditEntries(storage, 3)
    await appendAuditEntries(storage, 2, 'installation')
    await runToEnd(logHeads)
    const { head } = await verifyAuditChain(storage, TEST_CHAIN)
    assert.equal(logged.length, 2)
    assert.ok(logged.includes(`${TEST_CHAIN}:3:${head?.hash}`), logged.join())
    logged.length = 0
    // The minute before each round is logged twice, because clocks differ.
    await daysAgo(-1, () => runToEnd(logHeads))
    await daysAgo(-2, () => runToEnd(logHeads))
    logged.length = 0
    await daysAgo(-3, async () => {
      await appendAuditEntries(storage, 1)
      await runToEnd(logHeads)
    })
    assert.deepEqual(
      logged.map((text) => text.split(':', 2).join(':')),
      [`${TEST_CHAIN}:4`],
    )
  })
}
