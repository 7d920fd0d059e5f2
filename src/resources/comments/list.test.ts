import { CREATE_TASK_STEP } from '#test/support/scenario/create-task-step.ts'
import { type ScenarioStep, scenario } from '#test/support/scenario/scenario.ts'
import {
  createTaskStep,
  deleteTaskStep,
  listStep,
  rejectedStep,
} from '#test/support/scenario/steps.ts'

/** Adds a comment, and keeps its id and time under its text. */
const said = (name: string, task: string, as: ScenarioStep['as'] = 'owner'): ScenarioStep => ({
  send: `POST /api/v1/tasks/{${task}}/comments`,
  as,
  body: { body: name },
  status: 201,
  events: ['comment.created'],
  keep: { [name]: 'id', [`${name}_at`]: 'created_at' },
})

const OF_TASK = '/api/v1/tasks/{task}/comments'

scenario('lists comments in order, filtered by author and change', [
  CREATE_TASK_STEP,
  said('one', 'task'),
  said('two', 'task', 'member'),
  said('three', 'task', 'guest'),
  listStep(`${OF_TASK}?limit=2`, ['one', 'two'], { keep: { next: 'next_cursor' } }),
  listStep(`${OF_TASK}?limit=2&cursor={next}`, ['three'], { reply: { next_cursor: null } }),
  listStep(`${OF_TASK}?sort=-created_at`, ['three', 'two', 'one']),
  listStep(`${OF_TASK}?author_id={member}`, ['two']),
  listStep(`${OF_TASK}?author_id=me`, ['three'], { as: 'guest' }),
  listStep(`${OF_TASK}?updated_since={three_at}&author_id={guest}`, ['three']),
  listStep(`${OF_TASK}?updated_since=9999-01-01T00:00:00Z`, []),
  ...['author_id=you', 'sort=updated_at'].map((query) =>
    rejectedStep(`GET ${OF_TASK}?${query}`, 400, 'invalid_parameter'),
  ),
])

const ALL = '/api/v1/comments'
const UNKNOWN = '01k2m3n4p5q6r7s8t9v0w1x2y3'
const listing = (query: string, names: string[], as: ScenarioStep['as'] = 'owner') =>
  listStep(`${ALL}?${query}`, names, { as })

scenario('lists the comments on all tasks that the person sees, in order and with every filter', [
  CREATE_TASK_STEP,
  createTaskStep('other', {}, { keep: { other: 'id', other_short: 'short_id' } }),
  createTaskStep(
    'secret',
    { project_id: '{hidden}' },
    { keep: { secret: 'id', secret_short: 'short_id' } },
  ),
  createTaskStep('gone'),
  said('one', 'task'),
  said('two', 'other', 'guest'),
  said('three', 'secret'),
  said('four', 'gone'),
  said('five', 'task'),
  said('removed', 'task'),
  deleteTaskStep('gone'),
  { send: 'DELETE /api/v1/comments/{removed}', status: 204, events: ['comment.deleted'] },
  listing('', ['five', 'three', 'two', 'one']),
  listing('sort=created_at', ['one', 'two', 'three', 'five']),
  { ...listing('limit=2', ['five', 'three']), keep: { next: 'next_cursor' } },
  listing('limit=2&cursor={next}', ['two', 'one']),
  { ...listing('limit=2', ['five', 'two'], 'member'), keep: { next: 'next_cursor' } },
  listing('limit=2&cursor={next}', ['one'], 'member'),
  listing('', ['five', 'two', 'one'], 'guest'),
  listing('author_id={guest}', ['two']),
  listing('author_id=me', ['two'], 'guest'),
  listing('author_id={owner}', ['five', 'one'], 'member'),
  listing('task_id={task}', ['five', 'one']),
  listing('task_id={other_short}', ['two']),
  ...['task_id={gone}', 'task_id=ENG-999', `task_id=tsk_${UNKNOWN}`].map((query) =>
    listing(query, []),
  ),
  listing('task_id={secret_short}', [], 'member'),
  listing('task_id={secret}', [], 'guest'),
  listing('project_id={hidden}', ['three']),
  listing('project_id={hidden},{project}&author_id=me', ['five', 'three', 'one']),
  listing('project_id={hidden}', [], 'member'),
  listing(`project_id=prj_${UNKNOWN}`, []),
  listing('created_after={five_at}', ['five']),
  listing('created_before={three_at}', ['two', 'one']),
  listing('created_after={three_at}&created_before={five_at}', ['three']),
  {
    send: 'PATCH /api/v1/comments/{one}',
    body: { body: 'Said again' },
    status: 200,
    events: ['comment.updated'],
    keep: { again: 'updated_at' },
  },
  listing('updated_since={again}', ['one']),
  listing('updated_since={again}&author_id={guest}', []),
  listing('updated_since={three_at}&project_id={project}', ['five', 'one']),
  listing('updated_since={three_at}&task_id={other}', []),
  listing('updated_since={three_at}', ['five', 'one'], 'member'),
  rejectedStep(`GET ${ALL}`, 403, 'insufficient_scope', { as: ['tasks:read'] }),
  ...['task_id=ENG', 'sort=updated_at'].map((query) =>
    rejectedStep(`GET ${ALL}?${query}`, 400, 'invalid_parameter'),
  ),
  rejectedStep(`GET ${ALL}?sort=created_at&cursor={next}`, 400, 'invalid_cursor'),
])
