import assert from 'node:assert/strict'
import { test } from 'node:test'
import { routes } from '#server/routes.ts'
import { callApiForJson } from '../support/api/call-api.ts'
import { ENGINES, openTestDocket } from '../support/engines/test-docket.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'
import { createChurn, findWalkFaults, readPagesByCursor, walkPages } from './pagination.ts'

const PRIORITIES = ['none', 'low', 'medium', 'high', 'urgent']

const NO_CHANGES = async () => {}

/** Lists all sort orders of a list, from its schema. */
function sortOrdersOf(path: string): string[] {
  const route = routes.find(({ endpoint }) => endpoint.method === 'GET' && endpoint.path === path)
  const { properties } = (route?.endpoint.query ?? {}) as {
    properties: { sort: { enum: string[] } }
  }
  return properties.sort.enum
}

for (const engine of ENGINES) {
  const setUp = async () => {
    const { storage, server } = await openTestDocket(engine)
    const team = await createTestWorkspace(storage)
    const create = async (url: string, body: object) =>
      (await callApiForJson(server, team.keys.owner, { method: 'POST', url, body })).id
    return { storage, server, team, create }
  }

  /** Creates a temporary record for each permanent one, so that pages shift. */
  async function populate(size: number, make: (at: number) => Promise<string>) {
    const temporary = new Set<string>()
    for (let at = 0; at < size; at++) {
      await make(at)
      temporary.add(await make(at))
    }
    return temporary
  }

  test(`pagination returns each task exactly once in every order, while others change (${engine})`, async () => {
    const { server, team, create } = await setUp()
    const { owner } = team.keys
    const body = { project_id: team.project }
    const temporary = await populate(12, (at) =>
      create('/api/v1/tasks', {
        ...body,
        title: `Task ${at}`,
        priority: PRIORITIES[at % 5],
        due_date: at % 4 === 0 ? null : `2026-03-${10 + (at % 15)}`,
      }),
    )
    const lists = ['/api/v1/projects/:id/tasks', '/api/v1/tasks']
    for (const list of lists) {
      for (const sort of sortOrdersOf(list)) {
        const url = `${list.replace(':id', team.project)}?sort=${sort}`
        const stable = (await walkPages(readPagesByCursor(server, owner, url), NO_CHANGES)).filter(
          (one) => !temporary.has(one),
        )
        const between = createChurn(server, team, temporary, '/api/v1/tasks', {
          ...body,
          title: 'C',
        })
        const seen = await walkPages(readPagesByCursor(server, owner, url), between)
        assert.ok(stable.length >= 12)
        assert.deepEqual(findWalkFaults(seen, stable), [], `${url}`)
      }
    }
  })

  test(`pagination returns each comment, time entry and tag exactly once (${engine})`, async () => {
    const { server, team, create } = await setUp()
    const { owner } = team.keys
    const task = await create('/api/v1/tasks', { project_id: team.project, title: 'Task' })
    const lists: [string, string, (at: number) => object][] = [
      ['/api/v1/tasks/:id/comments', task, () => ({ body: 'Fine' })],
      [
        '/api/v1/tasks/:id/time-entries',
        task,
        (at) => ({ duration_seconds: 60, spent_on: `2026-03-${10 + (at % 10)}` }),
      ],
      ['/api/v1/projects/:id/tags', team.project, (at) => ({ name: `${at} ${Math.random()}` })],
    ]
    for (const [list, id, body] of lists) {
      const plain = list.replace(':id', id)
      const temporary = await populate(12, (at) => create(plain, body(at)))
      for (const sort of sortOrdersOf(list)) {
        const url = `${plain}?sort=${sort}`
        const stable = (await walkPages(readPagesByCursor(server, owner, url), NO_CHANGES)).filter(
          (one) => !temporary.has(one),
        )
        const between = createChurn(server, team, temporary, plain, body(7))
        const seen = await walkPages(readPagesByCursor(server, owner, url), between)
        assert.deepEqual(findWalkFaults(seen, stable), [], url)
      }
    }
  })
}
