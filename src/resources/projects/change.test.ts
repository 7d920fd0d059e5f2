import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Actor, NOBODY } from '#core/actor.ts'
import type { Refusal } from '#core/refusal.ts'
import { fromJson } from '#lib/json.ts'
import { docketOn, ENGINES } from '#test/support/engines.ts'
import { newHome } from '#test/support/home.ts'
import { eventsOf } from '#test/support/scenario.ts'
import { changeProject, type ProjectChange } from './change.ts'
import { createProject } from './create.ts'
import { addToPeople, refuseBlindLead } from './people.ts'

const refusedWith = (code: string) => (error: Refusal) =>
  error.code === code || error.details[0]?.code === code

for (const engine of ENGINES) {
  const setUp = async () => {
    const { storage } = await docketOn(engine)
    const home = await newHome(storage)
    const actor: Actor = { ...NOBODY, workspace_id: home.workspace, role: 'owner' }
    const change = async (wanted: ProjectChange, id = home.project) =>
      fromJson((await storage.write(actor, (tx) => changeProject(tx, id, wanted))).json)
    const events = async () =>
      (await eventsOf(storage, home.workspace)).map(({ payload }) => JSON.parse(payload))
    return { storage, home, actor, change, events }
  }

  test(`a changed project is told of with both sides of what changed (${engine})`, async () => {
    const { home, change, events } = await setUp()
    const changed = await change({ name: 'Machines', visibility: 'private' })
    assert.equal(changed.name, 'Machines')
    const [event, ...others] = await events()
    assert.equal(event.type, 'project.updated')
    assert.deepEqual(event.changes, {
      name: { from: 'Engineering', to: 'Machines' },
      visibility: { from: 'workspace', to: 'private' },
    })
    assert.deepEqual(event.data, changed)
    assert.equal(event.project_id, home.project)
    assert.equal(event.actor.type, 'system')
    assert.deepEqual(others, [])
  })

  test(`a change that changes nothing leaves the project as it was (${engine})`, async () => {
    const { change, events } = await setUp()
    const before = await change({})
    const same = await change({ name: 'Engineering', prefix: 'ENG', archived: false })
    assert.deepEqual(same, before)
    assert.deepEqual(await events(), [])
  })

  test(`a project keeps the prefixes it had, and nobody else gets them (${engine})`, async () => {
    const { home, change } = await setUp()
    await change({ prefix: 'MAC' })
    await assert.rejects(change({ prefix: 'HID' }), refusedWith('prefix_taken'))
    await assert.rejects(change({ prefix: 'ENG' }, home.hidden), refusedWith('prefix_taken'))
    const back = await change({ prefix: 'ENG' })
    assert.equal(back.prefix, 'ENG')
    assert.match(back.url, /\/p\/ENG$/)
  })

  test(`a project is archived once, and back again (${engine})`, async () => {
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

  test(`only a member who sees the project can be in its list or lead it (${engine})`, async () => {
    const { storage, home, actor } = await setUp()
    const { guest, owner } = home.people
    const stranger = await newHome(storage)
    const add = (user_id: string, project_id = home.hidden) =>
      storage.write(actor, (tx) => addToPeople(tx, { project_id, user_id }, 'user'))
    await assert.rejects(add(stranger.people.member), refusedWith('not_a_member'))
    await assert.rejects(add(guest, stranger.project), refusedWith('not_found'))
    const lead = (lead_id: string) =>
      storage.write(actor, async (tx) => {
        const id = await createProject(tx, { name: 'Led', lead_id, created_by_id: owner })
        await refuseBlindLead(tx, { project_id: id, lead_id }, 'lead')
      })
    await assert.rejects(lead(guest), refusedWith('not_a_member'))
    await assert.rejects(lead(stranger.people.owner), refusedWith('not_a_member'))
    await lead(home.people.member)
    await add(guest)
    await add(guest)
    await storage.read(actor, (tx) =>
      refuseBlindLead(tx, { project_id: home.hidden, lead_id: guest }, 'lead'),
    )
  })
}
