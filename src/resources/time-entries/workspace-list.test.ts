import assert from 'node:assert/strict'
import { CREATE_TASK_STEP } from '#test/support/scenario/create-task-step.ts'
import { type ScenarioStep, scenario } from '#test/support/scenario/scenario.ts'

const ENTRIES = '/api/v1/time-entries'

const logged = (task: string, body: object, keep: Record<string, string>): ScenarioStep => ({
  send: `POST /api/v1/tasks/${task}/time-entries`,
  body: { ...('running' in body ? {} : { duration_seconds: 1800 }), ...body },
  status: 201,
  events: ['time_entry.created'],
  keep,
})

const listing = (query: string, ...ids: string[]): ScenarioStep => ({
  send: `GET ${ENTRIES}?${query}`,
  status: 200,
  reply: { data: ids.map((id) => ({ id })) },
  check: ({ body }) => assert.equal((body as { data: [] }).data.length, ids.length, query),
})

const createTask = (title: string, more: object, keep: Record<string, string>): ScenarioStep => ({
  send: 'POST /api/v1/tasks',
  body: { title, project_id: '{project}', ...more },
  status: 201,
  events: ['task.created'],
  keep,
})

const UNKNOWN = '01k2m3n4p5q6r7s8t9v0w1x2y3'

scenario('lists the time entries of all tasks that the person sees, by day and with every filter', [
  {
    send: 'POST /api/v1/projects/{project}/tags',
    body: { name: 'billed' },
    status: 201,
    events: ['tag.created'],
    keep: { tag: 'id' },
  },
  { ...CREATE_TASK_STEP },
  createTask('Tagged', { tag_ids: ['{tag}'] }, { tagged: 'id', tagged_short: 'short_id' }),
  createTask('Hidden', { project_id: '{hidden}' }, { secret: 'id', secret_short: 'short_id' }),
  createTask('Deleted', {}, { gone: 'id' }),
  logged('{task}', { spent_on: '2026-03-02' }, { one: 'id' }),
  { ...logged('{tagged}', { spent_on: '2026-03-03', billable: true }, { two: 'id' }), as: 'guest' },
  logged('{tagged}', { spent_on: '2026-03-02' }, { three: 'id' }),
  logged('{secret}', { spent_on: '2026-03-04', billable: true }, { four: 'id' }),
  logged('{task}', { running: true, spent_on: '2026-03-01' }, { five: 'id' }),
  logged('{gone}', { spent_on: '2026-03-02' }, { six: 'id' }),
  {
    send: 'DELETE /api/v1/tasks/{gone}',
    status: 204,
    events: ['task.deleted'],
  },
  listing('', '{four}', '{two}', '{three}', '{one}', '{five}'),
  listing('sort=spent_on', '{five}', '{one}', '{three}', '{two}', '{four}'),
  { ...listing('limit=2', '{four}', '{two}'), keep: { next: 'next_cursor' } },
  listing('limit=2&cursor={next}', '{three}', '{one}'),
  // Another project's entries are missing, not hidden behind a shorter page.
  { ...listing('limit=2', '{two}', '{three}'), as: 'member', keep: { next: 'next_cursor' } },
  { ...listing('limit=2&cursor={next}', '{one}', '{five}'), as: 'member' },
  { ...listing('', '{two}', '{three}', '{one}', '{five}'), as: 'guest' },
  listing('user_id={guest}', '{two}'),
  { ...listing('user_id=me', '{two}'), as: 'guest' },
  listing('task_id={task}', '{one}', '{five}'),
  listing('task_id={tagged_short}', '{two}', '{three}'),
  listing('task_id={tagged_short}&user_id=me', '{three}'),
  listing('task_id={secret_short}', '{four}'),
  listing('task_id={gone}'),
  { ...listing('task_id={secret_short}'), as: 'member' },
  { ...listing('task_id={secret}'), as: 'member' },
  listing('task_id=ENG-999'),
  listing('task_id=NO-1'),
  listing(`task_id=tsk_${UNKNOWN}`),
  listing('project_id={project}', '{two}', '{three}', '{one}', '{five}'),
  listing('project_id={hidden}', '{four}'),
  listing('project_id={hidden}&billable=false'),
  listing('project_id={hidden},{project}&spent_after=2026-03-03', '{four}', '{two}'),
  { ...listing('project_id={hidden}'), as: 'member' },
  listing(`project_id=prj_${UNKNOWN}`),
  listing('tag_id={tag}', '{two}', '{three}'),
  listing('tag_id={tag}&project_id={hidden}'),
  listing('spent_after=2026-03-03', '{four}', '{two}'),
  listing('spent_after=2026-03-02&spent_before=2026-03-03', '{three}', '{one}'),
  listing('billable=true', '{four}', '{two}'),
  { ...listing('billable=true', '{two}'), as: 'member' },
  listing('billable=false&sort=spent_on', '{five}', '{one}', '{three}'),
  listing('running=true', '{five}'),
  listing('running=true&spent_after=2026-03-02'),
  listing('running=false', '{four}', '{two}', '{three}', '{one}'),
  { send: `GET ${ENTRIES}`, as: ['tasks:read'], status: 403 },
  { send: `GET ${ENTRIES}?task_id=ENG`, status: 400 },
  { send: `GET ${ENTRIES}?project_id=ENG`, status: 400 },
  { send: `GET ${ENTRIES}?sort=created_at`, status: 400 },
  { send: `GET ${ENTRIES}?sort=spent_on&cursor={next}`, status: 400 },
])

scenario('deleting and logging time while a person reads the list repeats and skips nothing', [
  CREATE_TASK_STEP,
  logged('{task}', { spent_on: '2026-03-02' }, { one: 'id' }),
  logged('{task}', { spent_on: '2026-03-03' }, { two: 'id' }),
  logged('{task}', { spent_on: '2026-03-04' }, { three: 'id' }),
  { ...listing('limit=1', '{three}'), keep: { next: 'next_cursor' } },
  {
    send: 'DELETE /api/v1/time-entries/{three}',
    status: 204,
    events: ['time_entry.deleted'],
  },
  logged('{task}', { spent_on: '2026-03-05' }, { newest: 'id' }),
  { ...listing('limit=1&cursor={next}', '{two}'), keep: { next: 'next_cursor' } },
  listing('limit=1&cursor={next}', '{one}'),
])
