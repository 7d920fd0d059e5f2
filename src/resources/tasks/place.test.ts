import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rankBetween } from '#lib/rank.ts'
import { audit } from '#test/support/audit.ts'
import { docketOn, ENGINES } from '#test/support/engines.ts'
import { newHome } from '#test/support/home.ts'
import { type Step, scenario } from '#test/support/scenario.ts'
import { faulty, lists, made } from '#test/support/steps.ts'

const TASKS = '/api/v1/projects/{project}/tasks'
const patch = (name: string, body: object, events = ['task.updated']): Step => ({
  send: `PATCH /api/v1/tasks/{${name}}`,
  body,
  status: 200,
  events,
})

scenario('a task is placed immediately before or after another, and there it stays', [
  made('A'),
  made('B'),
  made('C', { before_id: '{B}' }),
  made('D', { after_id: '{A}' }),
  lists(TASKS, ['A', 'D', 'C', 'B']),
  patch('B', { before_id: '{A}' }),
  lists(TASKS, ['B', 'A', 'D', 'C']),
  lists(`${TASKS}?sort=-position`, ['C', 'D', 'A', 'B']),
  patch('B', { before_id: '{A}' }, []),
  patch('A', { after_id: '{B}' }, []),
  patch('C', { after_id: '{D}' }, []),
  { send: 'DELETE /api/v1/tasks/{A}', status: 204, events: ['task.deleted'] },
  patch('D', { after_id: '{B}' }, []),
  made('E', { after_id: '{B}' }),
  made('F', { before_id: '{D}' }),
  lists(TASKS, ['B', 'E', 'F', 'D', 'C']),
  { send: 'POST /api/v1/tasks/{A}/restore', status: 200, events: ['task.updated'] },
  {
    send: `GET ${TASKS}`,
    status: 200,
    check: ({ body }) => {
      const ranks = (body as { data: { position: string }[] }).data.map((task) => task.position)
      assert.deepEqual(ranks, ranks.toSorted())
      assert.equal(new Set(ranks).size, 6)
    },
  },
  faulty('PATCH /api/v1/tasks/{A}', { before_id: '{A}' }, { before_id: 'invalid_reference' }),
  faulty(
    'PATCH /api/v1/tasks/{A}',
    { before_id: '{B}', after_id: '{B}' },
    {
      after_id: 'conflicting_fields',
    },
  ),
  made('There', { project_id: '{hidden}' }),
  faulty('PATCH /api/v1/tasks/{A}', { before_id: '{There}' }, { before_id: 'not_in_project' }),
])

for (const engine of ENGINES) {
  const setUp = async () => {
    const { storage, server } = await docketOn(engine)
    const home = await newHome(storage)
    const send = async (method: 'GET' | 'POST' | 'DELETE', url: string, payload?: object) => {
      const headers = { authorization: `Bearer ${home.keys.owner}` }
      const reply = await server.inject({ method, url, headers, ...(payload && { payload }) })
      assert.ok(reply.statusCode < 300, reply.body)
      return reply.statusCode === 204 ? undefined : reply.json()
    }
    /** Does operations in as few requests as can be. */
    const bulk = async (operations: object[]) => {
      for (let at = 0; at < operations.length; at += 100) {
        await send('POST', '/api/v1/tasks/bulk', { operations: operations.slice(at, at + 100) })
      }
    }
    const create = async (count: number): Promise<string[]> => {
      const data = { project_id: home.project, title: 'x' }
      await bulk(Array.from({ length: count }, () => ({ op: 'create', data })))
      return (await order()).map(({ id }) => id)
    }
    const order = async (deleted = 'exclude'): Promise<{ id: string; position: string }[]> =>
      (await send('GET', `/api/v1/projects/${home.project}/tasks?limit=200&deleted=${deleted}`))
        .data
    return { home, storage, send, bulk, create, order }
  }

  test(`thousands of tasks are put into one gap, and ranks stay short (${engine})`, async () => {
    const { home, storage, send, bulk, create, order } = await setUp()
    const [x = '', a = '', b = '', c = '', gone = ''] = await create(5)
    await send('DELETE', `/api/v1/tasks/${gone}`)
    // Each time one of the two comes between the first and the other.
    await bulk(
      Array.from({ length: 1_500 }, (_, time) => {
        return { op: 'update', id: time % 2 ? b : a, data: { after_id: x } }
      }),
    )
    const dense = await order('include')
    assert.deepEqual(
      dense.map(({ id }) => id),
      [x, b, a, c, gone],
    )
    assert.ok(dense.every(({ position }) => position.length <= 250))
    const versions = await send('GET', `/api/v1/tasks/${x}`)
    assert.equal(versions.version, 1, 'a neighbour is respaced without a new version')
    await audit(storage, home.workspace)
  })

  test(`a task whose move spreads the ranks anew may get the one it had (${engine})`, async () => {
    const { home, storage, bulk, create, order } = await setUp()
    const [x = '', had = '', a = '', b = ''] = await create(4)
    const [low, first] = (await order()).map(({ position }) => position)
    let times = 0
    for (let rank = first; rank && rank.length <= 250; times += 1) rank = rankBetween(low, rank)
    await bulk(
      Array.from({ length: times - 1 }, (_, time) => {
        return { op: 'update', id: time % 2 ? b : a, data: { after_id: x } }
      }),
    )
    await bulk([{ op: 'update', id: had, data: { after_id: x } }])
    const ids = (await order()).map(({ id }) => id)
    assert.deepEqual([ids[0], ids[1]], [x, had])
    await audit(storage, home.workspace)
  })

  test(`tasks stand where they were put, however they were put there (${engine})`, async () => {
    const { home, storage, bulk, create, order } = await setUp()
    let seed = 7
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
      return Math.floor((seed / 2 ** 31) * below)
    }
    const model = await create(12)
    const operations = Array.from({ length: 300 }, () => {
      const [id = ''] = model.splice(random(model.length), 1)
      const at = random(model.length)
      const isBefore = random(2) === 0
      const beside = model[at]
      model.splice(isBefore ? at : at + 1, 0, id)
      return { op: 'update', id, data: isBefore ? { before_id: beside } : { after_id: beside } }
    })
    await bulk(operations)
    assert.deepEqual(
      (await order()).map(({ id }) => id),
      model,
    )
    await audit(storage, home.workspace)
  })
}
