import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NOBODY } from '#core/actor.ts'
import { routes } from '../../src/app.ts'
import { docketOn, ENGINES } from '../support/engines.ts'
import { newHome } from '../support/home.ts'
import { churn, faultsOfWalk, pagesByOffset, pagesOf, walk } from './cursors.ts'
import { made } from './world/call.ts'
import { scaled } from './world/size.ts'

const PRIORITIES = ['none', 'low', 'medium', 'high', 'urgent']

const NOTHING = async () => {}

/** Every order of a list, forwards and backwards, as its schema names them. */
function ordersOf(path: string): string[] {
  const route = routes.find(({ endpoint }) => endpoint.method === 'GET' && endpoint.path === path)
  const { properties } = (route?.endpoint.query ?? {}) as {
    properties: { sort: { enum: string[] } }
  }
  return properties.sort.enum
}

for (const engine of ENGINES) {
  const world = async () => {
    const { storage, server } = await docketOn(engine)
    const home = await newHome(storage)
    const create = async (url: string, body: object) =>
      (await made(server, home.keys.owner, { method: 'POST', url, body })).id
    return { storage, server, home, create }
  }

  /** A record that comes and goes for each that stays, so that pages shift. */
  async function populate(size: number, make: (at: number) => Promise<string>) {
    const ours = new Set<string>()
    for (let at = 0; at < size; at++) {
      await make(at)
      ours.add(await make(at))
    }
    return ours
  }

  test(`a walk meets each task exactly once, in every order, while others come and go (${engine})`, async () => {
    const { server, home, create } = await world()
    const { owner } = home.keys
    const body = { project_id: home.project }
    const ours = await populate(scaled(20), (at) =>
      create('/api/v1/tasks', {
        ...body,
        title: `Task ${at}`,
        priority: PRIORITIES[at % 5],
        due_date: at % 4 === 0 ? null : `2026-03-${10 + (at % 15)}`,
      }),
    )
    const lists = ['/api/v1/projects/:id/tasks', '/api/v1/tasks']
    for (const list of lists) {
      for (const sort of ordersOf(list)) {
        const url = `${list.replace(':id', home.project)}?sort=${sort}`
        const stable = (await walk(pagesOf(server, owner, url), NOTHING)).filter(
          (one) => !ours.has(one),
        )
        const between = churn(server, home, ours, '/api/v1/tasks', { ...body, title: 'C' })
        const seen = await walk(pagesOf(server, owner, url), between)
        assert.ok(stable.length >= scaled(20))
        assert.deepEqual(faultsOfWalk(seen, stable), [], `${url}`)
      }
    }
  })

  test(`so does a walk of comments, time entries and tags (${engine})`, async () => {
    const { server, home, create } = await world()
    const { owner } = home.keys
    const task = await create('/api/v1/tasks', { project_id: home.project, title: 'Task' })
    const lists: [string, string, (at: number) => object][] = [
      ['/api/v1/tasks/:id/comments', task, () => ({ body: 'Fine' })],
      [
        '/api/v1/tasks/:id/time-entries',
        task,
        (at) => ({ duration_seconds: 60, spent_on: `2026-03-${10 + (at % 10)}` }),
      ],
      ['/api/v1/projects/:id/tags', home.project, (at) => ({ name: `${at} ${Math.random()}` })],
    ]
    for (const [list, id, body] of lists) {
      const plain = list.replace(':id', id)
      const ours = await populate(20, (at) => create(plain, body(at)))
      for (const sort of ordersOf(list)) {
        const url = `${plain}?sort=${sort}`
        const stable = (await walk(pagesOf(server, owner, url), NOTHING)).filter(
          (one) => !ours.has(one),
        )
        const between = churn(server, home, ours, plain, body(7))
        const seen = await walk(pagesOf(server, owner, url), between)
        assert.deepEqual(faultsOfWalk(seen, stable), [], url)
      }
    }
  })

  test(`a walk by counting rows is found out (${engine})`, async () => {
    const { storage, server, home, create } = await world()
    const body = { project_id: home.project, title: 'C' }
    const ours = await populate(40, () => create('/api/v1/tasks', body))
    const pages = pagesByOffset(
      storage,
      { ...NOBODY, workspace_id: home.workspace, role: 'owner' },
      home.project,
    )
    const stable = (await walk(pages, NOTHING)).filter((id) => !ours.has(id))
    const seen = await walk(pages, churn(server, home, ours, '/api/v1/tasks', body))
    assert.notDeepEqual(faultsOfWalk(seen, stable), [])
  })
}
