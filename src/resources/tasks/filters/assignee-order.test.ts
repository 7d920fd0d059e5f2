import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ENGINES } from '#test/support/engines/test-docket.ts'
import { openTestClient } from '#test/support/world/test-client.ts'
import type { Task } from '../fields.ts'

/** More tasks than a selective filter may match. */
const ASSIGNED = 510
const SORTS = ['due_date', '-due_date', 'created_at', '-created_at']

for (const engine of ENGINES) {
  test(`lists the many tasks of one person in each order (${engine})`, async () => {
    const { team, send } = await openTestClient(engine)
    const { project, hidden, people } = team
    const walk = async (query: string) => {
      const tasks: Task[] = []
      for (let cursor = ''; ; ) {
        const page = await send(`GET /api/v1/tasks?limit=90&${query}${cursor}`)
        tasks.push(...page.data)
        if (!page.has_more) return tasks
        cursor = `&cursor=${page.next_cursor}`
      }
    }
    const assertOrders = async () => {
      const tasks = (await walk('sort=created_at')).filter(
        ({ assignee_ids, status_category }) =>
          assignee_ids.includes(people.member) && status_category !== 'completed',
      )
      for (const sort of SORTS) {
        const sign = sort.startsWith('-') ? -1 : 1
        const key = ({ due_date }: Task) => (sort.endsWith('due_date') ? due_date : '')
        const sorted = tasks.toSorted((a, b) => {
          const [left, right] = [key(a), key(b)]
          if (left === right) return a.id < b.id ? -sign : sign
          if (left === null || right === null) return left === null ? 1 : -1
          return left < right ? -sign : sign
        })
        const listed = await walk(`assignee_id=${people.member}&completed=false&sort=${sort}`)
        assert.deepEqual(
          listed.map(({ id }) => id),
          sorted.map(({ id }) => id),
          sort,
        )
      }
    }
    const data = Array.from({ length: ASSIGNED + 90 }, (_, at) => ({
      project_id: at % 50 === 0 ? hidden : project,
      title: `Task ${at}`,
      due_date: at % 3 === 0 ? null : `2026-01-${10 + ((at * 7) % 20)}`,
      status: at % 11 === 0 ? 'done' : 'todo',
      assignee_ids:
        at >= ASSIGNED || at % 50 === 0 ? [people.admin] : [people.admin, people.member],
    }))
    const extra = Array.from({ length: 20 }, (_, at) => ({
      project_id: project,
      title: `Extra ${at}`,
      assignee_ids: [people.member],
    }))
    const all = [...data, ...extra]
    for (let from = 0; from < all.length; from += 100) {
      const operations = all.slice(from, from + 100).map((one) => ({ op: 'create', data: one }))
      await send('POST /api/v1/tasks/bulk', { operations })
    }
    await assertOrders()
    const [first, second, third, fourth] = await walk(`assignee_id=${people.member}&sort=due_date`)
    await send(`PATCH /api/v1/tasks/${first?.id}`, { due_date: '2026-02-01' })
    await send(`PATCH /api/v1/tasks/${second?.id}`, { due_date: null })
    await send(`PATCH /api/v1/tasks/${third?.id}`, { assignee_ids: [people.admin] })
    await send(`PATCH /api/v1/tasks/${fourth?.id}`, { assignee_ids: [], due_date: '2026-03-01' })
    await send(`PATCH /api/v1/tasks/${fourth?.id}`, { assignee_ids: [people.member] })
    await assertOrders()
  })
}
