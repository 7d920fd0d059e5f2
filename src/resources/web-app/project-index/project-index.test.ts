import assert from 'node:assert/strict'
import { type ScenarioStep, scenario } from '#test/support/scenario/scenario.ts'

const task = (title: string, fields: object) => ({ project_id: '{project}', title, ...fields })
const INDEX = 'GET /internal/projects/{project}/index'
const asked = { as: 'session', status: 200 } as const
/** The keys and task numbers of the groups in a reply. */
const groupsIn = (body: unknown) =>
  (body as { groups: { key: string; numbers: number[] }[] }).groups
    .filter(({ numbers }) => numbers.length > 0)
    .map(({ key, numbers }) => [key, ...numbers])

scenario('returns the task numbers of a project, sorted and grouped', [
  {
    send: 'POST /api/v1/projects/{project}/tags',
    body: { name: 'infra' },
    status: 201,
    events: ['tag.created'],
    keep: { tag: 'id' },
  },
  {
    send: 'POST /api/v1/tasks',
    body: task('b', { priority: 'low', estimate_seconds: 60, due_date: '2020-01-01' }),
    status: 201,
    keep: { one: 'id' },
    events: ['task.created'],
  },
  {
    send: 'POST /api/v1/tasks',
    body: task('a', {
      priority: 'urgent',
      status: 'done',
      estimate_seconds: 30,
      assignee_ids: ['{owner}', '{member}'],
      tag_ids: ['{tag}'],
      parent_id: '{one}',
    }),
    status: 201,
    events: ['task.created', 'task.assigned'],
  },
  {
    send: 'POST /api/v1/tasks',
    body: task('c', { due_date: '2999-01-01', before_id: '{one}' }),
    status: 201,
    events: ['task.created'],
  },
  {
    ...asked,
    send: INDEX,
    reply: {
      total: 3,
      open: 2,
      overdue: 1,
      estimate_seconds: 90,
      time_spent_seconds: 0,
      parents: { 2: 1 },
      groups: [{ key: 'all', numbers: [3, 1, 2] }],
    },
  },
  {
    ...asked,
    send: `${INDEX}?group=status`,
    reply: {
      groups: [
        { key: 'backlog', count: 0, numbers: [] },
        { key: 'todo', count: 2, estimate_seconds: 60, time_spent_seconds: 0, numbers: [3, 1] },
        { key: 'in_progress' },
        { key: 'in_review' },
        { key: 'done', count: 1, numbers: [2] },
        { key: 'canceled' },
      ],
    },
  },
  {
    ...asked,
    send: `${INDEX}?group=status&rows=2`,
    reply: { total: 3, rows: [{ number: 3 }, { number: 1, title: 'b' }] },
    check: ({ body }) => assert.equal((body as { rows: unknown[] }).rows.length, 2),
  },
  {
    ...asked,
    send: `${INDEX}?group=assignee`,
    reply: { total: 3, open: 2, overdue: 1, estimate_seconds: 90, parents: { 2: 1 } },
    check: ({ body }, { owner, member }) =>
      assert.deepEqual(groupsIn(body), [
        [member, 2],
        [owner, 2],
        ['none', 3, 1],
      ]),
  },
  {
    ...asked,
    send: `${INDEX}?group=tag&sort=-number`,
    reply: { total: 3 },
    check: ({ body }, { tag }) =>
      assert.deepEqual(groupsIn(body), [
        [tag, 2],
        ['none', 3, 1],
      ]),
  },
  {
    ...asked,
    send: `${INDEX}?group=priority&sort=title`,
    check: ({ body }) =>
      assert.deepEqual(groupsIn(body), [
        ['urgent', 2],
        ['low', 1],
        ['none', 3],
      ]),
  },
  {
    ...asked,
    send: `${INDEX}?group=due&sort=due_date`,
    check: ({ body }) =>
      assert.deepEqual(groupsIn(body), [
        ['overdue', 1],
        ['later', 3],
        ['none', 2],
      ]),
  },
  {
    ...asked,
    send: `${INDEX}?group=parent`,
    check: ({ body }) =>
      assert.deepEqual(groupsIn(body), [
        ['1', 2],
        ['none', 3, 1],
      ]),
  },
  {
    ...asked,
    send: `${INDEX}?sort=-due_date`,
    check: ({ body }) => assert.deepEqual(groupsIn(body), [['all', 3, 1, 2]]),
  },
  { ...asked, send: `${INDEX}?not_assignee_id={owner}`, reply: { total: 2 } },
  { ...asked, send: `${INDEX}?not_assignee_id=none`, reply: { total: 1 } },
  { ...asked, send: `${INDEX}?not_tag_id={tag},none`, reply: { total: 0 } },
  { ...asked, send: `${INDEX}?not_created_by_id={owner}`, reply: { total: 0 } },
  { ...asked, send: `${INDEX}?due=none`, reply: { total: 1 } },
  { ...asked, send: `${INDEX}?due=any&completed=false&q=c`, reply: { total: 1 } },
  {
    as: 'session',
    status: 400,
    send: `${INDEX}?group=colour`,
    reply: { error: { code: 'invalid_parameter' } },
  },
  {
    ...asked,
    send: 'GET /internal/projects/{project}/rows?numbers=3,99,1',
    reply: {
      data: [
        { number: 3, title: 'c' },
        { number: 1, title: 'b' },
      ],
    },
  },
  { as: 'session', send: 'GET /internal/projects/{project}/rows?numbers=0', status: 400 },
  { as: 'member session', send: 'GET /internal/projects/{hidden}/index', status: 404 },
  { as: 'member session', send: 'GET /internal/projects/{hidden}/rows?numbers=1', status: 404 },
])

scenario('returns dates and blockers of the tasks on request', [
  {
    send: 'POST /api/v1/tasks',
    body: task('first', { start_date: '2026-03-01', due_date: '2026-03-12' }),
    status: 201,
    keep: { first: 'id' },
    events: ['task.created'],
  },
  {
    send: 'POST /api/v1/tasks',
    body: task('second', { start_date: '2026-03-10', blocked_by_ids: ['{first}'] }),
    status: 201,
    events: ['task.created'],
  },
  {
    send: 'POST /api/v1/tasks',
    body: task('without dates', {}),
    status: 201,
    events: ['task.created'],
  },
  {
    ...asked,
    send: `${INDEX}?spans=true`,
    reply: {
      spans: [
        [1, 20_513, 20_524],
        [2, 20_522, null],
      ],
      blocks: [[1, 2]],
      finished: [],
    },
  },
  // A blocker can be outside the filters; its dates are returned all the same.
  {
    ...asked,
    send: `${INDEX}?spans=true&q=second`,
    reply: {
      total: 1,
      spans: [
        [1, 20_513, 20_524],
        [2, 20_522, null],
      ],
      blocks: [[1, 2]],
    },
  },
  { send: 'POST /api/v1/tasks/{first}/complete', status: 200, events: ['task.completed'] },
  {
    ...asked,
    send: `${INDEX}?spans=true&status=todo`,
    reply: { blocks: [[1, 2]], finished: [1] },
  },
  {
    ...asked,
    send: INDEX,
    check: ({ body }) =>
      assert.ok(!('spans' in (body as object)) && !('blocks' in (body as object))),
  },
])

scenario('finds the project by its present or a former prefix too, if the person sees it', [
  {
    send: 'POST /api/v1/tasks',
    body: task('one', {}),
    status: 201,
    events: ['task.created'],
  },
  {
    send: 'PATCH /internal/projects/{project}',
    as: 'session',
    body: { prefix: 'NOW' },
    status: 200,
    events: ['project.updated'],
  },
  ...['{project}', 'NOW', 'now', 'ENG'].map((name) => ({
    ...asked,
    send: `GET /internal/projects/${name}/index?group=status&sort=position&rows=40`,
    reply: { project_id: '{project}', total: 1, rows: [{ short_id: 'NOW-1' }] },
  })),
  { ...asked, send: 'GET /internal/projects/HID/index', reply: { project_id: '{hidden}' } },
  ...(
    [
      ['member session', 'HID'],
      ['member session', '{hidden}'],
      ['session', 'NONE'],
      ['session', 'prj_x'],
      ['session', `NOW'--`],
    ] as const
  ).map(([as, name]) => ({
    send: `GET /internal/projects/${name}/index`,
    as,
    status: 404,
    reply: { error: { code: 'not_found' } },
  })),
  { send: 'GET /internal/projects/NOW/rows?numbers=1', as: 'session', status: 404 },
])

scenario('sorts titles without regard to the case of A to Z', [
  ...['Zebra', 'bee', 'Äpfel', 'apple', 'Bear'].map(
    (title): ScenarioStep => ({
      send: 'POST /api/v1/tasks',
      body: { project_id: '{project}', title },
      status: 201,
      events: ['task.created'],
    }),
  ),
  {
    ...asked,
    send: `${INDEX}?sort=title`,
    check: ({ body }) => assert.deepEqual(groupsIn(body), [['all', 4, 5, 2, 1, 3]]),
  },
])
