import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createUserActor } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import { openFreshStore } from '#test/support/engines/fresh-docket.ts'
import { ENGINES } from '#test/support/engines/test-docket.ts'
import { readAuditLog } from '#test/support/scenario/expected-audit-entries.ts'
import { createTestClock } from '#test/support/system/test-clock.ts'
import { purgeOldAuditEntries } from './purges.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const RETENTION_DAYS = 400
const LOG = 'wsp_00000000000000000000000000'

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

const appendEntries = (storage: Storage, count: number) =>
  storage.write(createUserActor('usr_1'), async (tx) => {
    for (let one = 0; one < count; one += 1)
      tx.audit('session.ended', `ses_${one}`, { user_id: 'usr_1', reason: 'ended' }, LOG)
  })

for (const engine of ENGINES) {
  test(`purges old audit entries, and their sequence continues (${engine})`, async () => {
    const { storage } = await openFreshStore(engine, clock)
    await daysAgo(500, () => appendEntries(storage, 1_200))
    await daysAgo(RETENTION_DAYS + 0.5, () => appendEntries(storage, 5))
    await daysAgo(10, () => appendEntries(storage, 20))
    await runToEnd(purgeOldAuditEntries(storage, RETENTION_DAYS))
    const remaining = await readAuditLog(storage, LOG)
    assert.equal(remaining[0]?.sequence, 1_206)
    assert.deepEqual(
      remaining.slice(20).map(({ action, details }) => [action, details]),
      [500, 1_000, 1_205].map((sequence) => ['audit.purged', JSON.stringify({ sequence })]),
    )
    await runToEnd(purgeOldAuditEntries(storage, RETENTION_DAYS))
    assert.equal(
      (await readAuditLog(storage, LOG)).length,
      remaining.length,
      'a second round finds nothing',
    )
  })

  test(`purges audit entries only when a whole day is due (${engine})`, async () => {
    const { storage } = await openFreshStore(engine, clock)
    await daysAgo(RETENTION_DAYS + 0.9, () => appendEntries(storage, 5))
    await runToEnd(purgeOldAuditEntries(storage, RETENTION_DAYS))
    assert.equal((await readAuditLog(storage, LOG)).length, 5)
    await daysAgo(-0.2, () => runToEnd(purgeOldAuditEntries(storage, RETENTION_DAYS)))
    assert.deepEqual(
      (await readAuditLog(storage, LOG)).map(({ sequence, action }) => [sequence, action]),
      [[6, 'audit.purged']],
    )
  })
}
