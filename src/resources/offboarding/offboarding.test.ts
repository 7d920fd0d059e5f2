import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANONYMOUS_ACTOR, createUserActor } from '#core/actor.ts'
import { ENGINES } from '#test/support/engines/test-docket.ts'
import { readEvents } from '#test/support/scenario/scenario.ts'
import { openTestClient } from '#test/support/world/test-client.ts'
import type { Role } from '#wire/rights.ts'
import { endMembership, handOverBatch } from './handover.ts'

interface HandoverReply {
  id: string
  assignee_ids: string[]
  lead_id: string | null
  after: string | null
  done: boolean
  error: { code: string }
}

for (const engine of ENGINES) {
  const setUp = async () => {
    const { storage, team, request } = await openTestClient(engine)
    const { people } = team
    const ask = async (as: Role, line: string, payload?: object) => {
      const { status, body } = await request(line, payload, as)
      return { status, body: body as HandoverReply }
    }
    const task = async (assignee_ids: string[], more: object = {}) => {
      const body = { project_id: team.project, title: 'Work', assignee_ids, ...more }
      const made = await ask('owner', 'POST /api/v1/tasks', body)
      assert.equal(made.status, 201, JSON.stringify(made.body))
      return made.body.id
    }
    const assignees = async (id: string) =>
      (await ask('owner', `GET /api/v1/tasks/${id}`)).body.assignee_ids
    const lead = async (project: string, lead_id: string | null) =>
      (await ask('owner', `PATCH /internal/projects/${project}`, { lead_id })).body.lead_id
    const leadOf = async (project: string) =>
      (await ask('owner', `GET /api/v1/projects/${project}`)).body.lead_id
    const hand = (whom: string, to: string, as: Role = 'owner', after?: string | null) =>
      ask(as, `POST /internal/members/${whom}/hand-over`, { to, ...(after && { after }) })
    return { storage, team, people, ask, task, assignees, lead, leadOf, hand }
  }

  test(`hands open tasks and led projects over to another member (${engine})`, async () => {
    const { storage, team, people, ask, task, assignees, lead, leadOf, hand } = await setUp()
    const { member, admin, guest, owner } = people
    const rent = await task([member], {
      due_date: '2026-12-01',
      recurrence: { rrule: 'FREQ=MONTHLY', basis: 'due_date' },
    })
    const both = await task([member, admin])
    const done = await task([member], { status: 'done' })
    const closed = await task([member], { project_id: team.hidden }).catch(() => undefined)
    assert.equal(closed, undefined, 'a member who does not see a project has no task there')
    await lead(team.hidden, member)
    const hidden = await task([member], { project_id: team.hidden })
    const before = (await readEvents(storage, team.workspace)).length

    const { body: work } = await ask('owner', `GET /internal/members/${member}/work`)
    assert.deepEqual(work, { open_tasks: 3, recurring_tasks: 1, projects_led: 1 })
    const { body } = await hand(member, guest)
    const { after: _, ...told } = body
    // The guest does not see the private project, so its task and its lead go to nobody.
    assert.deepEqual(told, { tasks: 2, unassigned: 1, projects: 1, refused: 0, done: true })
    assert.deepEqual(await assignees(rent), [guest])
    assert.deepEqual(new Set(await assignees(both)), new Set([admin, guest]))
    assert.deepEqual(await assignees(done), [member])
    assert.deepEqual(await assignees(hidden), [])
    assert.equal(await leadOf(team.hidden), null)
    const events = (await readEvents(storage, team.workspace)).slice(before)
    assert.deepEqual(
      events.map(({ type }) => type),
      ['task.assigned', 'task.assigned', 'task.updated', 'project.updated'],
    )
    assert.equal(new Set(events.map(({ payload }) => JSON.parse(payload).actor.id)).size, 1)
    assert.equal((await ask('owner', `DELETE /internal/members/${member}`)).status, 204)
    assert.equal((await ask('member', 'GET /api/v1/me')).status, 401)
    assert.equal((await hand(member, owner)).status, 404)
  })

  test(`hands tasks over to the lead of their project, or to nobody (${engine})`, async () => {
    const { team, people, task, assignees, lead, leadOf, hand } = await setUp()
    const { member, admin } = people
    await lead(team.project, admin)
    const first = await task([member])
    const second = await task([member])
    assert.equal((await hand(member, 'leads')).body.done, true)
    assert.deepEqual(await assignees(first), [admin])
    assert.equal(await leadOf(team.project), admin)
    // The lead leaves too, so nobody else is left.
    assert.equal((await hand(admin, 'leads')).body.done, true)
    assert.deepEqual([await assignees(second), await leadOf(team.project)], [[], null])
  })

  test(`hands over in batches, and continues after rejected records (${engine})`, async () => {
    const { storage, team, people, ask, task, hand } = await setUp()
    const { member, admin } = people
    for (let made = 0; made < 103; made++) await task([member])
    // Members cannot hand over work in projects that they no longer see.
    await ask('owner', `PATCH /internal/projects/${team.hidden}`, { lead_id: member })
    await task([member], { project_id: team.hidden })
    await ask('owner', `PATCH /internal/projects/${team.hidden}`, { lead_id: null })
    const first = await hand(member, admin, 'member')
    assert.deepEqual([first.status, first.body.done], [200, false])
    const { body } = await hand(member, admin, 'member', first.body.after)
    const { after: _, ...told } = body
    assert.deepEqual(told, { tasks: 3, unassigned: 0, projects: 0, refused: 1, done: true })
    const system = { ...ANONYMOUS_ACTOR, role: 'owner', workspace_id: team.workspace } as const
    const rest = await storage.write(system, (tx) => handOverBatch(tx, member, { to: admin }))
    assert.deepEqual([rest.tasks, rest.refused, rest.done], [1, 0, true])
  })

  test(`tells of each led project when a person leaves who does not see it (${engine})`, async () => {
    const { storage, team, people, lead, leadOf } = await setUp()
    const { member } = people
    for (const project of [team.project, team.hidden])
      assert.equal(await lead(project, member), member)
    const before = (await readEvents(storage, team.workspace)).length
    // As when the member's account is erased: this actor has no role, so it sees few projects.
    const actor = createUserActor(member, team.workspace)
    await storage.write(actor, (tx) => endMembership(tx, member))
    const events = (await readEvents(storage, team.workspace)).slice(before)
    assert.deepEqual(
      events.map(({ type }) => type),
      ['project.updated', 'project.updated', 'member.removed'],
    )
    assert.equal(new Set(events.map(({ payload }) => JSON.parse(payload).operation_id)).size, 1)
    assert.deepEqual([await leadOf(team.project), await leadOf(team.hidden)], [null, null])
  })

  test(`only those who may remove a member can hand over their work (${engine})`, async () => {
    const { people, ask, hand } = await setUp()
    const { owner, admin, member, guest } = people
    assert.equal((await hand(admin, 'nobody', 'member')).body.error.code, 'insufficient_role')
    assert.equal((await hand(owner, 'nobody', 'admin')).body.error.code, 'insufficient_role')
    assert.equal((await hand(owner, 'nobody')).body.error.code, 'last_owner')
    assert.equal((await hand(member, member)).status, 422)
    assert.equal((await hand(member, 'usr_01k2m3n4p5q6r7s8t9v0w1x2y3')).status, 422)
    assert.equal((await hand('usr_01k2m3n4p5q6r7s8t9v0w1x2y3', 'nobody')).status, 404)
    assert.equal((await ask('guest', `GET /internal/members/${member}/work`)).status, 403)
    assert.equal((await ask('guest', `GET /internal/members/${guest}/work`)).status, 200)
  })
}
