import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Actor, ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { ApiError } from '#core/api-error.ts'
import { fromJson } from '#lib/json.ts'
import { ENGINES, openTestDocket } from '#test/support/engines/test-docket.ts'
import { readEvents } from '#test/support/scenario/scenario.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import { createProjectRow } from './create-project.ts'
import { addMemberToProject, assertLeadHasAccess } from './people.ts'
import { changeProject, type ProjectChanges } from './write-operations.ts'

const refusedWith = (code: string) => (error: ApiError) =>
  error.code === code || error.details[0]?.code === code

for (const engine of ENGINES) {
  const setUp = async () => {
    const { storage } = await openTestDocket(engine)
    const team = await createTestWorkspace(storage)
    const actor: Actor = { ...ANONYMOUS_ACTOR, workspace_id: team.workspace, role: 'owner' }
    const change = async (wanted: ProjectChanges, id = team.project) =>
      fromJson((await storage.write(actor, (tx) => changeProject(tx, id, wanted))).json)
    const events = async () =>
      (await readEvents(storage, team.workspace)).map(({ payload }) => JSON.parse(payload))
    return { storage, team, actor, change, events }
  }

  test(`emits project.updated with old and new values (${engine})`, async () => {
    const { team, change, events } = await setUp()
    const changed = await change({ name: 'Machines', visibility: 'private' })
    assert.equal(changed.name, 'Machines')
    const [event, ...others] = await events()
    assert.equal(event.type, 'project.updated')
    assert.deepEqual(event.changes, {
      name: { from: 'Engineering', to: 'Machines' },
      visibility: { from: 'workspace', to: 'private' },
    })
    assert.deepEqual(event.data, changed)
    assert.equal(event.project_id, team.project)
    assert.equal(event.actor.type, 'system')
    assert.deepEqual(others, [])
  })

  test(`a change without differences writes nothing and emits no event (${engine})`, async () => {
    const { change, events } = await setUp()
    const before = await change({})
    const same = await change({ name: 'Engineering', prefix: 'ENG', archived: false })
    assert.deepEqual(same, before)
    assert.deepEqual(await events(), [])
  })

  test(`keeps former prefixes of a project reserved (${engine})`, async () => {
    const { team, change } = await setUp()
    await change({ prefix: 'MAC' })
    await assert.rejects(change({ prefix: 'HID' }), refusedWith('prefix_taken'))
    await assert.rejects(change({ prefix: 'ENG' }, team.hidden), refusedWith('prefix_taken'))
    const back = await change({ prefix: 'ENG' })
    assert.equal(back.prefix, 'ENG')
    assert.match(back.url, /\/p\/ENG$/)
  })

  test(`archives and unarchives a project once (${engine})`, async () => {
    const { change, events } = await setUp()
    const archived = await change({ archived: true })
    assert.equal(archived.status, 'archived')
    assert.deepEqual(await change({ archived: true }), archived)
    const active = await change({ archived: false })
    assert.deepEqual([active.status, active.archived_at], ['active', null])
    const changes = (await events()).map((event) => event.changes)
    assert.deepEqual(changes, [
      {
        status: { from: 'active', to: 'archived' },
        archived_at: { from: null, to: archived.archived_at },
      },
      {
        status: { from: 'archived', to: 'active' },
        archived_at: { from: archived.archived_at, to: null },
      },
    ])
  })

  test(`only members who see the project can lead it or join its people list (${engine})`, async () => {
    const { storage, team, actor } = await setUp()
    const { guest, owner } = team.people
    const stranger = await createTestWorkspace(storage)
    const add = (user_id: string, project_id = team.hidden) =>
      storage.write(actor, (tx) => addMemberToProject(tx, { project_id, user_id }, 'user'))
    await assert.rejects(add(stranger.people.member), refusedWith('not_a_member'))
    await assert.rejects(add(guest, stranger.project), refusedWith('not_found'))
    const lead = (lead_id: string) =>
      storage.write(actor, async (tx) => {
        const id = await createProjectRow(tx, { name: 'Led', lead_id, created_by_id: owner })
        await assertLeadHasAccess(tx, { project_id: id, lead_id }, 'lead')
      })
    await assert.rejects(lead(guest), refusedWith('not_a_member'))
    await assert.rejects(lead(stranger.people.owner), refusedWith('not_a_member'))
    await lead(team.people.member)
    await add(guest)
    await add(guest)
    await storage.read(actor, (tx) =>
      assertLeadHasAccess(tx, { project_id: team.hidden, lead_id: guest }, 'lead'),
    )
  })
}
