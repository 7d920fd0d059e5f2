import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NOBODY } from '#core/actor.ts'
import { addPerson, createProject } from '#resources/projects/create.ts'
import { docketOn, ENGINES } from '#test/support/engines.ts'
import { newHome } from '#test/support/home.ts'
import { activeMembersSeeing } from './seeing.ts'

for (const engine of ENGINES) {
  test(`who sees a project is found as the contract says (${engine})`, async () => {
    const { storage } = await docketOn(engine)
    const { workspace, people, project, hidden } = await newHome(storage)
    const { owner, admin, member, guest } = people
    const stranger = (await newHome(storage)).people.owner
    const everybody = [guest, member, admin, owner, stranger, 'usr_unknown']

    await storage.write({ ...NOBODY, workspace_id: workspace }, async (tx) => {
      const seeing = async (id: string, ids = everybody) =>
        [...(await activeMembersSeeing(tx, id, ids))].toSorted()
      assert.deepEqual(await seeing(project), [owner, admin, member, guest].toSorted())
      assert.deepEqual(await seeing(hidden), [owner, admin].toSorted())
      assert.deepEqual(await seeing(project, []), [])
      assert.deepEqual(await seeing(project, [stranger]), [])

      const by = { created_by_id: owner, name: 'Led', visibility: 'private' } as const
      const led = await createProject(tx, { ...by, lead_id: member })
      assert.deepEqual(await seeing(led), [owner, admin, member].toSorted())
      const ledByGuest = await createProject(tx, { ...by, lead_id: guest })
      assert.deepEqual(await seeing(ledByGuest), [owner, admin].toSorted(), 'a lead who is a guest')
      await tx.run(addPerson, { project_id: ledByGuest, user_id: guest })
      await tx.run(addPerson, { project_id: ledByGuest, user_id: member })
      assert.deepEqual(await seeing(ledByGuest), [owner, admin, member, guest].toSorted())
      const open = await createProject(tx, { created_by_id: owner, name: 'Open' })
      assert.deepEqual(
        await seeing(open),
        [owner, admin, member].toSorted(),
        'guests only if listed',
      )
    })
  })
}
