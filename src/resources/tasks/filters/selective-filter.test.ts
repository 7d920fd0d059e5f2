import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DatabaseEngine } from '#core/transaction.ts'
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

for (const engine of ENGINES) {
  test(`few matches are found before a page is read, also in all projects (${engine})`, async () => {
    const { home, send, create, isFoundFirst } = await createObservedServer(engine)
    await create([
      {
        status: 'done',
        priority: 'high',
        due_date: '2026-01-01',
        external_source: 'tracker',
        external_id: '1',
        assignee_ids: [home.people.member],
      },
    ])
    const filters = [
      'status=done',
      'status_category=completed',
      'completed=true',
      'priority=high',
      'due_after=2026-01-01',
      'due_before=2026-01-02',
      'updated_since=2026-01-01T00:00:00Z',
      'created_after=2026-01-01T00:00:00Z',
      'completed_after=2026-01-01T00:00:00Z',
      'external_source=tracker',
      `assignee_id=${home.people.member}`,
    ]
    for (const list of ['tasks', `projects/${home.project}/tasks`]) {
      for (const filter of filters) {
        const page = await send('GET', `${list}?${filter}&sort=updated_at`)
        assert.equal(page.data.length, 1, `${list}?${filter}`)
        assert.ok(isFoundFirst(), `${list}?${filter}`)
      }
    }
  })

  test(`few tasks of a person with a tag are found if both have many (${engine})`, async () => {
    const { home, send, create, isFoundFirst } = await createObservedServer(engine)
    const tag = (await send('POST', `projects/${home.project}/tags`, { name: 'Tag' })).id
    const assigned = { assignee_ids: [home.people.member] }
    const tagged = { tag_ids: [tag] }
    await create(Array.from({ length: 90 }, () => assigned))
    await create(Array.from({ length: 90 }, () => tagged))
    const list = `projects/${home.project}/tasks?sort=updated_at&limit=200`
    const person = `assignee_id=${home.people.member}`
    assert.equal((await send('GET', `${list}&${person}`)).data.length, 90)
    assert.equal(isFoundFirst(), false, 'control: the tasks of the person are too many')
    assert.equal((await send('GET', `${list}&${person}&tag_id=${tag}`)).data.length, 0)
    assert.ok(isFoundFirst())
    await create([{ ...assigned, ...tagged }])
    assert.equal((await send('GET', `${list}&${person}&tag_id=${tag}`)).data.length, 1)
    assert.ok(isFoundFirst())
  })
}

/** A server with a workspace, which shows whether the last page was one of ids found before. */
async function createObservedServer(engine: DatabaseEngine) {
  const docket = await openTestDocket(engine)
  const home = await createTestWorkspace(docket.storage)
  let page = ''
  const storage = rewriteStatements(docket.storage, (text, of) => {
    if (of === engine && / from "tasks".* order by /s.test(text.sql)) page = text.sql
    return text
  })
  const server = await createServerVariant(docket, { storage })
  const headers = { authorization: `Bearer ${home.keys.owner}` }
  async function send(method: 'GET' | 'POST', path: string, payload?: object) {
    const request = { method, url: `/api/v1/${path}`, headers, ...(payload && { payload }) }
    const reply = await server.inject(request)
    assert.ok(reply.statusCode < 300, reply.body)
    return reply.json()
  }
  return {
    home,
    send,
    create: (tasks: readonly object[]) =>
      send('POST', 'tasks/bulk', {
        operations: tasks.map((task) => ({
          op: 'create',
          data: { project_id: home.project, title: 'Task', ...task },
        })),
      }),
    isFoundFirst: () => /"tasks"\."id" (in|= any)/.test(page),
  }
}
