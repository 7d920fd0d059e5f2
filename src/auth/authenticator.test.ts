import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import { openTestDocket } from '#test/support/engines/test-docket.ts'
import { stopPerformanceClock } from '#test/support/system/performance-clock.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import { bumpAuthVersion } from './auth-version.ts'
import { AUTH_CACHE_TTL_MS, createAuthenticator } from './authenticator.ts'
import { apiKeysOfWorkspace, removeApiKey } from './keys/api-key-store.ts'

test('a credential that was refused once is not accepted again by a read that began before', async (t) => {
  const clock = stopPerformanceClock(t)
  const { storage } = await openTestDocket('sqlite')
  const team = await createTestWorkspace(storage)
  const { held, release, isReading } = holdSecondRead(storage)
  const { authenticate } = createAuthenticator(held, 'docket')
  const ask = async () => authenticate(`Bearer ${team.keys.member}`, undefined)
  const invalid = { code: 'invalid_token' }
  // The first read is that of the auth version.
  const earlier = ask()
  await isReading
  const owner = { ...ANONYMOUS_ACTOR, workspace_id: team.workspace, role: 'owner' } as const
  // As another process does, which this one notices after a moment.
  await storage.write(owner, async (tx) => {
    for (const { id, user_id } of await tx.all(apiKeysOfWorkspace, {}))
      if (user_id === team.people.member) await tx.run(removeApiKey, { id })
    await bumpAuthVersion(tx)
  })
  clock.pass(AUTH_CACHE_TTL_MS + 1)
  const refused = assert.rejects(ask(), invalid)
  // It reads for itself, and has its answer by then.
  for (let turn = 0; turn < 100; turn += 1) await nextTurn()
  release()
  await earlier
  await refused
  await assert.rejects(ask(), invalid)
})

test('spellings of one Authorization header share a place in the cache', async () => {
  const { storage } = await openTestDocket('sqlite')
  const { keys, workspace } = await createTestWorkspace(storage)
  let reads = 0
  const counting: Storage = {
    ...storage,
    read(actor, work) {
      reads += 1
      return storage.read(actor, work)
    },
  }
  const { authenticate, findRecentWorkspace } = createAuthenticator(counting, 'docket')
  const headers = ['Bearer', 'bearer', 'BEARER ', `Bearer${' '.repeat(1_000)}`].map(
    (scheme) => `${scheme} ${keys.member}`,
  )
  // Of the auth version and of the key.
  await Promise.all(headers.map((header) => authenticate(header, undefined)))
  assert.equal(reads, 2)
  for (const header of headers) assert.equal(findRecentWorkspace(header, undefined), workspace)
})

/** A storage whose second read is done at once, but returns only when it is released. */
function holdSecondRead(storage: Storage) {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { promise: isReading, resolve: begin } = Promise.withResolvers<void>()
  let reads = 0
  const held: Storage = {
    ...storage,
    async read(actor, work) {
      reads += 1
      const isHeld = reads === 2
      const result = await storage.read(actor, work)
      if (!isHeld) return result
      begin()
      await released
      return result
    },
  }
  return { held, release, isReading }
}
