import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DatabaseEngine } from '#core/transaction.ts'
import {
  createServerVariant,
  rewriteStatements,
} from '#test/experiments/shared/rewrite-statements.ts'
import { ENGINES, openTestDocket } from '#test/support/engines/test-docket.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'

/** More tasks than are sorted: 5 times the root of all. */
const COMMON = 70

for (const engine of ENGINES) {
  test(`few matches are found before a page is read, also in all projects (${engine})`, async () => {
    const { team, send, create, isFoundFirst } = await createObservedServer(engine)
    await create(Array.from({ length: COMMON }, () => ({ status: 'todo' })))
    await create([
      {
        title: 'Zeppelin',
        status: 'done',
        priority: 'high',
        due_date: '2026-01-01',
        external_source: 'tracker',
        external_id: '1',
        assignee_ids: [team.people.member],
      },
    ])
    const filters = [
      'status=done',
      'status_category=completed',
      'completed=true',
      'priority=high',
      'due_after=2026-01-01',
      'due_before=2026-01-02',
      'completed_after=2026-01-01T00:00:00Z',
      'external_source=tracker',
      'external_source=tracker&external_id=1',
      'q=zepp',
      `assignee_id=${team.people.member}`,
    ]
    for (const list of ['tasks', `projects/${team.project}/tasks`]) {
      for (const filter of filters) {
        const page = await send('GET', `${list}?${filter}&sort=updated_at`)
        assert.equal(page.data.length, 1, `${list}?${filter}`)
        assert.ok(isFoundFirst(), `${list}?${filter}`)
      }
      for (const filter of ['status=todo', 'completed=false', 'q=task']) {
        const page = await send('GET', `${list}?${filter}&sort=updated_at`)
        assert.equal(page.data.length, 50, `${list}?${filter}`)
        assert.equal(isFoundFirst(), false, `control: ${list}?${filter}`)
      }
    }
  })
}

/** A server with a workspace, which shows whether the last page was one of ids found before. */
async function createObservedServer(engine: DatabaseEngine) {
  const docket = await openTestDocket(engine)
  const team = await createTestWorkspace(docket.storage)
  let page = ''
  const storage = rewriteStatements(docket.storage, (text, of) => {
    if (of === engine && / from "tasks".* order by /s.test(text.sql)) page = text.sql
    return text
  })
  const server = await createServerVariant(docket, { storage })
  const headers = { authorization: `Bearer ${team.keys.owner}` }
  async function send(method: 'GET' | 'POST', path: string, payload?: object) {
    const request = { method, url: `/api/v1/${path}`, headers, ...(payload && { payload }) }
    const reply = await server.inject(request)
    assert.ok(reply.statusCode < 300, reply.body)
    return reply.json()
  }
  return {
    team,
    send,
    create: (tasks: readonly object[]) =>
      send('POST', 'tasks/bulk', {
        operations: tasks.map((task) => ({
          op: 'create',
          data: { project_id: team.project, title: 'Task', ...task },
        })),
      }),
    isFoundFirst: () => /"tasks"\."id" (in|= any)/.test(page),
  }
}
