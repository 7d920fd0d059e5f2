import assert from 'node:assert/strict'
import { command, type Scoped } from '#db/core/statement.ts'
import { removeMember } from '#resources/members/membership.ts'
import { type ScenarioStep, scenario as scenarioOn } from '#test/support/scenario/scenario.ts'
import {
  createTaskStep,
  listStep,
  patchTaskStep,
  tagStep,
  validationFailedStep,
  validationFailedSteps,
} from '#test/support/scenario/steps.ts'
import { createTestClock } from '#test/support/system/test-clock.ts'

const clock = createTestClock()
/** Sets the clock to noon (winter time) in Zurich on a day. */
const on = (day: string) => () => {
  clock.set(Date.parse(`${day}T11:00:00Z`))
}

const scenario = (name: string, steps: readonly ScenarioStep[]) =>
  scenarioOn(name, steps, {}, { clock })

const RULE = { rrule: 'FREQ=WEEKLY;BYDAY=MO', basis: 'due_date' }
const begin = (day: string): ScenarioStep => ({
  send: 'GET /api/v1/me',
  status: 200,
  check: on(day),
})
const COMPLETED = ['task.completed', 'task.created']
/** The newest task is the next occurrence. */
const next = (reply: object): ScenarioStep => ({
  send: 'GET /api/v1/tasks?limit=1',
  status: 200,
  reply: { data: [reply] },
  keep: { next: 'data.0.id' },
})
const complete = (name: string, events: ScenarioStep['events'] = COMPLETED): ScenarioStep => ({
  send: `POST /api/v1/tasks/{${name}}/complete`,
  status: 200,
  reply: { recurrence: null, status: 'done' },
  events: events ?? [],
})

scenario('completing a weekly task on its due date creates one due a week later', [
  begin('2026-01-05'),
  createTaskStep('Task', { due_date: '2026-01-05', recurrence: RULE }),
  complete('Task'),
  next({ due_date: '2026-01-12', recurrence: RULE, recurred_from_id: '{Task}', number: 2 }),
])

scenario('completing a weekly task late creates one due on the next day of the rule', [
  begin('2026-01-20'),
  createTaskStep('Task', { due_date: '2026-01-05', recurrence: RULE }),
  complete('Task'),
  next({ due_date: '2026-01-26' }),
])

scenario('the next occurrence copies the description of a task, not its progress', [
  begin('2026-03-27'),
  createTaskStep('Parent'),
  createTaskStep('Blocker'),
  tagStep('project', 'a', 'tag'),
  createTaskStep(
    'Task',
    {
      description: 'Text',
      status: 'in_progress',
      priority: 'high',
      assignee_ids: ['{member}'],
      tag_ids: ['{tag}'],
      parent_id: '{Parent}',
      start_date: '2026-03-26',
      // 02:30, which the clock skips on the next Sunday.
      due_at: '2026-03-28T01:30:00Z',
      estimate_seconds: 60,
      blocked_by_ids: ['{Blocker}'],
      recurrence: { rrule: 'FREQ=DAILY;COUNT=2' },
      custom_fields: { a: 1 },
      metadata: { b: 'c' },
      external_source: 'x',
      external_id: 'y',
    },
    { events: ['task.created', 'task.assigned'] },
  ),
  patchTaskStep(
    'Task',
    { status: 'done', title: 'Renamed', add_assignee_ids: ['{guest}'] },
    {
      as: 'guest',
      reply: { recurrence: null, completed_by_id: '{guest}' },
      events: ['task.completed', 'task.assigned', 'task.created', 'task.assigned'],
    },
  ),
  next({
    title: 'Renamed',
    description: 'Text',
    status: 'todo',
    priority: 'high',
    tag_ids: ['{tag}'],
    parent_id: '{Parent}',
    start_date: '2026-03-27',
    due_date: '2026-03-29',
    due_at: '2026-03-29T01:30:00.000Z',
    estimate_seconds: 60,
    blocked_by_ids: [],
    recurrence: { rrule: 'FREQ=DAILY;COUNT=1', basis: 'due_date' },
    custom_fields: { a: 1 },
    metadata: { b: 'c' },
    external_source: null,
    external_id: null,
    created_by_id: '{guest}',
    version: 1,
  }),
  complete('next', ['task.completed']),
  patchTaskStep('Task', { status: 'todo' }),
  complete('Task', ['task.completed']),
  listStep('/api/v1/projects/{project}/tasks', ['Parent', 'Blocker', 'Task', 'next']),
])

scenario('a rule based on completion counts from today', [
  begin('2026-01-07'),
  createTaskStep('Task', { recurrence: { rrule: 'FREQ=DAILY;INTERVAL=3', basis: 'completion' } }),
  complete('Task'),
  next({ due_date: '2026-01-10', start_date: null, due_at: null }),
  patchTaskStep('next', {
    due_date: '2026-02-01',
    recurrence: { rrule: 'FREQ=DAILY;UNTIL=20260107', basis: 'completion' },
  }),
  complete('next', ['task.completed']),
])

scenario('a task created as completed or canceled does not recur', [
  begin('2026-01-07'),
  createTaskStep(
    'Done',
    { status: 'done', due_date: '2026-01-07', recurrence: RULE },
    {
      reply: { completed_by_id: '{owner}', recurrence: RULE },
    },
  ),
  createTaskStep('Task', { due_date: '2026-01-07', recurrence: RULE }),
  patchTaskStep(
    'Task',
    { status: 'canceled' },
    { reply: { recurrence: RULE, completed_at: null } },
  ),
  listStep('/api/v1/projects/{project}/tasks', ['Done', 'Task']),
])

scenario('removed members are not assigned to the next occurrence', [
  begin('2026-01-05'),
  createTaskStep(
    'Task',
    {
      due_date: '2026-01-05',
      recurrence: RULE,
      assignee_ids: ['{member}', '{guest}'],
    },
    { events: ['task.created', 'task.assigned'] },
  ),
  {
    ...complete('Task', [
      'task.completed',
      'task.created',
      { type: 'task.assigned', changes: { assignee_ids: { from: [], to: ['{guest}'] } } },
    ]),
    prepare: (tx, known) => removeMember(tx, known.member ?? ''),
  },
  next({ assignee_ids: ['{guest}'] }),
])

scenario('a task recurs when a bulk operation completes it', [
  begin('2026-01-05'),
  createTaskStep('Task', { due_date: '2026-01-05', recurrence: RULE }),
  {
    send: 'POST /api/v1/tasks/bulk',
    body: { operations: [{ op: 'update', id: '{Task}', data: { status: 'done' } }] },
    status: 200,
    events: COMPLETED,
  },
  next({ due_date: '2026-01-12' }),
])

const bad = [
  'FREQ=HOURLY',
  'INTERVAL=2',
  'FREQ=DAILY;COUNT=1000',
  'FREQ=DAILY;COUNT=0',
  'RRULE:FREQ=DAILY',
  'FREQ=DAILY;COUNT=2;UNTIL=20270101',
  'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30',
  'freq=daily',
  '',
  `FREQ=DAILY;BYMONTHDAY=${Array(90).fill('1').join(',')}`,
  `FREQ=DAILY;${'x'.repeat(500)}`,
]

scenario('rejects invalid rules, and rules based on a missing due date', [
  ...bad.map((rrule) =>
    validationFailedStep(
      'POST /api/v1/tasks',
      { project_id: '{project}', title: 'x', due_date: '2026-01-01', recurrence: { rrule } },
      { 'recurrence.rrule': 'invalid_value' },
    ),
  ),
  createTaskStep('Task', { due_date: '2026-01-01', recurrence: RULE }),
  validationFailedStep(
    'PATCH /api/v1/tasks/{Task}',
    { due_date: null },
    { due_date: 'conflicting_fields' },
  ),
  patchTaskStep('Task', { due_date: null, recurrence: null }),
  ...validationFailedSteps('PATCH /api/v1/tasks/{Task}', [
    [{ recurrence: RULE }, { recurrence: 'conflicting_fields' }],
    [{ recurrence: {} }, { 'recurrence.rrule': 'required' }],
  ]),
])

scenario('the next occurrence starts on the first day at the earliest', [
  begin('2026-01-05'),
  createTaskStep('Task', {
    start_date: '1970-01-01',
    due_date: '2060-01-01',
    recurrence: { rrule: 'FREQ=DAILY', basis: 'completion' },
  }),
  complete('Task'),
  next({ start_date: '1970-01-01', due_date: '2026-01-06' }),
])

const setTimezone = command((db, $: Scoped<{ zone: string }>) =>
  db.updateTable('workspaces').set({ timezone: $.zone }),
)

scenario('no occurrence follows one at the end of the year 9999 in UTC', [
  { ...begin('2026-01-05'), prepare: (tx) => tx.run(setTimezone, { zone: 'America/New_York' }) },
  createTaskStep('Task', {
    due_at: '9999-12-31T04:30:00Z',
    recurrence: { rrule: 'FREQ=DAILY', basis: 'due_date' },
  }),
  complete('Task', ['task.completed']),
])

const MOVE_AWAY = patchTaskStep(
  'Task',
  { project_id: '{hidden}' },
  { reply: { project_id: '{hidden}' }, events: ['task.updated'] },
)
const FROM_HIDDEN = { recurred_from_id: '{Task}' }

// Without the clock of the others, because sessions are created at the present time.
scenarioOn('an occurrence names the task before it by its id alone if the reader cannot see it', [
  createTaskStep('Task', { recurrence: { rrule: 'FREQ=DAILY', basis: 'completion' } }),
  complete('Task'),
  next(FROM_HIDDEN),
  MOVE_AWAY,
  { send: 'GET /api/v1/tasks/{Task}', as: 'guest', status: 404 },
  { send: 'GET /api/v1/tasks/{next}', as: 'guest', status: 200, reply: FROM_HIDDEN },
  {
    send: 'GET /api/v1/tasks?project_id={project}',
    as: 'guest',
    status: 200,
    reply: { data: [FROM_HIDDEN] },
  },
  patchTaskStep(
    'next',
    { title: 'Again' },
    {
      as: 'guest',
      reply: FROM_HIDDEN,
      events: [{ type: 'task.updated', data: FROM_HIDDEN }],
    },
  ),
  {
    send: 'GET /api/v1/changes?types=task',
    as: 'guest',
    status: 200,
    reply: { data: [{ id: '{next}', record: FROM_HIDDEN }] },
  },
  {
    send: 'GET /internal/projects/{project}/tasks',
    as: 'guest session',
    status: 200,
    check({ bytes }, { Task = '' }) {
      const columns = JSON.parse(bytes.toString().split('\n')[1] ?? '')
      assert.deepEqual(columns.recurred_from_id, [Task])
    },
  },
])
