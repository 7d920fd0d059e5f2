import assert from 'node:assert/strict'
import { CREATE_TASK_STEP } from '#test/support/scenario/create-task-step.ts'
import { type ScenarioStep, scenario } from '#test/support/scenario/scenario.ts'

const ENTRIES = '/api/v1/tasks/{task}/time-entries'
const HALF_HOUR = { duration_seconds: 1800 }
const logged = { send: `POST ${ENTRIES}`, status: 201, events: ['time_entry.created'] }

const listing = (query: string, ...ids: string[]) => ({
  send: `GET ${ENTRIES}?${query}`,
  status: 200,
  reply: { data: ids.map((id) => ({ id })) },
  check: ({ body }: { body: unknown }) =>
    assert.equal((body as { data: [] }).data.length, ids.length, query),
})

scenario('lists time entries in both sort orders and with every filter', [
  CREATE_TASK_STEP,
  { ...logged, body: { ...HALF_HOUR, spent_on: '2026-03-02' }, keep: { one: 'id' } },
  {
    ...logged,
    as: 'guest',
    body: { ...HALF_HOUR, spent_on: '2026-03-03', billable: true },
    keep: { two: 'id' },
  },
  { ...logged, body: { ...HALF_HOUR, spent_on: '2026-03-02' }, keep: { three: 'id' } },
  { ...logged, body: { running: true, spent_on: '2026-03-01' }, keep: { four: 'id' } },
  listing('', '{two}', '{three}', '{one}', '{four}'),
  listing('sort=spent_on', '{four}', '{one}', '{three}', '{two}'),
  listing('sort=created_at', '{one}', '{two}', '{three}', '{four}'),
  listing('sort=-created_at', '{four}', '{three}', '{two}', '{one}'),
  { ...listing('limit=2', '{two}', '{three}'), keep: { next: 'next_cursor' } },
  listing('limit=2&cursor={next}', '{one}', '{four}'),
  listing('user_id={guest}', '{two}'),
  listing('user_id=me&running=false', '{three}', '{one}'),
  listing('spent_after=2026-03-02', '{two}', '{three}', '{one}'),
  listing('spent_before=2026-03-02', '{four}'),
  listing('spent_after=2026-03-02&spent_before=2026-03-03', '{three}', '{one}'),
  listing('billable=true', '{two}'),
  listing('billable=false', '{three}', '{one}', '{four}'),
  listing('running=true', '{four}'),
  listing('running=true&billable=true'),
  { send: `GET ${ENTRIES}?user_id=everybody`, status: 400 },
  { send: `GET ${ENTRIES}?spent_after=2026-02-30`, status: 400 },
  { send: `GET ${ENTRIES}?billable=1`, status: 400 },
  { send: `GET ${ENTRIES}?sort=duration_seconds`, status: 400 },
  { send: `GET ${ENTRIES}?sort=spent_on&cursor={next}`, status: 400 },
])

const ALL_ENTRIES = '/api/v1/time-entries'

const logOn = (task: string, body: object, keep: Record<string, string>): ScenarioStep => ({
  send: `POST /api/v1/tasks/${task}/time-entries`,
  body: { ...('running' in body ? {} : { duration_seconds: 1800 }), ...body },
  status: 201,
  events: ['time_entry.created'],
  keep,
})

const listingAll = (query: string, ...ids: string[]): ScenarioStep => ({
  send: `GET ${ALL_ENTRIES}?${query}`,
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
  { ...CREATE_TASK_STEP },
  createTask('Other', {}, { other: 'id', other_short: 'short_id' }),
  createTask('Hidden', { project_id: '{hidden}' }, { secret: 'id', secret_short: 'short_id' }),
  createTask('Deleted', {}, { gone: 'id' }),
  logOn('{task}', { spent_on: '2026-03-02' }, { one: 'id' }),
  { ...logOn('{other}', { spent_on: '2026-03-03', billable: true }, { two: 'id' }), as: 'guest' },
  logOn('{other}', { spent_on: '2026-03-02' }, { three: 'id' }),
  logOn('{secret}', { spent_on: '2026-03-04', billable: true }, { four: 'id' }),
  logOn('{task}', { running: true, spent_on: '2026-03-01' }, { five: 'id' }),
  logOn('{gone}', { spent_on: '2026-03-02' }, { six: 'id' }),
  {
    send: 'DELETE /api/v1/tasks/{gone}',
    status: 204,
    events: ['task.deleted'],
  },
  listingAll('', '{four}', '{two}', '{three}', '{one}', '{five}'),
  listingAll('sort=spent_on', '{five}', '{one}', '{three}', '{two}', '{four}'),
  { ...listingAll('limit=2', '{four}', '{two}'), keep: { next: 'next_cursor' } },
  listingAll('limit=2&cursor={next}', '{three}', '{one}'),
  // Another project's entries are missing, not hidden behind a shorter page.
  { ...listingAll('limit=2', '{two}', '{three}'), as: 'member', keep: { next: 'next_cursor' } },
  { ...listingAll('limit=2&cursor={next}', '{one}', '{five}'), as: 'member' },
  { ...listingAll('', '{two}', '{three}', '{one}', '{five}'), as: 'guest' },
  listingAll('user_id={guest}', '{two}'),
  { ...listingAll('user_id=me', '{two}'), as: 'guest' },
  listingAll('task_id={task}', '{one}', '{five}'),
  listingAll('task_id={other_short}', '{two}', '{three}'),
  listingAll('task_id={other_short}&user_id=me', '{three}'),
  listingAll('task_id={secret_short}', '{four}'),
  listingAll('task_id={gone}'),
  { ...listingAll('task_id={secret_short}'), as: 'member' },
  { ...listingAll('task_id={secret}'), as: 'member' },
  listingAll('task_id=ENG-999'),
  listingAll('task_id=NO-1'),
  listingAll(`task_id=tsk_${UNKNOWN}`),
  listingAll('project_id={project}', '{two}', '{three}', '{one}', '{five}'),
  listingAll('project_id={hidden}', '{four}'),
  listingAll('project_id={hidden}&billable=false'),
  listingAll('project_id={hidden},{project}&spent_after=2026-03-03', '{four}', '{two}'),
  { ...listingAll('project_id={hidden}'), as: 'member' },
  listingAll(`project_id=prj_${UNKNOWN}`),
  listingAll('spent_after=2026-03-03', '{four}', '{two}'),
  listingAll('spent_after=2026-03-02&spent_before=2026-03-03', '{three}', '{one}'),
  listingAll('billable=true', '{four}', '{two}'),
  { ...listingAll('billable=true', '{two}'), as: 'member' },
  listingAll('billable=false&sort=spent_on', '{five}', '{one}', '{three}'),
  listingAll('running=true', '{five}'),
  listingAll('running=true&spent_after=2026-03-02'),
  listingAll('running=false', '{four}', '{two}', '{three}', '{one}'),
  { send: `GET ${ALL_ENTRIES}`, as: ['tasks:read'], status: 403 },
  { send: `GET ${ALL_ENTRIES}?task_id=ENG`, status: 400 },
  { send: `GET ${ALL_ENTRIES}?project_id=ENG`, status: 400 },
  { send: `GET ${ALL_ENTRIES}?sort=created_at`, status: 400 },
  { send: `GET ${ALL_ENTRIES}?sort=spent_on&cursor={next}`, status: 400 },
])

scenario('deleting and logging time while a person reads the list repeats and skips nothing', [
  CREATE_TASK_STEP,
  logOn('{task}', { spent_on: '2026-03-02' }, { one: 'id' }),
  logOn('{task}', { spent_on: '2026-03-03' }, { two: 'id' }),
  logOn('{task}', { spent_on: '2026-03-04' }, { three: 'id' }),
  { ...listingAll('limit=1', '{three}'), keep: { next: 'next_cursor' } },
  {
    send: 'DELETE /api/v1/time-entries/{three}',
    status: 204,
    events: ['time_entry.deleted'],
  },
  logOn('{task}', { spent_on: '2026-03-05' }, { newest: 'id' }),
  { ...listingAll('limit=1&cursor={next}', '{two}'), keep: { next: 'next_cursor' } },
  listingAll('limit=1&cursor={next}', '{one}'),
])
