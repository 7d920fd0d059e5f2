import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import { openTestDocket } from '#test/support/engines/test-docket.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import { bumpAuthVersion } from './auth-version.ts'
import { AUTH_CACHE_TTL_MS, createAuthenticator } from './authenticator.ts'
import { apiKeysOfWorkspace, removeApiKey } from './keys/api-key-store.ts'

test('a credential that was refused once is not accepted again by a read that began before', async () => {
  const { storage } = await openTestDocket('sqlite')
  const home = await createTestWorkspace(storage)
  const { held, release, isReading } = holdSecondRead(storage)
  const { authenticate } = createAuthenticator(held, 'docket')
  const outcomes: string[] = []
  const ask = async () => {
    const key = `Bearer ${home.keys.member}`
    const accepted = Promise.try(() => authenticate(key, undefined)).then(() => true)
    outcomes.push((await accepted.catch(() => false)) ? 'accepted' : 'refused')
  }
  // The first read is that of the auth version.
  const earlier = ask()
  await isReading
  const owner = { ...ANONYMOUS_ACTOR, workspace_id: home.workspace, role: 'owner' } as const
  await storage.write(owner, async (tx) => {
    for (const { id, user_id } of await tx.all(apiKeysOfWorkspace, {}))
      if (user_id === home.people.member) await tx.run(removeApiKey, { id })
    await bumpAuthVersion(tx)
  })
  const later = ask()
  await pause(0)
  release()
  await Promise.all([earlier, later])
  await ask()
  await pause(AUTH_CACHE_TTL_MS + 1)
  await ask()
  assert.equal(outcomes.at(-1), 'refused')
  assert.ok(!outcomes.slice(outcomes.indexOf('refused')).includes('accepted'), outcomes.join())
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
