import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NOBODY } from '#core/actor.ts'
import { ensureAccount, NO_PASSWORD } from '#identity/account.ts'
import { addMember } from '#resources/members/membership.ts'
import { docketOn, ENGINES } from '#test/support/engines.ts'
import { newHome } from '#test/support/home.ts'
import { mentionsIn } from './mentions.ts'

for (const engine of ENGINES) {
  test(`a text mentions the first fifty whom it may mention (${engine})`, async () => {
    const { storage } = await docketOn(engine)
    const { workspace, project, people } = await newHome(storage)
    await storage.write({ ...NOBODY, workspace_id: workspace }, async (tx) => {
      const named = [people.owner]
      for (let serial = 0; serial < 50; serial++) {
        const email = `${serial}@${workspace.slice(4)}.example`
        const account = { email, name: `Nº ${serial}`, timezone: 'UTC' }
        const person = await ensureAccount(tx, account, NO_PASSWORD)
        await addMember(tx, { ...person, role: 'member' })
        named.unshift(person.user_id)
      }
      const text = ['<@usr_01k2m3n4p5q6r7s8t9v0w1x2y3>', ...named.map((id) => `<@${id}>`)].join('')
      assert.deepEqual(await mentionsIn(tx, project, text), named.slice(0, 50))
    })
  })
}
