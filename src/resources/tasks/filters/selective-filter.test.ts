import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  createServerVariant,
  rewriteStatements,
} from '#test/experiments/shared/rewrite-statements.ts'
import { ENGINES, openTestDocket } from '#test/support/engines/test-docket.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'

const TASKS = 510

for (const engine of ENGINES) {
  test(`no task is skipped if a filter matches more than were counted (${engine})`, async () => {
    const docket = await openTestDocket(engine)
    const { keys, project, people } = await createTestWorkspace(docket.storage)
    let rewritten = 0
    // As if all tasks were added after the count.
    const storage = rewriteStatements(docket.storage, (text, of) => {
      if (of !== engine || !text.sql.endsWith('as counted')) return text
      rewritten += 1
      return { ...text, sql: text.sql.replace('count(*)', 'count(*) * 0') }
    })
    const server = await createServerVariant(docket, { storage })
    const headers = { authorization: `Bearer ${keys.owner}` }
    const data = { project_id: project, title: 'Task', assignee_ids: [people.member] }
    for (let left = TASKS; left > 0; left -= 100) {
      const operations = Array.from({ length: Math.min(left, 100) }, () => ({ op: 'create', data }))
      const request = { url: '/api/v1/tasks/bulk', headers, payload: { operations } }
      const reply = await server.inject({ method: 'POST', ...request })
      assert.equal(reply.statusCode, 200, reply.body)
    }
    const found = new Set<string>()
    const path = `/api/v1/tasks?assignee_id=${people.member}&sort=updated_at&limit=200`
    for (let cursor = ''; cursor !== 'end'; ) {
      const page = (await server.inject({ url: `${path}${cursor}`, headers })).json()
      for (const { id } of page.data) found.add(id)
      cursor = page.has_more ? `&cursor=${page.next_cursor}` : 'end'
    }
    assert.equal(found.size, TASKS)
    assert.ok(rewritten > 0)
  })
}
