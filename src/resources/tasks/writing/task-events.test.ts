import assert from 'node:assert/strict'
import { type ScenarioReply, type ScenarioStep, scenario } from '#test/support/scenario/scenario.ts'
import { createTaskStep, validationFailedStep } from '#test/support/scenario/steps.ts'

const TASK = '/api/v1/tasks/{Task}'
const patch = (
  body: object,
  events: ScenarioStep['events'],
  more: Partial<ScenarioStep> = {},
): ScenarioStep => ({
  send: `PATCH ${TASK}`,
  body,
  status: 200,
  events: events ?? [],
  ...more,
})

/** The rows about tasks of the event table (docs/spec/api.md#events-of-each-operation). */
scenario('each operation emits its events in the documented order', [
  createTaskStep('Plain'),
  createTaskStep(
    'Task',
    { status: 'done', assignee_ids: ['{owner}'] },
    {
      events: ['task.created', 'task.assigned'],
    },
  ),
  patch({}, []),
  patch({ title: 'Task', status: 'done', assignee_ids: ['{owner}'] }, []),
  ...[
    { remove_assignee_ids: ['{owner}'] },
    { status: 'todo' },
    { status: 'canceled' },
    { status: 'in_progress' },
    { before_id: '{Plain}' },
    { blocked_by_ids: ['{Plain}'] },
    { blocked_by_ids: [] },
    { parent_id: '{Plain}' },
    { custom_fields: { a: 1 } },
  ].map((body) => patch(body, ['task.updated'])),
  patch({ add_assignee_ids: ['{owner}'] }, ['task.assigned']),
  patch({ assignee_ids: ['{admin}'] }, ['task.assigned']),
  patch({ assignee_ids: ['{member}'], title: 'New' }, ['task.updated', 'task.assigned']),
  patch({ status: 'done' }, [
    {
      type: 'task.completed',
      data: { status: 'done', title: 'New' },
    },
  ]),
  patch({ status: 'todo', add_assignee_ids: ['{owner}'] }, ['task.updated', 'task.assigned']),
  patch({ status: 'done', title: 'Last', add_assignee_ids: ['{admin}'] }, [
    'task.completed',
    'task.assigned',
  ]),
  { send: `POST ${TASK}/complete`, status: 200 },
  patch({ status: 'todo' }, ['task.updated']),
  { send: `POST ${TASK}/complete`, status: 200, events: ['task.completed'] },
  { send: `POST ${TASK}/comments`, body: { body: 'x' }, status: 201, events: ['comment.created'] },
  {
    send: `POST ${TASK}/time-entries`,
    body: { duration_seconds: 5 },
    status: 201,
    events: ['time_entry.created'],
  },
  { send: `DELETE ${TASK}`, status: 204, events: ['task.deleted'] },
  { send: `POST ${TASK}/restore`, status: 200, events: ['task.updated'] },
  { send: `POST ${TASK}/restore`, status: 200 },
])

scenario('errors, dry runs, idempotent replays and empty changes emit no event', [
  createTaskStep('Task'),
  validationFailedStep(`PATCH ${TASK}`, { title: '' }, { title: 'too_short' }),
  patch({ title: 'x' }, [], { send: `PATCH ${TASK}?dry_run=true` }),
  patch({ title: 'Once' }, ['task.updated'], { headers: { 'idempotency-key': 'k' } }),
  patch({ title: 'Once' }, [], { headers: { 'idempotency-key': 'k' } }),
  patch({ title: 'Once' }, []),
])

const envelope = ({ body, headers }: ScenarioReply, known: Record<string, string>) => {
  known.operation = headers['x-operation-id'] ?? ''
  known.record = JSON.stringify(body)
}

scenario('an event has actor, time and the record as an owner sees it', [
  createTaskStep('Task'),
  patch({ priority: 'low' }, ['task.updated'], { as: 'guest', check: envelope }),
  {
    send: 'GET /api/v1/events?after_sequence=1',
    status: 200,
    check: ({ body }, known) => {
      const [event] = (body as { data: Record<string, unknown>[] }).data
      const { id, actor, timestamp, ...rest } = event ?? {}
      const data = JSON.parse(known.record ?? '')
      assert.match(String(id), /^evt_[0-9a-z]{26}$/)
      assert.deepEqual(rest, {
        type: 'task.updated',
        workspace_id: known.workspace,
        project_id: known.project,
        sequence: 2,
        operation_id: known.operation,
        api_version: 'v1',
        data,
        changes: { priority: { from: 'none', to: 'low' } },
      })
      assert.equal(timestamp, data.updated_at)
      const { credential_id, ...who } = actor as Record<string, unknown>
      assert.deepEqual(who, { type: 'api_key', user_id: known.guest, name: 'The guest' })
      assert.match(String(credential_id), /^key_[0-9a-z]{26}$/)
    },
  },
])
