import { CREATE_TASK_STEP } from '#test/support/scenario/create-task-step.ts'
import { type ScenarioStep, scenario } from '#test/support/scenario/scenario.ts'
import {
  createTaskStep,
  deleteTaskStep,
  listStep,
  rejectedStep,
} from '#test/support/scenario/steps.ts'

/** Logs half an hour on a day, or starts a timer, and keeps the id. */
const logged = (
  name: string,
  task: string,
  day: string,
  body: object = {},
  as: ScenarioStep['as'] = 'owner',
): ScenarioStep => ({
  send: `POST /api/v1/tasks/{${task}}/time-entries`,
  as,
  body: {
    ...('running' in body ? {} : { duration_seconds: 1800 }),
    spent_on: `2026-03-${day}`,
    ...body,
  },
  status: 201,
  events: ['time_entry.created'],
  keep: { [name]: 'id' },
})

const OF_TASK = '/api/v1/tasks/{task}/time-entries'

scenario('lists time entries in both sort orders and with every filter', [
  CREATE_TASK_STEP,
  logged('one', 'task', '02'),
  logged('two', 'task', '03', { billable: true }, 'guest'),
  logged('three', 'task', '02'),
  logged('four', 'task', '01', { running: true }),
  ...Object.entries({
    '': ['two', 'three', 'one', 'four'],
    'sort=spent_on': ['four', 'one', 'three', 'two'],
    'sort=created_at': ['one', 'two', 'three', 'four'],
    'sort=-created_at': ['four', 'three', 'two', 'one'],
    'user_id={guest}': ['two'],
    'user_id=me&running=false': ['three', 'one'],
    'spent_after=2026-03-02': ['two', 'three', 'one'],
    'spent_before=2026-03-02': ['four'],
    'billable=false': ['three', 'one', 'four'],
    'running=true': ['four'],
    'running=true&billable=true': [],
  }).map(([query, names]) => listStep(`${OF_TASK}?${query}`, names)),
  listStep(`${OF_TASK}?limit=2`, ['two', 'three'], { keep: { next: 'next_cursor' } }),
  listStep(`${OF_TASK}?limit=2&cursor={next}`, ['one', 'four']),
  ...['user_id=everybody', 'spent_after=2026-02-30', 'billable=1', 'sort=duration_seconds'].map(
    (query) => rejectedStep(`GET ${OF_TASK}?${query}`, 400, 'invalid_parameter'),
  ),
  rejectedStep(`GET ${OF_TASK}?sort=spent_on&cursor={next}`, 400, 'invalid_cursor'),
])

const ALL = '/api/v1/time-entries'
const UNKNOWN = '01k2m3n4p5q6r7s8t9v0w1x2y3'
const listing = (query: string, names: string[], as: ScenarioStep['as'] = 'owner') =>
  listStep(`${ALL}?${query}`, names, { as })

scenario('lists the time entries of all tasks that the person sees, by day and with every filter', [
  CREATE_TASK_STEP,
  createTaskStep('other', {}, { keep: { other: 'id', other_short: 'short_id' } }),
  createTaskStep(
    'secret',
    { project_id: '{hidden}' },
    { keep: { secret: 'id', secret_short: 'short_id' } },
  ),
  createTaskStep('gone'),
  logged('one', 'task', '02'),
  logged('two', 'other', '03', { billable: true }, 'guest'),
  logged('three', 'other', '02'),
  logged('four', 'secret', '04', { billable: true }),
  logged('five', 'task', '01', { running: true }),
  logged('six', 'gone', '02'),
  deleteTaskStep('gone'),
  listing('', ['four', 'two', 'three', 'one', 'five']),
  listing('sort=spent_on', ['five', 'one', 'three', 'two', 'four']),
  { ...listing('limit=2', ['four', 'two']), keep: { next: 'next_cursor' } },
  listing('limit=2&cursor={next}', ['three', 'one']),
  // Another project's entries are missing, not hidden behind a shorter page.
  { ...listing('limit=2', ['two', 'three'], 'member'), keep: { next: 'next_cursor' } },
  listing('limit=2&cursor={next}', ['one', 'five'], 'member'),
  listing('', ['two', 'three', 'one', 'five'], 'guest'),
  listing('user_id={guest}', ['two']),
  listing('user_id=me', ['two'], 'guest'),
  listing('task_id={task}', ['one', 'five']),
  listing('task_id={other_short}', ['two', 'three']),
  listing('task_id={other_short}&user_id=me', ['three']),
  listing('task_id={secret_short}', ['four']),
  listing('task_id={secret_short}', [], 'member'),
  listing('task_id={secret}', [], 'member'),
  ...['task_id={gone}', 'task_id=ENG-999', 'task_id=NO-1', `task_id=tsk_${UNKNOWN}`].map((query) =>
    listing(query, []),
  ),
  listing('project_id={project}', ['two', 'three', 'one', 'five']),
  listing('project_id={hidden}', ['four']),
  listing('project_id={hidden}&billable=false', []),
  listing('project_id={hidden},{project}&spent_after=2026-03-03', ['four', 'two']),
  listing('project_id={hidden}', [], 'member'),
  listing(`project_id=prj_${UNKNOWN}`, []),
  listing('spent_after=2026-03-03', ['four', 'two']),
  listing('spent_after=2026-03-02&spent_before=2026-03-03', ['three', 'one']),
  listing('billable=true', ['four', 'two']),
  listing('billable=true', ['two'], 'member'),
  listing('billable=false&sort=spent_on', ['five', 'one', 'three']),
  listing('running=true', ['five']),
  listing('running=true&spent_after=2026-03-02', []),
  listing('running=false', ['four', 'two', 'three', 'one']),
  rejectedStep(`GET ${ALL}`, 403, 'insufficient_scope', { as: ['tasks:read'] }),
  ...['task_id=ENG', 'project_id=ENG', 'sort=created_at'].map((query) =>
    rejectedStep(`GET ${ALL}?${query}`, 400, 'invalid_parameter'),
  ),
  rejectedStep(`GET ${ALL}?sort=spent_on&cursor={next}`, 400, 'invalid_cursor'),
])

scenario('deleting and logging time while a person reads the list repeats and skips nothing', [
  CREATE_TASK_STEP,
  logged('one', 'task', '02'),
  logged('two', 'task', '03'),
  logged('three', 'task', '04'),
  { ...listing('limit=1', ['three']), keep: { next: 'next_cursor' } },
  { send: 'DELETE /api/v1/time-entries/{three}', status: 204, events: ['time_entry.deleted'] },
  logged('newest', 'task', '05'),
  { ...listing('limit=1&cursor={next}', ['two']), keep: { next: 'next_cursor' } },
  listing('limit=1&cursor={next}', ['one']),
])
