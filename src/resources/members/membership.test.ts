import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { ApiError } from '#core/api-error.ts'
import { command, query, type Scoped } from '#db/core/statement.ts'
import { fromJson } from '#lib/json.ts'
import { createProjectRow, insertPerson } from '#resources/projects/create-project.ts'
import {
  ENGINES,
  openTestDocket,
  type TestDocketOptions,
} from '#test/support/engines/test-docket.ts'
import { createTestApplication } from '#test/support/oauth/oauth-client.ts'
import { findGrantRemains, insertTestGrant } from '#test/support/oauth/test-grant.ts'
import { readEvents } from '#test/support/scenario/scenario.ts'
import { createTestClock } from '#test/support/system/test-clock.ts'
import { createTestSession } from '#test/support/world/test-session.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import { findMembersWithAccess } from './load.ts'
import { addMember, removeMember } from './membership.ts'
import { removeMembership } from './membership-store.ts'

const keysIn = query((db, $: Scoped) =>
  db.selectFrom('api_keys').select('user_id').where('workspace_id', '=', $.workspace_id),
)
const anyTask = command(
  (db, $: Scoped<{ project_id: string; created_by_id: string; at: string }>) =>
    db.insertInto('tasks').values({
      workspace_id: $.workspace_id,
      id: 'tsk_timed',
      project_id: $.project_id,
      number: 1,
      title: 'Timed',
      status: 'todo',
      status_category: 'unstarted' as const,
      position: 'a0',
      priority: 'none' as const,
      priority_rank: 0,
      custom_fields: '{}',
      metadata: '{}',
      assignee_ids: '[]',
      tag_ids: '[]',
      blocked_by_ids: '[]',
      blocking_ids: '[]',
      comment_count: 0,
      attachment_count: 0,
      subtask_count: 0,
      completed_subtask_count: 0,
      time_spent_seconds: 60,
      version: 1,
      created_by_id: $.created_by_id,
      created_at: $.at,
      updated_at: $.at,
    }),
)
const runningTimer = command((db, $: Scoped<{ user_id: string; at: string }>) =>
  db.insertInto('time_entries').values({
    workspace_id: $.workspace_id,
    id: 'tme_running',
    task_id: 'tsk_timed',
    user_id: $.user_id,
    started_at: $.at,
    spent_on: '2026-03-01',
    billable: 0,
    source: 'api',
    created_by_id: $.user_id,
    created_at: $.at,
    updated_at: $.at,
  }),
)
const timedTask = query((db, $: Scoped) =>
  db
    .selectFrom('tasks')
    .innerJoin('time_entries', 'time_entries.task_id', 'tasks.id')
    .select(['time_spent_seconds', 'version', 'started_at', 'ended_at', 'duration_seconds'])
    .where('tasks.workspace_id', '=', $.workspace_id)
    .where('time_entries.workspace_id', '=', $.workspace_id),
)

for (const engine of ENGINES) {
  const setUp = async (lent: TestDocketOptions = {}) => {
    const docket = await openTestDocket(engine, {}, lent)
    const team = await createTestWorkspace(docket.storage)
    const actor = { ...ANONYMOUS_ACTOR, workspace_id: team.workspace }
    return { ...docket, docket, team, actor, people: team.people }
  }
  const refusedWith = (code: string) => (error: ApiError) => error.code === code

  test(`removing a member revokes API keys, stops the timer and emits their events (${engine})`, async () => {
    const clock = createTestClock()
    const { storage, server, team, actor, people } = await setUp({ clock })
    const started = new Date(clock.now() - 90_500).toISOString()
    await storage.write(actor, async (tx) => {
      const task = { project_id: team.project, created_by_id: people.owner, at: tx.now }
      await tx.run(anyTask, task)
      await tx.run(runningTimer, { user_id: people.guest, at: started })
    })
    const removed = await storage.write(actor, (tx) => removeMember(tx, people.guest))
    const record = fromJson(removed.json)
    assert.equal(record.status, 'removed')
    assert.match(record.email ?? '', /^guest\./, 'as an owner reads it')

    const [event, ...others] = await readEvents(storage, team.workspace)
    const { data, project_id, changes } = JSON.parse(event?.payload ?? '{}')
    assert.equal(event?.type, 'member.removed')
    assert.deepEqual([data, project_id, changes], [record, null, {}])
    assert.deepEqual(
      others.map(({ type }) => type),
      ['time_entry.updated'],
    )
    const stopped = JSON.parse(others[0]?.payload ?? '{}')
    assert.deepEqual([stopped.data.id, stopped.data.duration_seconds], ['tme_running', 90])
    assert.deepEqual(Object.keys(stopped.changes), ['ended_at', 'duration_seconds', 'is_running'])

    const left = await storage.read(actor, (tx) => tx.all(keysIn, {}))
    assert.deepEqual(left.map(({ user_id }) => user_id).includes(people.guest), false)
    assert.equal(left.length, 3)
    const timed = await storage.read(actor, (tx) => tx.one(timedTask, {}))
    assert.deepEqual(
      [timed?.time_spent_seconds, timed?.duration_seconds, timed?.version],
      [150, 90, 1],
    )
    assert.ok((timed?.ended_at ?? '') > started)

    const headers = { authorization: `Bearer ${team.keys.owner}` }
    const url = '/api/v1/workspace/members?status=removed'
    const { data: listed } = (await server.inject({ url, headers })).json()
    assert.deepEqual(listed, [record])
    await assert.rejects(
      storage.write(actor, (tx) => removeMember(tx, people.guest)),
      refusedWith('not_found'),
    )
  })

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

  test(`the last owner cannot be removed (${engine})`, async () => {
    const { storage, team, actor, people } = await setUp()
    const remove = (id: string) => storage.write(actor, (tx) => removeMember(tx, id))
    await assert.rejects(remove(people.owner), refusedWith('last_owner'))
    await assert.rejects(remove('usr_unknown'), refusedWith('not_found'))
    await assert.rejects(
      remove((await createTestWorkspace(storage)).people.guest),
      refusedWith('not_found'),
      'of another workspace',
    )
    assert.deepEqual(await readEvents(storage, team.workspace), [])
    await remove(people.admin)
    await storage.write(actor, (tx) =>
      addMember(tx, { user_id: people.admin, name: 'The admin', role: 'owner' }),
    )
    await remove(people.owner)
    await assert.rejects(remove(people.admin), refusedWith('last_owner'))
  })
}

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
