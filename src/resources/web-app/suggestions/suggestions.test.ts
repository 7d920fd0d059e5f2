import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scenario } from '#test/support/scenario/scenario.ts'
import {
  createTaskStep,
  deleteTaskStep,
  listStep,
  rejectedStep,
  restoreTaskStep,
} from '#test/support/scenario/steps.ts'
import { createTestClock } from '#test/support/system/test-clock.ts'
import { editDistance, similarNumbers, similarPrefixes } from './operations.ts'

scenario('returns who deleted a task and until when it can be restored', [
  createTaskStep('Gone'),
  rejectedStep('GET /internal/tasks/{Gone}/trash', 404, 'not_found', { as: 'session' }),
  deleteTaskStep('Gone', undefined, { as: 'member' }),
  {
    send: 'GET /internal/tasks/eng-1/trash',
    as: 'guest session',
    status: 200,
    reply: { id: '{Gone}', short_id: 'ENG-1', title: 'Gone', deleted_by_id: '{member}' },
    check: ({ body }) => {
      const { deleted_at, purged_at } = body as Record<string, string>
      const days = (Date.parse(purged_at ?? '') - Date.parse(deleted_at ?? '')) / 86_400_000
      assert.equal(days, 30)
    },
  },
  createTaskStep('Hidden', { project_id: '{hidden}' }),
  deleteTaskStep('Hidden'),
  rejectedStep('GET /internal/tasks/{Hidden}/trash', 404, 'not_found', { as: 'member session' }),
])

interface TrashTimes {
  data: { deleted_at: string; purged_at: string }[]
}

const trashClock = createTestClock()
const passSecond = async () => trashClock.advance(1_000)

scenario(
  'lists the trash: who deleted what, the last first, without what came along',
  [
    createTaskStep('First'),
    createTaskStep('Second'),
    createTaskStep('Below', { parent_id: '{Second}' }),
    createTaskStep('Hidden', { project_id: '{hidden}' }),
    listStep('/internal/trash', [], { as: 'session' }),
    deleteTaskStep('First', undefined, { as: 'member' }),
    deleteTaskStep('Hidden', undefined, { prepare: passSecond }),
    deleteTaskStep('Second', ['task.deleted', 'task.deleted'], { prepare: passSecond }),
    listStep('/internal/trash?limit=1', ['Second'], {
      as: 'session',
      reply: { data: [{ short_id: 'ENG-2', subtask_count: 1 }], has_more: true },
      keep: { next: 'next_cursor' },
    }),
    listStep('/internal/trash?limit=5&cursor={next}', ['Hidden', 'First'], {
      as: 'session',
      reply: { data: [{}, { subtask_count: 0 }], has_more: false },
    }),
    ...(['guest session', 'member session'] as const).map((as) =>
      listStep('/internal/trash', ['Second', 'First'], { as }),
    ),
    restoreTaskStep('Second', { events: ['task.updated', 'task.updated'] }),
    {
      send: 'GET /internal/trash',
      as: 'member session',
      status: 200,
      reply: { data: [{ id: '{First}', deleted_by_id: '{member}' }] },
      check: ({ body }) => {
        const [{ deleted_at, purged_at } = assert.fail()] = (body as TrashTimes).data
        assert.equal(Date.parse(purged_at) - Date.parse(deleted_at), 30 * 86_400_000)
      },
    },
    rejectedStep('GET /internal/trash', 401, 'authentication_required', { as: 'nobody' }),
  ],
  {},
  { clock: trashClock },
)

scenario('suggests tasks with similar short ids', [
  ...Array.from({ length: 13 }, (_, at) => createTaskStep(`T${at + 1}`)),
  createTaskStep('Hidden', { project_id: '{hidden}' }),
  {
    send: 'GET /internal/near?short_id=eng-132',
    as: 'session',
    status: 200,
    reply: {
      data: [
        { short_id: 'ENG-13', id: '{T13}' },
        { short_id: 'ENG-12', title: 'T12' },
      ],
    },
  },
  {
    send: 'GET /internal/near?short_id=EGN-3',
    as: 'guest session',
    status: 200,
    check: ({ body }) => {
      const { data } = body as { data: { short_id: string }[] }
      assert.equal(data[0]?.short_id, 'ENG-3')
      assert.equal(data.length, 5)
    },
  },
  { send: 'GET /internal/near?short_id=HIT-1', as: 'session', status: 200, reply: { data: [{}] } },
  {
    send: 'GET /internal/near?short_id=HIT-1',
    as: 'member session',
    status: 200,
    check: ({ body }) => assert.deepEqual(body, { data: [] }),
  },
  rejectedStep('GET /internal/near', 400, 'invalid_parameter', { as: 'session' }),
  rejectedStep('GET /internal/near?short_id=x', 400, 'invalid_parameter', { as: 'session' }),
  { send: 'GET /internal/near?short_id=ENG-99999999999999999999', as: 'session', status: 200 },
  // People still type former prefixes of a project.
  {
    send: 'PATCH /internal/projects/{project}',
    as: 'session',
    body: { prefix: 'MOTOR' },
    status: 200,
    events: ['project.updated'],
  },
  ...['ENG-132', 'EGN-132', 'MOTR-132'].map((short_id) => ({
    send: `GET /internal/near?short_id=${short_id}`,
    as: 'session' as const,
    status: 200,
    reply: { data: [{ short_id: 'MOTOR-13', id: '{T13}' }, { short_id: 'MOTOR-12' }] },
  })),
])

test('distance 1 is an inserted, deleted, replaced or transposed character', () => {
  for (const [a, b, slips] of [
    ['ENG', 'ENG', 0],
    ['ENG', 'EN', 1],
    ['ENG', 'XENG', 1],
    ['ENG', 'ENX', 1],
    ['ENG', 'EGN', 1],
    ['ENG', 'GNE', 2],
    ['ENG', 'E', 2],
    ['', 'E', 1],
  ] as const) {
    assert.equal(editDistance(a, b), slips, `${a} ${b}`)
    assert.equal(editDistance(b, a), slips, `${b} ${a}`)
  }
  const prefixes = similarPrefixes('ENG')
  for (const near of ['ENG', 'EN', 'XENG', 'ENG1', 'ENX', 'EGN']) assert.ok(prefixes.includes(near))
  for (const near of prefixes) assert.ok(editDistance('ENG', near) < 2, near)
  const like = similarNumbers(42)
  for (const near of [42, 41, 43, 24, 4, 2, 142, 402, 420, 52]) assert.ok(like.includes(near))
  assert.ok(!like.includes(0) && !like.includes(1_000))
})
