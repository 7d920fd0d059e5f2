import { type ScenarioStep, scenario } from '#test/support/scenario/scenario.ts'
import {
  createTaskStep,
  listStep,
  patchTaskStep,
  validationFailedStep,
} from '#test/support/scenario/steps.ts'

const RULE = { rrule: 'FREQ=WEEKLY;BYDAY=MO;COUNT=3', basis: 'due_date' }
const RECURRING = createTaskStep('Task', { due_date: '2026-01-05', recurrence: RULE })
const COMPLETED: ScenarioStep = {
  send: 'POST /api/v1/tasks/{Task}/complete',
  status: 200,
  events: ['task.completed', 'task.created'],
}
/** The newest task is the next occurrence. */
const NEXT: ScenarioStep = {
  send: 'GET /api/v1/tasks?limit=1',
  status: 200,
  reply: { data: [{ recurred_from_id: '{Task}' }] },
  keep: { Next: 'data.0.id' },
}
const undo = (more: Partial<ScenarioStep> = {}): ScenarioStep => ({
  send: 'PATCH /api/v1/tasks/{Task}',
  body: { status: 'in_progress', undo_completion: true },
  status: 200,
  reply: { status: 'in_progress', completed_at: null, recurrence: RULE },
  events: ['task.updated', 'task.deleted'],
  ...more,
})
/** The task is reopened and the next occurrence keeps the rule. */
const leavesOccurrence = (more: Partial<ScenarioStep> = {}) =>
  undo({ reply: { status: 'in_progress', recurrence: null }, events: ['task.updated'], ...more })
const tasks = (...names: string[]) => listStep('/api/v1/projects/{project}/tasks', names)

scenario('undoing a completion gives the rule back and deletes the next occurrence', [
  RECURRING,
  COMPLETED,
  NEXT,
  undo({
    events: [
      { type: 'task.updated', data: { id: '{Task}', recurrence: RULE } },
      { type: 'task.deleted', data: { id: '{Next}' } },
    ],
  }),
  tasks('Task'),
  // Completing it again continues the series.
  COMPLETED,
  NEXT,
  tasks('Task', 'Next'),
  {
    send: 'POST /api/v1/tasks/bulk',
    body: {
      operations: [{ op: 'update', id: '{Task}', data: { status: 'todo', undo_completion: true } }],
    },
    status: 200,
    reply: { results: [{ data: { status: 'todo', recurrence: RULE } }] },
    events: ['task.updated', 'task.deleted'],
  },
  tasks('Task'),
])

const TOUCHES: Record<string, ScenarioStep> = {
  'that somebody has changed': {
    send: 'PATCH /api/v1/tasks/{Next}',
    body: { title: 'Changed' },
    status: 200,
    events: ['task.updated'],
  },
  'with a comment': {
    send: 'POST /api/v1/tasks/{Next}/comments',
    body: { body: 'Soon' },
    status: 201,
    events: ['comment.created'],
  },
  'on which a timer runs': {
    send: 'POST /api/v1/tasks/{Next}/time-entries',
    body: { running: true },
    status: 201,
    events: ['time_entry.created'],
  },
  'for which another task waits': createTaskStep('Waiting', { blocked_by_ids: ['{Next}'] }),
}
for (const [name, step] of Object.entries(TOUCHES)) {
  scenario(`undoing a completion leaves an occurrence ${name}`, [
    RECURRING,
    COMPLETED,
    NEXT,
    step,
    leavesOccurrence(),
    { send: 'GET /api/v1/tasks/{Next}', status: 200, reply: { recurrence: { basis: 'due_date' } } },
  ])
}

scenario('undoing a completion deletes nothing that the caller may not delete', [
  RECURRING,
  COMPLETED,
  NEXT,
  leavesOccurrence({ as: 'guest' }),
  createTaskStep('Task', { due_date: '2026-01-05', recurrence: RULE }),
  { ...COMPLETED, as: 'guest' },
  leavesOccurrence({ as: ['tasks:write'] }),
  createTaskStep('Task', { due_date: '2026-01-05', recurrence: RULE }),
  { ...COMPLETED, as: 'guest' },
  undo({ as: 'guest' }),
])

scenario('undoing a completion changes nothing else', [
  RECURRING,
  validationFailedStep(
    'PATCH /api/v1/tasks/{Task}',
    { undo_completion: true },
    { status: 'conflicting_fields' },
  ),
  // An open task has nothing to undo.
  undo({ events: ['task.updated'] }),
  COMPLETED,
  NEXT,
  // A status of the same category does not reopen it.
  undo({
    body: { status: 'done', undo_completion: true },
    reply: { status: 'done', recurrence: null },
    events: [],
  }),
  patchTaskStep('Task', { due_date: null }),
  leavesOccurrence(),
])
