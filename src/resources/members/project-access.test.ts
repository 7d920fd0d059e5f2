import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { createProjectRow, insertPerson } from '#resources/projects/create-project.ts'
import { ENGINES, openTestDocket } from '#test/support/engines/test-docket.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import { findMembersWithAccess } from './load.ts'

for (const engine of ENGINES) {
  test(`finds the members who see a project (${engine})`, async () => {
    const { storage } = await openTestDocket(engine)
    const { workspace, people, project, hidden } = await createTestWorkspace(storage)
    const { owner, admin, member, guest } = people
    const stranger = (await createTestWorkspace(storage)).people.owner
    const everybody = [guest, member, admin, owner, stranger, 'usr_unknown']

    await storage.write({ ...ANONYMOUS_ACTOR, workspace_id: workspace }, async (tx) => {
      const seeing = async (id: string, ids = everybody) =>
        [...(await findMembersWithAccess(tx, id, ids))].toSorted()
      assert.deepEqual(await seeing(project), [owner, admin, member, guest].toSorted())
      assert.deepEqual(await seeing(hidden), [owner, admin].toSorted())
      assert.deepEqual(await seeing(project, []), [])
      assert.deepEqual(await seeing(project, [stranger]), [])

      const by = { created_by_id: owner, name: 'Led', visibility: 'private' } as const
      const led = await createProjectRow(tx, { ...by, lead_id: member })
      assert.deepEqual(await seeing(led), [owner, admin, member].toSorted())
      const ledByGuest = await createProjectRow(tx, { ...by, lead_id: guest })
      assert.deepEqual(await seeing(ledByGuest), [owner, admin].toSorted(), 'a lead who is a guest')
      await tx.run(insertPerson, { project_id: ledByGuest, user_id: guest })
      await tx.run(insertPerson, { project_id: ledByGuest, user_id: member })
      assert.deepEqual(await seeing(ledByGuest), [owner, admin, member, guest].toSorted())
      const open = await createProjectRow(tx, { created_by_id: owner, name: 'Open' })
      assert.deepEqual(
        await seeing(open),
        [owner, admin, member].toSorted(),
        'guests only if listed',
      )
    })
  })
}
