import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { ApiError } from '#core/api-error.ts'
import { fromJson } from '#lib/json.ts'
import { createProjectRow, insertPerson } from '#resources/projects/create-project.ts'
import { ENGINES, openTestDocket } from '#test/support/engines/test-docket.ts'
import { createTestApplication } from '#test/support/oauth/oauth-client.ts'
import { findGrantRemains, insertTestGrant } from '#test/support/oauth/test-grant.ts'
import { readEvents } from '#test/support/scenario/scenario.ts'
import { createTestSession } from '#test/support/world/test-session.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import { findMembersWithAccess } from './load.ts'
import { addMember, removeMember } from './membership.ts'
import { removeMembership } from './membership-store.ts'

for (const engine of ENGINES) {
  const setUp = async () => {
    const docket = await openTestDocket(engine)
    const team = await createTestWorkspace(docket.storage)
    const actor = { ...ANONYMOUS_ACTOR, workspace_id: team.workspace }
    return { ...docket, docket, team, actor, people: team.people }
  }
  const refusedWith = (code: string) => (error: ApiError) => error.code === code

  test(`a member who joins again keeps the id, with a new name and role (${engine})`, async () => {
    const { storage, team, actor, people } = await setUp()
    const again = { user_id: people.guest, name: 'The guest', role: 'admin' } as const
    await assert.rejects(
      storage.write(actor, (tx) => addMember(tx, again)),
      refusedWith('already_member'),
    )
    const { revision: joined } = await storage.write(actor, (tx) => removeMember(tx, people.guest))
    const added = await storage.write(actor, (tx) => addMember(tx, again))
    const { id, role, status, joined_at } = fromJson(added.json)
    assert.deepEqual([id, role, status], [people.guest, 'admin', 'active'])
    assert.ok(joined_at > joined)
    const events = await readEvents(storage, team.workspace)
    assert.deepEqual(
      events.map(({ type }) => type),
      ['member.removed', 'member.added'],
    )
    assert.deepEqual(JSON.parse(events[1]?.payload ?? '{}').data, fromJson(added.json))
  })

  test(`a guest whose projects were left at the removal can join again (${engine})`, async () => {
    const { storage, actor, people } = await setUp()
    const user_id = people.guest
    // As a request that ran beside the removal leaves it.
    await storage.write(actor, (tx) => tx.run(removeMembership, { user_id, removed_at: tx.now }))
    const again = { user_id, name: 'The guest', role: 'admin' } as const
    const added = await storage.write(actor, (tx) => addMember(tx, again))
    assert.equal(fromJson(added.json).role, 'admin')
  })

  test(`a member who joins again gets no credential back that the removal has left (${engine})`, async () => {
    const { docket, storage, server, team, actor, people } = await setUp()
    const session = await createTestSession(storage, team, 'guest')
    const application = await createTestApplication(docket, team)
    const user_id = people.guest
    const grant = await storage.write(actor, async (tx) => {
      await tx.run(removeMembership, { user_id, removed_at: tx.now })
      const in_workspace = team.workspace
      return insertTestGrant(tx, { in_workspace, user_id, application_id: application.id })
    })
    await storage.write(actor, (tx) => addMember(tx, { user_id, name: 'G', role: 'admin' }))
    for (const headers of [{ authorization: `Bearer ${team.keys.guest}` }, session.headers])
      assert.equal((await server.inject({ url: '/api/v1/me', headers })).statusCode, 401)
    assert.equal((await storage.read(actor, (tx) => findGrantRemains(tx, grant)))[0], false)
  })

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
