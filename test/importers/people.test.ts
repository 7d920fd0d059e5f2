import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Comment } from '#resources/comments/contract.ts'
import { removeMember } from '#resources/members/membership.ts'
import type { Task } from '#resources/tasks/fields.ts'
import { createFreshDockets } from '../support/engines/fresh-docket.ts'
import { ENGINES } from '../support/engines/test-docket.ts'
import { createImporter, describeImportError } from '../support/world/importer.ts'
import { createTestSession } from '../support/world/test-session.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'

// On a shared database, importers of other test processes would claim the jobs.
const fresh = createFreshDockets()

const UNKNOWN_USER = 'usr_01k2m3n4p5q6r7s8t9v0w1x2y3'
const comments = ['ada', 'bob'].map((login) => ({
  author: { login },
  createdAt: '2026-01-02T00:00:00Z',
  body: `From ${login}`,
}))
const FILE = JSON.stringify([
  { number: 1, title: 'Ship it', assignees: [{ login: 'ada' }, { login: 'bob' }], comments },
  { number: 2, title: 'Test it', comments: comments.slice(1) },
])

for (const engine of ENGINES) {
  test(`imports write only in the name of active members of the workspace (${engine})`, async () => {
    const docket = await fresh(engine)
    const { storage } = docket
    const team = await createTestWorkspace(storage)
    const stranger = await createTestWorkspace(storage)
    const importer = await createImporter(docket, team)
    const leave = (user_id: string) =>
      storage.write({ ...ANONYMOUS_ACTOR, workspace_id: team.workspace }, (tx) =>
        removeMember(tx, user_id),
      )
    const { id } = await importer.upload('issues.json', FILE)
    await importer.work()

    await leave(team.people.guest)
    const { member } = team.people
    const faultsOf = async (user_id: string) => {
      const people = [
        { name: 'ada', user_id: member },
        { name: 'bob', user_id },
      ]
      const url = `/internal/imports/${id}`
      const { error } = await importer.ask<{
        error: { code: string; message: string; details: { field: string; code: string }[] }
      }>('PATCH', url, { people }, 422)
      const { code, message, details } = error
      return { code, message, details }
    }
    const refused = await faultsOf(UNKNOWN_USER)
    assert.deepEqual(
      refused.details.map(({ field, code }) => [field, code]),
      [['people[1].user_id', 'not_a_member']],
    )
    assert.deepEqual(await faultsOf(stranger.people.member), refused)
    assert.deepEqual(await faultsOf(team.people.guest), refused)
    assert.deepEqual(
      (await importer.get(id)).people.map(({ user_id }) => user_id),
      [null, null],
    )

    // One of the chosen people leaves before the import runs.
    const { owner } = team.people
    await importer.choose(id, {
      people: [
        { name: 'ada', user_id: member },
        { name: 'bob', user_id: owner },
      ],
    })
    await leave(member)
    await importer.act(id, 'start')
    await importer.work()
    assert.deepEqual(await importer.faults(id), [])
    const list = <T>(url: string) => importer.ask<{ data: T[] }>('GET', url)
    const tasks = (await list<Task>('/api/v1/tasks')).data
    const titled = (title: string) => tasks.find((one) => one.title === title) ?? assert.fail()
    const [task, unassigned] = [titled('Ship it'), titled('Test it')]
    assert.deepEqual([task.assignee_ids, task.description], [[owner], 'Assigned to: ada'])
    const written = (await list<Comment>(`/api/v1/tasks/${task.id}/comments`)).data
    assert.deepEqual(
      written.map(({ author_id, body }) => [author_id, body]),
      [
        [team.people.admin, '*ada, 2026-01-02*\n\nFrom ada'],
        [owner, '*2026-01-02*\n\nFrom bob'],
      ],
    )

    // Nobody is notified of the import, and the author of a comment watches its task.
    const { headers } = await createTestSession(storage, team, 'owner', docket.config.baseUrl)
    const readAsOwner = async (url: string) =>
      (await docket.server.inject({ method: 'GET', url, headers })).json()
    assert.deepEqual((await readAsOwner('/internal/notifications')).data, [])
    assert.equal((await readAsOwner(`/internal/tasks/${unassigned.id}/watch`)).watching, true)
  })

  test(`undoes an import whose creator may no longer import (${engine})`, async () => {
    const docket = await fresh(engine)
    const team = await createTestWorkspace(docket.storage)
    const importer = await createImporter(docket, team)
    const owner = await createImporter(docket, team, 'owner')
    const countTasks = async () =>
      (await owner.ask<{ data: Task[] }>('GET', '/api/v1/tasks?limit=200')).data.length
    const before = await countTasks()
    const lines = Array.from({ length: 60 }, (_, at) => `Task ${at}`)
    const { id } = await importer.upload('Tasks.csv', ['title', ...lines].join('\n'))
    await importer.work()
    await importer.act(id, 'start')
    await importer.step()
    await owner.ask('PATCH', `/internal/members/${team.people.admin}`, { role: 'member' })
    await importer.work()
    const failed = await owner.get(id)
    assert.equal(failed.status, 'failed')
    assert.equal(describeImportError(failed), 'not_permitted')
    assert.ok(failed.made_count > 0 && failed.made_count < 60, String(failed.made_count))
    assert.equal(await countTasks(), before + failed.made_count)

    // Reading the file again would forget these tasks.
    for (const choice of [{ latin1: true }, { kind: 'csv' }]) {
      const url = `/internal/imports/${id}`
      const { error } = await owner.ask<{ error: { code: string } }>('PATCH', url, choice, 409)
      assert.equal(error.code, 'import_ended')
    }
    await owner.act(id, 'undo')
    await importer.work()
    const undone = await owner.get(id)
    assert.deepEqual([undone.status, undone.made_count], ['undone', 0])
    assert.equal(await countTasks(), before)
  })
}
