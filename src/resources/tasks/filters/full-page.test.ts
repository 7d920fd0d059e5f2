import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DatabaseEngine } from '#core/transaction.ts'
import {
  createServerVariant,
  rewriteStatements,
} from '#test/experiments/shared/rewrite-statements.ts'
import { ENGINES, openTestDocket } from '#test/support/engines/test-docket.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'

/** A condition that fails on each row for which it is evaluated. */
const FAILING: Record<DatabaseEngine, string> = {
  sqlite: 'json("tasks"."title") is null',
  postgres: 'cast("tasks"."title" as json) is null',
}

for (const engine of ENGINES) {
  test(`a page full of tasks with a due date is one statement that reads no others (${engine})`, async () => {
    const docket = await openTestDocket(engine)
    const { keys, project } = await createTestWorkspace(docket.storage)
    const lists = new Set<string>()
    const storage = rewriteStatements(docket.storage, (text, of) => {
      // Each statement is also checked for the other engine.
      if (of !== engine || !/json.* from "tasks"/s.test(text.sql)) return text
      lists.add(text.sql)
      const undue = `$& and ${FAILING[engine]}`
      return { ...text, sql: text.sql.replaceAll('"due_date" is null', undue) }
    })
    const server = await createServerVariant(docket, { storage })
    const headers = { authorization: `Bearer ${keys.owner}` }
    for (const due_date of ['2026-01-01', '2026-01-02', '2026-01-03', null, null]) {
      const payload = { project_id: project, title: 'Write a report', due_date }
      const reply = await server.inject({ method: 'POST', url: '/api/v1/tasks', headers, payload })
      assert.equal(reply.statusCode, 201, reply.body)
    }
    for (const path of ['tasks', `projects/${project}/tasks`]) {
      const read = (limit: number) =>
        server.inject({ url: `/api/v1/${path}?sort=due_date&limit=${limit}`, headers })
      lists.clear()
      const page = await read(2)
      assert.deepEqual([page.statusCode, page.json().data?.length, lists.size], [200, 2, 1])
      assert.equal((await read(3)).statusCode, 500, 'control: a page that is not full reads them')
    }
  })
}
