import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Actor, ANONYMOUS_ACTOR } from '#core/actor.ts'
import { rankBetween } from '#lib/rank.ts'
import { assertCountersMatchRows } from '#test/support/data/counters.ts'
import { ENGINES } from '#test/support/engines/test-docket.ts'
import { type ScenarioStep, scenario } from '#test/support/scenario/scenario.ts'
import {
  createTaskStep,
  listStep,
  validationFailedStep,
  validationFailedSteps,
} from '#test/support/scenario/steps.ts'
import { openTestClient } from '#test/support/world/test-client.ts'
import { setTaskColumns } from '../store.ts'

/** A longer rank makes the tasks around it get new ones. */
const MAX_LENGTH = 250
const TASKS = '/api/v1/projects/{project}/tasks'
const patch = (name: string, body: object, events = ['task.updated']): ScenarioStep => ({
  send: `PATCH /api/v1/tasks/{${name}}`,
  body,
  status: 200,
  events,
})

scenario('places a task immediately before or after another', [
  createTaskStep('A'),
  createTaskStep('B'),
  createTaskStep('C', { before_id: '{B}' }),
  createTaskStep('D', { after_id: '{A}' }),
  listStep(TASKS, ['A', 'D', 'C', 'B']),
  patch('B', { before_id: '{A}' }),
  listStep(TASKS, ['B', 'A', 'D', 'C']),
  listStep(`${TASKS}?sort=-position`, ['C', 'D', 'A', 'B']),
  patch('B', { before_id: '{A}' }, []),
  patch('A', { after_id: '{B}' }, []),
  patch('C', { after_id: '{D}' }, []),
  { send: 'DELETE /api/v1/tasks/{A}', status: 204, events: ['task.deleted'] },
  patch('D', { after_id: '{B}' }, []),
  createTaskStep('E', { after_id: '{B}' }),
  createTaskStep('F', { before_id: '{D}' }),
  listStep(TASKS, ['B', 'E', 'F', 'D', 'C']),
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
  ...validationFailedSteps('PATCH /api/v1/tasks/{A}', [
    [{ before_id: '{A}' }, { before_id: 'invalid_reference' }],
    [
      { before_id: '{B}', after_id: '{B}' },
      {
        after_id: 'conflicting_fields',
      },
    ],
  ]),
  createTaskStep('There', { project_id: '{hidden}' }),
  validationFailedStep(
    'PATCH /api/v1/tasks/{A}',
    { before_id: '{There}' },
    { before_id: 'not_in_project' },
  ),
])

for (const engine of ENGINES) {
  const setUp = async () => {
    const { storage, team, send } = await openTestClient(engine)
    /** Runs operations in as few bulk requests as possible. */
    const bulk = async (operations: object[]) => {
      for (let at = 0; at < operations.length; at += 100) {
        await send('POST /api/v1/tasks/bulk', { operations: operations.slice(at, at + 100) })
      }
    }
    const create = async (count: number): Promise<string[]> => {
      const data = { project_id: team.project, title: 'x' }
      await bulk(Array.from({ length: count }, () => ({ op: 'create', data })))
      return (await order()).map(({ id }) => id)
    }
    const order = async (deleted = 'exclude'): Promise<{ id: string; position: string }[]> =>
      (await send(`GET /api/v1/projects/${team.project}/tasks?limit=200&deleted=${deleted}`)).data
    /**
     * Gives a task the rank that it would have after placements in the gap before it until only
     * `left` more fit. Such a gap takes more than a thousand placements.
     */
    const narrowGap = async (left: number, [low, first]: { position: string }[], id: string) => {
      const ranks: string[] = []
      for (let rank = first?.position ?? ''; rank.length <= MAX_LENGTH; ) {
        ranks.push(rank)
        rank = rankBetween(low?.position, rank)
      }
      assert.ok(ranks.length > 1_000)
      const position = ranks.at(-1 - left) ?? ''
      const actor: Actor = { ...ANONYMOUS_ACTOR, workspace_id: team.workspace }
      await storage.write(actor, (tx) => tx.run(setTaskColumns(['position']), { id, position }))
    }
    return { team, storage, send, bulk, create, order, narrowGap }
  }

  test(`keeps ranks short when thousands of tasks are placed in one gap (${engine})`, async () => {
    const { team, storage, send, bulk, create, order, narrowGap } = await setUp()
    const [x = '', a = '', b = '', c = '', gone = ''] = await create(5)
    await send(`DELETE /api/v1/tasks/${gone}`)
    await narrowGap(40, await order(), b)
    // Each move places one of the two between the first task and the other one.
    await bulk(
      Array.from({ length: 100 }, (_, time) => {
        return { op: 'update', id: time % 2 ? b : a, data: { after_id: x } }
      }),
    )
    const dense = await order('include')
    assert.deepEqual(
      dense.map(({ id }) => id),
      [x, b, a, c, gone],
    )
    assert.ok(dense.every(({ position }) => position.length < MAX_LENGTH / 2))
    const versions = await send(`GET /api/v1/tasks/${x}`)
    assert.equal(versions.version, 1, 'a neighbour is respaced without a new version')
    await assertCountersMatchRows(storage, team.workspace)
  })

  test(`a task can get its own rank again when its move respaces the ranks (${engine})`, async () => {
    const { team, storage, bulk, create, order, narrowGap } = await setUp()
    const [x = '', had = '', a = '', b = ''] = await create(4)
    await narrowGap(2, await order(), b)
    await bulk([a, b].map((id) => ({ op: 'update', id, data: { after_id: x } })))
    const full = (await order()).find(({ id }) => id === b)
    assert.equal(full?.position.length, MAX_LENGTH)
    await bulk([{ op: 'update', id: had, data: { after_id: x } }])
    const ids = (await order()).map(({ id }) => id)
    assert.deepEqual([ids[0], ids[1]], [x, had])
    await assertCountersMatchRows(storage, team.workspace)
  })

  test(`respacing can give the rank of the moved task to another one (${engine})`, async () => {
    const { team, storage, bulk, create, order, narrowGap } = await setUp()
    const [moved = '', x = '', y = '', a = '', b = ''] = await create(5)
    const [{ position: formerRank } = { position: '' }, ...others] = await order()
    await narrowGap(2, others, b)
    await bulk([a, b].map((id) => ({ op: 'update', id, data: { after_id: x } })))
    assert.equal((await order()).find(({ id }) => id === b)?.position.length, MAX_LENGTH)
    await bulk([{ op: 'update', id: moved, data: { after_id: x } }])
    const respaced = await order()
    assert.deepEqual(
      respaced.map(({ id }) => id),
      [x, moved, b, a, y],
    )
    assert.equal(respaced[0]?.position, formerRank)
    await assertCountersMatchRows(storage, team.workspace)
  })

  test(`random placements result in the expected order (${engine})`, async () => {
    const { team, storage, bulk, create, order } = await setUp()
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
    await assertCountersMatchRows(storage, team.workspace)
  })
}
