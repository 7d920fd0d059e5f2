import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { NOBODY } from '#core/actor.ts'
import { Refusal } from '#core/refusal.ts'
import { ensureAccount } from '#identity/account.ts'
import { join, removeMember } from '#resources/members/membership.ts'
import { docketOn, ENGINES } from '../support/engines.ts'
import { newHome } from '../support/home.ts'
import { eventsOf } from '../support/scenario.ts'
import { asking, comparingOutside, count, tally } from './races.ts'
import { type Asking, call, made, outcomeOf } from './world/call.ts'
import { scaled } from './world/size.ts'

for (const engine of ENGINES) {
  const world = async () => {
    const { storage, server } = await docketOn(engine)
    const home = await newHome(storage)
    const key = home.keys.owner
    const newTask = async (more: object = {}) => {
      const body = { project_id: home.project, title: 'Task', ...more }
      return (await made(server, key, { method: 'POST', url: '/api/v1/tasks', body })).id
    }
    const atOnce = async (requests: readonly Asking[]) => {
      const replies = await Promise.all(requests.map((one) => call(server, key, one)))
      return tally(replies.map(outcomeOf))
    }
    return { storage, server, home, key, newTask, atOnce }
  }
  const times = (length: number, one: (at: number) => Asking) =>
    Array.from({ length }, (_, at) => one(at))

  test(`no increment under If-Match is lost (${engine})`, async () => {
    const { server, key, newTask } = await world()
    const { is, ought } = await count(asking(server, key), await newTask(), 8, scaled(10))
    assert.deepEqual(is, ought)
  })

  test(`If-Match compared before the turn of the write is found out (${engine})`, async () => {
    const { server, key, newTask } = await world()
    const ask = comparingOutside(asking(server, key))
    const { is, ought } = await count(ask, await newTask(), 8, 5)
    assert.notDeepEqual(is, ought)
  })

  test(`fifty completions at once are one completion (${engine})`, async () => {
    const { storage, home, newTask, atOnce } = await world()
    for (let round = 0; round < scaled(3); round++) {
      const id = await newTask()
      const seen = (await eventsOf(storage, home.workspace)).length
      const complete = () => ({ method: 'POST', url: `/api/v1/tasks/${id}/complete` })
      assert.deepEqual(await atOnce(times(50, complete)), { '200': 50 })
      const events = (await eventsOf(storage, home.workspace)).slice(seen)
      assert.deepEqual(
        events.map(({ type }) => type),
        ['task.completed'],
      )
    }
  })

  test(`two that become each other's parent, or blocker, do not both (${engine})`, async () => {
    const { newTask, atOnce } = await world()
    const [a, b] = [await newTask(), await newTask()]
    const patch = (id: string, body: object) => ({
      method: 'PATCH',
      url: `/api/v1/tasks/${id}`,
      body,
    })
    for (let round = 0; round < scaled(10); round++) {
      const parents = [patch(a, { parent_id: b }), patch(b, { parent_id: a })]
      assert.deepEqual(await atOnce(parents), { '200': 1, '422 validation_failed': 1 })
      await atOnce([patch(a, { parent_id: null }), patch(b, { parent_id: null })])
      const blockers = [patch(a, { blocked_by_ids: [b] }), patch(b, { blocked_by_ids: [a] })]
      assert.deepEqual(await atOnce(blockers), { '200': 1, '422 validation_failed': 1 })
      await atOnce([patch(a, { blocked_by_ids: [] }), patch(b, { blocked_by_ids: [] })])
    }
  })

  test(`of twenty timers started at once one runs (${engine})`, async () => {
    const { server, key, newTask, atOnce } = await world()
    const url = `/api/v1/tasks/${await newTask()}/time-entries`
    const start = () => ({ method: 'POST', url, body: { running: true } })
    assert.deepEqual(await atOnce(times(20, start)), { '201': 20 })
    const list = await made<{ data: { is_running: boolean }[] }>(server, key, {
      method: 'GET',
      url: `${url}?limit=200`,
    })
    assert.equal(list.data.length, 20)
    assert.equal(list.data.filter(({ is_running }) => is_running).length, 1)
  })

  test(`a tag name and an external id are given once (${engine})`, async () => {
    const { home, atOnce } = await world()
    const { project } = home
    const url = `/api/v1/projects/${project}/tags`
    const tag = (at: number) => ({
      method: 'POST',
      url,
      body: { name: at % 2 ? 'Ärger' : 'ÄRGER' },
    })
    assert.deepEqual(await atOnce(times(20, tag)), { '201': 1, '409 tag_exists': 19 })
    const external = { external_source: 'jira', external_id: 'J-1' }
    const task = () => ({
      method: 'POST',
      url: '/api/v1/tasks',
      body: { project_id: project, title: 'Imported', ...external },
    })
    assert.deepEqual(await atOnce(times(20, task)), { '201': 1, '409 external_id_exists': 19 })
  })

  test(`of two owners who remove each other one stays (${engine})`, async () => {
    const { storage, home } = await world()
    const { workspace, people } = home
    const system = { ...NOBODY, workspace_id: workspace, role: 'owner' } as const
    const second = await storage.write(system, async (tx) => {
      const account = { email: `second@${workspace.slice(4)}.example`, name: 'B', timezone: 'UTC' }
      const { user_id } = await ensureAccount(tx, account, { password: 'unused', hash: 'unused' })
      await join(tx, { user_id, name: 'B', role: 'owner' })
      return user_id
    })
    const outcomes = await Promise.all(
      [people.owner, second].map((user) =>
        storage
          .write(system, (tx) => removeMember(tx, user))
          .then(
            () => 'removed',
            (error) => (error instanceof Refusal ? error.code : String(error)),
          ),
      ),
    )
    assert.deepEqual(tally(outcomes), { removed: 1, last_owner: 1 })
  })

  test(`nobody reads what is taken back (${engine})`, async () => {
    const { server, key, newTask, atOnce } = await world()
    const [id, other] = [await newTask({ title: 'Kept' }), await newTask()]
    const operations = [
      { op: 'update', id, data: { title: 'Taken back' } },
      { op: 'update', id: other, data: { title: '' } },
    ]
    const bulk = { method: 'POST', url: '/api/v1/tasks/bulk', body: { operations } }
    let under_way = true
    const titles = new Set<string>()
    const reader = async () => {
      while (under_way) {
        const url = `/api/v1/tasks/${id}`
        titles.add((await made<{ title: string }>(server, key, { method: 'GET', url })).title)
        // What is injected is answered without the loop turning, and writes wait for its turn.
        await setImmediate()
      }
    }
    const readers = [reader(), reader()]
    for (let round = 0; round < scaled(5); round++) {
      assert.deepEqual(await atOnce(times(10, () => bulk)), { '422 validation_failed': 10 })
    }
    under_way = false
    await Promise.all(readers)
    assert.deepEqual([...titles], ['Kept'])
  })
}
