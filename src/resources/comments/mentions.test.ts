import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ensureAccount, NO_PASSWORD } from '#auth/users/accounts.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { addMember } from '#resources/members/membership.ts'
import { ENGINES, openTestDocket } from '#test/support/engines/test-docket.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import { resolveMentions } from './mentions.ts'

for (const engine of ENGINES) {
  test(`a text mentions at most the first 50 members with access (${engine})`, async () => {
    const { storage } = await openTestDocket(engine)
    const { workspace, project, people } = await createTestWorkspace(storage)
    await storage.write({ ...ANONYMOUS_ACTOR, workspace_id: workspace }, async (tx) => {
      const named = [people.owner]
      for (let serial = 0; serial < 50; serial++) {
        const email = `${serial}@${workspace.slice(4)}.example`
        const account = { email, name: `Nº ${serial}`, timezone: 'UTC' }
        const person = await ensureAccount(tx, account, NO_PASSWORD)
        await addMember(tx, { ...person, role: 'member' })
        named.unshift(person.user_id)
      }
      const text = ['<@usr_01k2m3n4p5q6r7s8t9v0w1x2y3>', ...named.map((id) => `<@${id}>`)].join('')
      assert.deepEqual(await resolveMentions(tx, project, text), named.slice(0, 50))
    })
  })
}
