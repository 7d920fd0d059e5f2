import assert from 'node:assert/strict'
import { test } from 'node:test'
import { copyTaskRows, insertTaskLinks } from '#test/support/data/copied-tasks.ts'
import { ENGINES, openTestDocket } from '#test/support/engines/test-docket.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'

for (const engine of ENGINES) {
  test(`a task blocks at most 500 others, deleted ones included, on ${engine}`, async () => {
    const { createTask, change, send, deletedCopies, link } = await openWorkspace(engine)
    const blocker = await createTask()
    const deleted = await deletedCopies(499)
    await link(deleted.map((task_id) => ({ task_id, blocker_id: blocker })))

    const last = await createTask([blocker])
    await createTask([blocker], 409)
    await change(last, [])
    await createTask([blocker])
    await createTask([blocker], 409)
    assert.equal((await send('POST', `/api/v1/tasks/${deleted[0]}/restore`)).statusCode, 200)
    const { blocking_ids } = (await send('GET', `/api/v1/tasks/${blocker}`)).json()
    assert.equal(blocking_ids.length, 2)
  })

  test(`at most 500 tasks block a task, deleted ones included, on ${engine}`, async () => {
    const { createTask, change, send, deletedCopies, link } = await openWorkspace(engine)
    const task = await createTask()
    const deleted = await deletedCopies(499)
    await link(deleted.map((blocker_id) => ({ task_id: task, blocker_id })))
    const [first, second] = [await createTask(), await createTask()]

    await change(task, [first, second], 409)
    await change(task, [first])
    await change(task, [second])
    await change(task, [first, second], 409)
    assert.equal((await send('POST', `/api/v1/tasks/${deleted[0]}/restore`)).statusCode, 200)
    const { blocked_by_ids } = (await send('GET', `/api/v1/tasks/${task}`)).json()
    assert.deepEqual(blocked_by_ids, [deleted[0], second].toSorted())
  })
}

async function openWorkspace(engine: (typeof ENGINES)[number]) {
  const { storage, server } = await openTestDocket(engine)
  const team = await createTestWorkspace(storage)
  const headers = { authorization: `Bearer ${team.keys.owner}` }
  const send = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, payload?: object) =>
    server.inject({ method, url, headers, ...(payload && { payload }) })
  /** Sends a write, and returns the id of the task; a refusal must be that of a limit. */
  async function write(method: 'POST' | 'PATCH', url: string, body: object, status: number) {
    const reply = await send(method, url, body)
    assert.equal(reply.statusCode, status, reply.body)
    if (status === 409) assert.equal(reply.json().error.code, 'limit_reached')
    return reply.json().id as string
  }
  const createTask = (blocked_by_ids: string[] = [], status = 201) => {
    const body = { project_id: team.project, title: 'Task', blocked_by_ids }
    return write('POST', '/api/v1/tasks', body, status)
  }
  return {
    send,
    createTask,
    change: (id: string, blocked_by_ids: string[], status = 200) =>
      write('PATCH', `/api/v1/tasks/${id}`, { blocked_by_ids }, status),
    async deletedCopies(count: number) {
      const original = await createTask()
      await send('DELETE', `/api/v1/tasks/${original}`)
      return copyTaskRows(storage, team.workspace, original, { series: 1, count })
    },
    link: (links: { task_id: string; blocker_id: string }[]) =>
      insertTaskLinks(storage, team.workspace, links),
  }
}
