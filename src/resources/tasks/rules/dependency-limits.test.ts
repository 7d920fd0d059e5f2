import assert from 'node:assert/strict'
import { test } from 'node:test'
import { copyTaskRows, insertTaskLinks } from '#test/support/data/copied-tasks.ts'
import { ENGINES } from '#test/support/engines/test-docket.ts'
import { openTestClient } from '#test/support/world/test-client.ts'

for (const engine of ENGINES) {
  test(`a task blocks at most 500 others, deleted ones included, on ${engine}`, async () => {
    const { createTask, change, request, deletedCopies, link } = await openWorkspace(engine)
    const blocker = await createTask()
    const deleted = await deletedCopies(499)
    await link(deleted.map((task_id) => ({ task_id, blocker_id: blocker })))

    const last = await createTask([blocker])
    await createTask([blocker], 409)
    await change(last, [])
    await createTask([blocker])
    await createTask([blocker], 409)
    assert.equal((await request(`POST /api/v1/tasks/${deleted[0]}/restore`)).status, 200)
    const { blocking_ids } = (await request(`GET /api/v1/tasks/${blocker}`)).body
    assert.equal(blocking_ids.length, 2)
  })

  test(`at most 500 tasks block a task, deleted ones included, on ${engine}`, async () => {
    const { createTask, change, request, deletedCopies, link } = await openWorkspace(engine)
    const task = await createTask()
    const deleted = await deletedCopies(499)
    await link(deleted.map((blocker_id) => ({ task_id: task, blocker_id })))
    const [first, second] = [await createTask(), await createTask()]

    await change(task, [first, second], 409)
    await change(task, [first])
    await change(task, [second])
    await change(task, [first, second], 409)
    assert.equal((await request(`POST /api/v1/tasks/${deleted[0]}/restore`)).status, 200)
    const { blocked_by_ids } = (await request(`GET /api/v1/tasks/${task}`)).body
    assert.deepEqual(blocked_by_ids, [deleted[0], second].toSorted())
  })

  test(`names every new blocker that waits for the task, on ${engine}`, async () => {
    const { createTask, request, link } = await openWorkspace(engine)
    const [top, left, right, bottom, free] = await Promise.all(
      [1, 2, 3, 4, 5].map(() => createTask()),
    )
    assert.ok(top && left && right && bottom && free)
    await link([left, right].map((task_id) => ({ task_id, blocker_id: top })))
    await link([left, right].map((blocker_id) => ({ task_id: bottom, blocker_id })))
    await request(`DELETE /api/v1/tasks/${left}`)
    const blocked_by_ids = [free, bottom, right]
    const reply = await request(`PATCH /api/v1/tasks/${top}`, { blocked_by_ids })
    assert.equal(reply.status, 422, reply.body)
    const found = reply.body.error.details.map((detail: Record<string, string>) => detail)
    assert.deepEqual(
      found.map(({ field, code }: Record<string, string>) => [field, code]),
      [
        ['blocked_by_ids[1]', 'cycle'],
        ['blocked_by_ids[2]', 'cycle'],
      ],
    )
    const changed = await request(`PATCH /api/v1/tasks/${bottom}`, { blocked_by_ids: [right, top] })
    assert.equal(changed.status, 200, changed.body)
  })

  test(`refuses to search too many tasks for cycles, on ${engine}`, async () => {
    const { createTask, request, copy, link } = await openWorkspace(engine)
    const [task, blocker, free] = await Promise.all([1, 2, 3].map(() => createTask()))
    assert.ok(task && blocker && free)
    // 2,600 tasks wait for the task, and the blocker waits for 2,600 others.
    const [waiting, awaited] = [await copy(task, 1), await copy(task, 2)]
    const treeOf = (root: string, ids: string[]) =>
      ids.map((id, at) => ({ above: at < 50 ? root : (ids[Math.floor(at / 51) - 1] ?? root), id }))
    await link(treeOf(task, waiting).map(({ above, id }) => ({ task_id: id, blocker_id: above })))
    await link(
      treeOf(blocker, awaited).map(({ above, id }) => ({ task_id: above, blocker_id: id })),
    )

    const url = `/api/v1/tasks/${task}`
    const refused = await request(`PATCH ${url}`, { blocked_by_ids: [blocker] })
    assert.equal(refused.status, 409, refused.body)
    assert.equal(refused.body.error.code, 'limit_reached')
    assert.match(refused.body.error.message, /5000 tasks/)
    // A field error comes first, as for other conflicts.
    const body = { blocked_by_ids: [blocker], parent_id: task }
    assert.equal((await request(`PATCH ${url}`, body)).status, 422)
    assert.deepEqual((await request(`GET ${url}`)).body.blocked_by_ids, [])
    // One end of the search is small, so the size of the other does not matter.
    assert.equal((await request(`PATCH ${url}`, { blocked_by_ids: [free] })).status, 200)
  })
}

async function openWorkspace(engine: (typeof ENGINES)[number]) {
  const { storage, team, request } = await openTestClient(engine)
  /** Sends a write, and returns the id of the task; a refusal must be that of a limit. */
  async function write(method: 'POST' | 'PATCH', url: string, body: object, status: number) {
    const reply = await request(`${method} ${url}`, body)
    assert.equal(reply.status, status, JSON.stringify(reply.body))
    if (status === 409) assert.equal(reply.body.error.code, 'limit_reached')
    return reply.body.id as string
  }
  const createTask = (blocked_by_ids: string[] = [], status = 201) => {
    const body = { project_id: team.project, title: 'Task', blocked_by_ids }
    return write('POST', '/api/v1/tasks', body, status)
  }
  return {
    request,
    createTask,
    change: (id: string, blocked_by_ids: string[], status = 200) =>
      write('PATCH', `/api/v1/tasks/${id}`, { blocked_by_ids }, status),
    async deletedCopies(count: number) {
      const original = await createTask()
      await request(`DELETE /api/v1/tasks/${original}`)
      return copyTaskRows(storage, team.workspace, original, { series: 1, count })
    },
    copy: (task: string, series: number) =>
      copyTaskRows(storage, team.workspace, task, { series, count: 2_600 }),
    link: (links: { task_id: string; blocker_id: string }[]) =>
      insertTaskLinks(storage, team.workspace, links),
  }
}
