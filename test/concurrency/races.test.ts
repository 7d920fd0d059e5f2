import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { type ApiCall, callApi, callApiForJson, summarizeReply } from '../support/api/call-api.ts'
import { ENGINES, openTestDocket } from '../support/engines/test-docket.ts'
import { readEvents } from '../support/scenario/scenario.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'
import { callWithKey, countOutcomes, incrementConcurrently } from './races.ts'

for (const engine of ENGINES) {
  const setUp = async () => {
    const { storage, server } = await openTestDocket(engine)
    const team = await createTestWorkspace(storage)
    const key = team.keys.owner
    const newTask = async (more: object = {}) => {
      const body = { project_id: team.project, title: 'Task', ...more }
      return (await callApiForJson(server, key, { method: 'POST', url: '/api/v1/tasks', body })).id
    }
    const sendConcurrently = async (requests: readonly ApiCall[]) => {
      const replies = await Promise.all(requests.map((one) => callApi(server, key, one)))
      return countOutcomes(replies.map(summarizeReply))
    }
    return { storage, server, team, key, newTask, sendConcurrently }
  }
  const repeat = (length: number, one: (at: number) => ApiCall) =>
    Array.from({ length }, (_, at) => one(at))

  test(`loses no concurrent increment with If-Match (${engine})`, async () => {
    const { server, key, newTask } = await setUp()
    const { actual, expected } = await incrementConcurrently(
      callWithKey(server, key),
      await newTask(),
      8,
      10,
    )
    assert.deepEqual(actual, expected)
  })

  test(`fifty concurrent completions emit one event (${engine})`, async () => {
    const { storage, team, newTask, sendConcurrently } = await setUp()
    const id = await newTask()
    const seen = (await readEvents(storage, team.workspace)).length
    const complete = () => ({ method: 'POST', url: `/api/v1/tasks/${id}/complete` })
    assert.deepEqual(await sendConcurrently(repeat(50, complete)), { '200': 50 })
    const events = (await readEvents(storage, team.workspace)).slice(seen)
    assert.deepEqual(
      events.map(({ type }) => type),
      ['task.completed'],
    )
  })

  test(`two tasks cannot become each other's parent or blocker concurrently (${engine})`, async () => {
    const { newTask, sendConcurrently } = await setUp()
    const [a, b] = [await newTask(), await newTask()]
    const patch = (id: string, body: object) => ({
      method: 'PATCH',
      url: `/api/v1/tasks/${id}`,
      body,
    })
    for (let round = 0; round < 3; round++) {
      const parents = [patch(a, { parent_id: b }), patch(b, { parent_id: a })]
      assert.deepEqual(await sendConcurrently(parents), { '200': 1, '422 validation_failed': 1 })
      await sendConcurrently([patch(a, { parent_id: null }), patch(b, { parent_id: null })])
      const blockers = [patch(a, { blocked_by_ids: [b] }), patch(b, { blocked_by_ids: [a] })]
      assert.deepEqual(await sendConcurrently(blockers), { '200': 1, '422 validation_failed': 1 })
      await sendConcurrently([patch(a, { blocked_by_ids: [] }), patch(b, { blocked_by_ids: [] })])
    }
  })

  test(`one of twenty concurrently started timers runs (${engine})`, async () => {
    const { server, key, newTask, sendConcurrently } = await setUp()
    const url = `/api/v1/tasks/${await newTask()}/time-entries`
    const start = () => ({ method: 'POST', url, body: { running: true } })
    assert.deepEqual(await sendConcurrently(repeat(20, start)), { '201': 20 })
    const list = await callApiForJson<{ data: { is_running: boolean }[] }>(server, key, {
      method: 'GET',
      url: `${url}?limit=200`,
    })
    assert.equal(list.data.length, 20)
    assert.equal(list.data.filter(({ is_running }) => is_running).length, 1)
  })

  test(`tag names and external ids stay unique under concurrency (${engine})`, async () => {
    const { team, sendConcurrently } = await setUp()
    const { project } = team
    const url = `/api/v1/projects/${project}/tags`
    const tag = (at: number) => ({
      method: 'POST',
      url,
      body: { name: at % 2 ? 'Ärger' : 'ÄRGER' },
    })
    assert.deepEqual(await sendConcurrently(repeat(20, tag)), { '201': 1, '409 tag_exists': 19 })
    const external = { external_source: 'jira', external_id: 'J-1' }
    const task = () => ({
      method: 'POST',
      url: '/api/v1/tasks',
      body: { project_id: project, title: 'Imported', ...external },
    })
    assert.deepEqual(await sendConcurrently(repeat(20, task)), {
      '201': 1,
      '409 external_id_exists': 19,
    })
  })

  test(`nobody reads changes that are rolled back (${engine})`, async () => {
    const { server, key, newTask, sendConcurrently } = await setUp()
    const [id, other] = [await newTask({ title: 'Kept' }), await newTask()]
    const operations = [
      { op: 'update', id, data: { title: 'Taken back' } },
      { op: 'update', id: other, data: { title: '' } },
    ]
    const bulk = { method: 'POST', url: '/api/v1/tasks/bulk', body: { operations } }
    let isRunning = true
    const titles = new Set<string>()
    const reader = async () => {
      while (isRunning) {
        const url = `/api/v1/tasks/${id}`
        titles.add(
          (await callApiForJson<{ title: string }>(server, key, { method: 'GET', url })).title,
        )
        // Injected requests do not yield to the event loop, but writes wait for a turn of it.
        await setImmediate()
      }
    }
    const readers = [reader(), reader()]
    for (let round = 0; round < 5; round++) {
      assert.deepEqual(await sendConcurrently(repeat(10, () => bulk)), {
        '422 validation_failed': 10,
      })
    }
    isRunning = false
    await Promise.all(readers)
    assert.deepEqual([...titles], ['Kept'])
  })
}
