import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ENGINES } from '#test/support/engines/test-docket.ts'
import { openTestClient } from '#test/support/world/test-client.ts'

const TASKS = 130
const SORTS = ['created_at', 'updated_at', 'due_date', 'priority']

for (const engine of ENGINES) {
  test(`a long page holds the rows of short ones, in each order (${engine})`, async () => {
    const { team, send } = await openTestClient(engine)
    const { project } = team
    const operations = Array.from({ length: TASKS }, (_, index) => ({
      op: 'create',
      data: {
        project_id: project,
        title: `Task ${index}`,
        due_date: index % 3 === 0 ? null : `2026-01-${10 + (index % 7)}`,
        priority: index % 2 === 0 ? 'high' : 'none',
      },
    }))
    for (const some of [operations.slice(0, 100), operations.slice(100)])
      await send('POST /api/v1/tasks/bulk', { operations: some })
    const read = async (
      path: string,
    ): Promise<{ data: { id: string }[]; next_cursor: string | null }> =>
      send(`GET /api/v1/${path}`)
    const orders = SORTS.flatMap((sort) => [`?sort=${sort}`, `?sort=-${sort}`])
    const lists = orders.flatMap((order) => [
      `projects/${project}/tasks${order}`,
      `tasks${order}&priority=high,none`,
    ])
    for (const list of [...lists, 'events?type=task.created']) {
      const short: string[] = []
      for (let cursor = ''; cursor !== 'end'; ) {
        const { data, next_cursor } = await read(`${list}&limit=60${cursor}`)
        short.push(...data.map(({ id }) => id))
        cursor = next_cursor === null ? 'end' : `&cursor=${next_cursor}`
      }
      const long = await read(`${list}&limit=200`)
      assert.deepEqual(
        [long.data.map(({ id }) => id), long.next_cursor, short.length],
        [short, null, TASKS],
        list,
      )
    }
  })
}
