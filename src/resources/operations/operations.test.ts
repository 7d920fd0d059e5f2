import assert from 'node:assert/strict'
import { type ScenarioReply, type ScenarioStep, scenario } from '#test/support/scenario/scenario.ts'
import {
  createTaskStep,
  listStep,
  moveTaskStep,
  patchTaskStep,
  rejectedStep,
  tagStep,
} from '#test/support/scenario/steps.ts'
import { createTestClock } from '#test/support/system/test-clock.ts'
import type { OperationRecord } from './contract.ts'

const newest = (name: string, as: ScenarioStep['as'] = 'owner'): ScenarioStep => ({
  send: 'GET /api/v1/operations?limit=1',
  as,
  status: 200,
  keep: { [name]: 'data.0.id' },
})
const operationsOf = ({ body }: ScenarioReply) => (body as { data: OperationRecord[] }).data

scenario('lists the operations of oneself, and for owners and admins those of everybody', [
  createTaskStep('Own'),
  newest('first'),
  createTaskStep('Theirs', {}, { as: 'member' }),
  newest('second', 'member'),
  patchTaskStep('Own', { title: 'New' }),
  newest('third'),
  listStep('/api/v1/operations', ['third', 'first']),
  listStep('/api/v1/operations?user_id=me&sort=created_at', ['first', 'third']),
  listStep('/api/v1/operations?user_id=all', ['third', 'second', 'first'], { as: 'admin' }),
  listStep('/api/v1/operations?user_id={member}', ['second'], { as: 'admin' }),
  listStep('/api/v1/operations', ['second'], { as: 'member' }),
  listStep('/api/v1/operations?user_id={member}', ['second'], { as: 'member' }),
  ...['all', '{owner}'].map((whose) =>
    rejectedStep(`GET /api/v1/operations?user_id=${whose}`, 403, 'insufficient_role', {
      as: 'member',
    }),
  ),
  {
    send: 'GET /api/v1/operations?limit=1&user_id=all',
    status: 200,
    reply: { has_more: true },
    keep: { cursor: 'next_cursor' },
  },
  listStep('/api/v1/operations?limit=1&user_id=all&cursor={cursor}', ['second']),
  {
    send: 'GET /api/v1/operations/{second}',
    status: 200,
    keep: { key: 'actor.credential_id', since: 'created_at' },
    reply: {
      actor: { type: 'api_key', user_id: '{member}' },
      event_count: 1,
      changes: [{ event_type: 'task.created', record_id: '{Theirs}', name: 'Theirs' }],
    },
  },
  listStep('/api/v1/operations?credential_id={key}', ['second']),
  listStep('/api/v1/operations?credential_id={key}&user_id={owner}', []),
  listStep('/api/v1/operations?credential_id={key}', ['second'], { as: 'member' }),
  listStep('/api/v1/operations?credential_id={key}', [], { as: 'guest' }),
  listStep('/api/v1/operations?user_id=all&created_after={since}', ['third', 'second']),
])

scenario('shows an operation to whoever did it, owners and admins', [
  createTaskStep('Task', {}, { as: 'member' }),
  newest('created', 'member'),
  { send: 'GET /api/v1/operations/{created}', as: 'member', status: 200 },
  { send: 'GET /api/v1/operations/{created}', as: 'admin', status: 200 },
  ...(['guest', 'stranger'] as const).map((as) =>
    rejectedStep('GET /api/v1/operations/{created}', 404, 'not_found', { as }),
  ),
  rejectedStep('GET /api/v1/operations/{created}', 403, 'insufficient_scope', {
    as: ['comments:read'],
  }),
  {
    send: 'POST /api/v1/tasks/{Task}/comments',
    body: { body: 'Secret' },
    status: 201,
    events: ['comment.created'],
  },
  newest('commented'),
  // A key without the scope of comments learns nothing of them.
  {
    send: 'GET /api/v1/operations/{commented}',
    as: ['tasks:read'],
    status: 200,
    reply: { event_count: 1 },
    check: ({ body }) => assert.deepEqual((body as OperationRecord).changes, []),
  },
])

scenario('lists the operations of a task for whoever sees it, without anything else they changed', [
  tagStep('hidden', 'secret', 'tag'),
  createTaskStep('Task', { project_id: '{hidden}', title: 'Secret', tag_ids: ['{tag}'] }),
  createTaskStep('Below', { project_id: '{hidden}', parent_id: '{Task}' }),
  moveTaskStep('Task', 'project', { events: ['task.updated', 'task.updated'] }),
  patchTaskStep('Task', { title: 'One' }, { as: 'member' }),
  newest('renamed', 'member'),
  patchTaskStep('Task', { description: 'x', title: 'Two', after_id: '{Below}' }),
  newest('changed'),
  {
    send: 'GET /api/v1/tasks/{Task}/operations',
    as: 'member',
    status: 200,
    check: (reply, { changed, renamed }) => {
      const [last, second, move, ...none] = operationsOf(reply)
      assert.deepEqual([last?.id, second?.id, none], [changed, renamed, []])
      assert.deepEqual(
        last?.changes.map(({ changes }) => changes.title),
        [{ from: 'One', to: 'Two' }],
      )
      // It came from a project that the member does not see.
      assert.deepEqual([move?.changes, move?.event_count], [[], 0])
    },
  },
  {
    send: 'GET /api/v1/tasks/{Task}/operations?limit=1&sort=created_at',
    status: 200,
    reply: { has_more: true, data: [{ event_count: 1, changes: [{ record_id: '{Task}' }] }] },
    keep: { cursor: 'next_cursor' },
    check: (reply) => assert.ok(operationsOf(reply)[0]?.changes[0]?.changes.project_id),
  },
  listStep('/api/v1/tasks/{Task}/operations?limit=1&sort=created_at&cursor={cursor}', ['renamed']),
  rejectedStep('GET /api/v1/tasks/{Task}/operations', 404, 'not_found', { as: 'stranger' }),
])

const clock = createTestClock()

scenario(
  'operations are gone after 30 days',
  [
    createTaskStep('Task'),
    newest('created'),
    {
      ...rejectedStep('GET /api/v1/operations/{created}', 410, 'operation_expired'),
      prepare: async () => clock.advance(30 * 86_400_000 + 1_000),
    },
    rejectedStep('POST /api/v1/operations/{created}/undo', 410, 'operation_expired'),
    listStep('/api/v1/operations', []),
    listStep('/api/v1/tasks/{Task}/operations', []),
  ],
  {},
  { clock },
)
