import assert from 'node:assert/strict'
import { CREATE_TASK_STEP } from '#test/support/scenario/create-task-step.ts'
import { scenario } from '#test/support/scenario/scenario.ts'

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
