import assert from 'node:assert/strict'
import { test } from 'node:test'
import { copyTaskRows, insertTaskLinks } from '#test/support/data/copied-tasks.ts'
import { ENGINES, openTestDocket } from '#test/support/engines/test-docket.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'

for (const engine of ENGINES) {
  test(`names every new blocker that waits for the task, on ${engine}`, async () => {
    const { createTask, send, link } = await openWorkspace(engine)
    const [top, left, right, bottom, free] = await Promise.all([1, 2, 3, 4, 5].map(createTask))
    assert.ok(top && left && right && bottom && free)
    await link([left, right].map((task_id) => ({ task_id, blocker_id: top })))
    await link([left, right].map((blocker_id) => ({ task_id: bottom, blocker_id })))
    await send('DELETE', `/api/v1/tasks/${left}`)
    const blocked_by_ids = [free, bottom, right]
    const reply = await send('PATCH', `/api/v1/tasks/${top}`, { blocked_by_ids })
    assert.equal(reply.statusCode, 422, reply.body)
    const found = reply.json().error.details.map((detail: Record<string, string>) => detail)
    assert.deepEqual(
      found.map(({ field, code }: Record<string, string>) => [field, code]),
      [
        ['blocked_by_ids[1]', 'cycle'],
        ['blocked_by_ids[2]', 'cycle'],
      ],
    )
    const changed = await send('PATCH', `/api/v1/tasks/${bottom}`, { blocked_by_ids: [right, top] })
    assert.equal(changed.statusCode, 200, changed.body)
  })

  test(`refuses to search too many tasks for cycles, on ${engine}`, async () => {
    const { createTask, send, copy, link } = await openWorkspace(engine)
    const [task, blocker, free] = await Promise.all([1, 2, 3].map(createTask))
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
    const refused = await send('PATCH', url, { blocked_by_ids: [blocker] })
    assert.equal(refused.statusCode, 409, refused.body)
    assert.equal(refused.json().error.code, 'limit_reached')
    assert.match(refused.json().error.message, /5000 tasks/)
    // A field error comes first, as for other conflicts.
    const body = { blocked_by_ids: [blocker], parent_id: task }
    assert.equal((await send('PATCH', url, body)).statusCode, 422)
    assert.deepEqual((await send('GET', url)).json().blocked_by_ids, [])
    // One end of the search is small, so the size of the other does not matter.
    assert.equal((await send('PATCH', url, { blocked_by_ids: [free] })).statusCode, 200)
  })
}

async function openWorkspace(engine: (typeof ENGINES)[number]) {
  const { storage, server } = await openTestDocket(engine)
  const team = await createTestWorkspace(storage)
  const headers = { authorization: `Bearer ${team.keys.owner}` }
  const send = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, payload?: object) =>
    server.inject({ method, url, headers, ...(payload && { payload }) })
  return {
    send,
    async createTask(n: number): Promise<string> {
      const body = { project_id: team.project, title: `Task ${n}` }
      return (await send('POST', '/api/v1/tasks', body)).json().id
    },
    copy: (task: string, series: number) =>
      copyTaskRows(storage, team.workspace, task, { series, count: 2_600 }),
    link: (links: { task_id: string; blocker_id: string }[]) =>
      insertTaskLinks(storage, team.workspace, links),
  }
}
