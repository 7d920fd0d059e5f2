import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { DATABASE_FILENAME } from '#db/installation/data-dir.ts'
import { createServerVariant, rewriteStatements } from '#test/support/api/rewrite-statements.ts'
import { ENGINES, openTestDocket } from '#test/support/engines/test-docket.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'
import type { Task } from '../fields.ts'

/** More tasks than a selective filter may match. */
const ASSIGNED = 510
const SORTS = ['due_date', '-due_date', 'created_at', '-created_at']

for (const engine of ENGINES) {
  test(`reads only the tasks of one person in the order of the list (${engine})`, async () => {
    const docket = await openTestDocket(engine)
    const { keys, project, hidden, people } = await createTestWorkspace(docket.storage)
    const statements = new Set<string>()
    const storage = rewriteStatements(docket.storage, (text, of) => {
      if (of === engine && text.sql.includes('as "assigned"')) statements.add(text.sql)
      return text
    })
    const server = await createServerVariant(docket, { storage })
    const headers = { authorization: `Bearer ${keys.owner}` }
    const send = async (method: 'GET' | 'PATCH' | 'POST', path: string, payload?: object) => {
      const url = `/api/v1/${path}`
      const reply = await server.inject({ method, url, headers, ...(payload && { payload }) })
      assert.ok(reply.statusCode < 300, `${url} → ${reply.body}`)
      return reply.json()
    }
    const walk = async (query: string) => {
      const tasks: Task[] = []
      for (let cursor = ''; ; ) {
        const page = await send('GET', `tasks?limit=90&${query}${cursor}`)
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
        statements.clear()
        const listed = await walk(`assignee_id=${people.member}&completed=false&sort=${sort}`)
        assert.deepEqual(
          listed.map(({ id }) => id),
          sorted.map(({ id }) => id),
          sort,
        )
        assert.ok(statements.size > 0, sort)
        if (engine === 'sqlite') assertPlans(docket.config.dataDir, statements)
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
      await send('POST', 'tasks/bulk', { operations })
    }
    await assertOrders()
    const [first, second, third, fourth] = await walk(`assignee_id=${people.member}&sort=due_date`)
    await send('PATCH', `tasks/${first?.id}`, { due_date: '2026-02-01' })
    await send('PATCH', `tasks/${second?.id}`, { due_date: null })
    await send('PATCH', `tasks/${third?.id}`, { assignee_ids: [people.admin] })
    await send('PATCH', `tasks/${fourth?.id}`, { assignee_ids: [], due_date: '2026-03-01' })
    await send('PATCH', `tasks/${fourth?.id}`, { assignee_ids: [people.member] })
    await assertOrders()
  })
}

/** No statement reads links or tasks of others, or sorts those of the person. */
function assertPlans(dataDir: string, statements: Iterable<string>) {
  const db = new DatabaseSync(`${dataDir}/${DATABASE_FILENAME}`, { readOnly: true })
  for (const sql of statements) {
    const values = Array(sql.match(/\?/g)?.length ?? 0).fill(null)
    const plan = db.prepare(`explain query plan ${sql}`).all(...values)
    const lines = plan.map(({ detail }) => String(detail))
    const context = `${sql}\n${lines.join('\n')}`
    for (const line of lines) {
      if (line.includes(' assigned '))
        assert.match(line, /SEARCH .*\(workspace_id=\? AND user_id=\?/, context)
      if (line.includes(' tasks ')) assert.match(line, /\(workspace_id=\? AND id=\?\)/, context)
    }
    const sorts = lines.filter((line) => line.includes('TEMP B-TREE')).length
    assert.ok(sorts <= (sql.includes('union all') ? 1 : 0), context)
  }
  db.close()
}
