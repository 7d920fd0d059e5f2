import { scenario } from '#test/support/scenario.ts'
import { faulty, made, refused } from '#test/support/steps.ts'

const TASKS = 'POST /api/v1/tasks'
const base = { project_id: '{project}', title: 'x' }

scenario('a task is created with all that can be said of it', [
  made('Parent'),
  made('Blocker', { project_id: '{hidden}' }),
  {
    send: 'POST /api/v1/projects/{project}/tags',
    body: { name: 'urgent' },
    status: 201,
    keep: { tag: 'id' },
  },
  made(
    'Child',
    {
      title: '\u00a0 Child\n',
      description: ' kept\tas\r\nsent ',
      status: 'in_progress',
      priority: 'urgent',
      assignee_ids: ['{member}', '{guest}'],
      tag_ids: ['{tag}'],
      start_date: '2026-03-01',
      due_at: '2026-03-31T23:30:00.123456789+01:00',
      parent_id: '{Parent}',
      estimate_seconds: 7200,
      blocked_by_ids: ['{Blocker}'],
      recurrence: { rrule: 'FREQ=DAILY' },
      custom_fields: { budget: 1200.5, done: false, words: ['a', 'b'], gone: null },
      external_source: 'jira',
      external_id: ' X-1 ',
      metadata: { 'a.b:c-D_1': '', gone: null },
    },
    {
      events: [
        { type: 'task.created', changes: {} },
        {
          type: 'task.assigned',
          changes: { assignee_ids: { from: [], to: ['{member}', '{guest}'] } },
        },
      ],
      reply: {
        title: 'Child',
        description: ' kept\tas\r\nsent ',
        status_category: 'started',
        assignee_ids: ['{member}', '{guest}'],
        due_date: '2026-04-01',
        due_at: '2026-03-31T22:30:00.123Z',
        blocked_by_ids: ['{Blocker}'],
        blocking_ids: [],
        recurrence: { rrule: 'FREQ=DAILY', basis: 'due_date' },
        custom_fields: { budget: 1200.5, done: false, words: ['a', 'b'] },
        external_id: 'X-1',
        metadata: { 'a.b:c-D_1': '' },
        version: 1,
      },
      replyHeaders: { location: /^http.*\/api\/v1\/tasks\/tsk_/, 'x-operation-id': /^opr_/ },
    },
  ),
  {
    send: 'GET /api/v1/tasks/{Parent}',
    status: 200,
    reply: { subtask_count: 1, version: 1 },
  },
  { send: 'GET /api/v1/tasks/{Blocker}', status: 200, reply: { blocking_ids: ['{Child}'] } },
])

scenario('null on a new task is the same as nothing, where there can be nothing', [
  made('Plain', {
    description: null,
    start_date: null,
    due_date: null,
    due_at: '2026-03-31T12:00:00Z',
    parent_id: null,
    estimate_seconds: null,
    recurrence: null,
    external_source: null,
    external_id: null,
  }),
  { send: 'GET /api/v1/tasks/{Plain}', status: 200, reply: { due_date: '2026-03-31' } },
  faulty(
    TASKS,
    {
      project_id: null,
      title: null,
      status: null,
      priority: null,
      assignee_ids: null,
      tag_ids: null,
      before_id: null,
      blocked_by_ids: null,
      custom_fields: null,
      metadata: null,
    },
    Object.fromEntries(
      ['project_id', 'title', 'status', 'priority', 'assignee_ids', 'tag_ids', 'before_id']
        .concat(['blocked_by_ids', 'custom_fields', 'metadata'])
        .map((field) => [field, 'not_nullable']),
    ),
  ),
])

scenario('a wrong new task is told all that is wrong with it, and takes no number', [
  faulty(TASKS, [], { '': 'invalid_type' }),
  faulty(TASKS, 'null', { '': 'not_nullable' }),
  faulty(TASKS, {}, { project_id: 'required', title: 'required' }),
  faulty(
    TASKS,
    {
      project_id: 5,
      title: ['x'],
      description: 1,
      status: 'No such',
      priority: 'highest',
      assignee_ids: 'me',
      tag_ids: [1, null, 'tag_x'],
      start_date: '2026-02-29',
      due_date: '31.03.2026',
      due_at: '2026-03-31T24:00:00Z',
      parent_id: 'ENG-1',
      estimate_seconds: 1.5,
      blocked_by_ids: ['ENG-1'],
      recurrence: { rrule: 'freq=daily', basis: 'x', other: 1 },
      custom_fields: { Budget: 1, ok: {}, no: [1] },
      external_source: 'Jira',
      external_id: '',
      metadata: { 'no space': 'x', number: 1 },
      before_id: 5,
      nonsense: 1,
      number: 1,
      add_tag_ids: [],
    },
    {
      project_id: 'invalid_type',
      title: 'invalid_type',
      description: 'invalid_type',
      status: 'invalid_value',
      priority: 'invalid_value',
      assignee_ids: 'invalid_type',
      'tag_ids[0]': 'invalid_type',
      'tag_ids[1]': 'not_nullable',
      'tag_ids[2]': 'invalid_reference',
      start_date: 'invalid_format',
      due_date: 'invalid_format',
      due_at: 'invalid_format',
      parent_id: 'invalid_reference',
      estimate_seconds: 'invalid_type',
      'blocked_by_ids[0]': 'invalid_reference',
      'recurrence.rrule': 'invalid_value',
      'recurrence.basis': 'invalid_value',
      'recurrence.other': 'unknown_field',
      'custom_fields.Budget': 'invalid_format',
      'custom_fields.ok': 'invalid_type',
      'custom_fields.no[0]': 'invalid_type',
      external_source: 'invalid_format',
      external_id: 'too_short',
      'metadata.no space': 'invalid_format',
      'metadata.number': 'invalid_type',
      before_id: 'invalid_type',
      nonsense: 'unknown_field',
      number: 'read_only_field',
      add_tag_ids: 'read_only_field',
    },
  ),
  faulty(
    TASKS,
    {
      ...base,
      title: ' ',
      start_date: '2026-03-02',
      due_date: '2026-03-01',
      external_id: 'x',
      before_id: 'tsk_01k2m3n4p5q6r7s8t9v0w1x2y3',
      after_id: 'tsk_01k2m3n4p5q6r7s8t9v0w1x2y3',
    },
    {
      title: 'too_short',
      start_date: 'invalid_range',
      external_source: 'conflicting_fields',
      after_id: 'conflicting_fields',
    },
  ),
  faulty(
    TASKS,
    { ...base, title: '', recurrence: { rrule: 'FREQ=DAILY' } },
    { title: 'too_short', recurrence: 'conflicting_fields' },
  ),
  faulty(
    TASKS,
    { ...base, assignee_ids: ['{member}', '{member}'] },
    { 'assignee_ids[1]': 'duplicate' },
  ),
  { ...made('First'), reply: { number: 1 } },
])

scenario('texts are counted in characters, and hold no half ones', [
  made('long', { title: '😀'.repeat(500), description: '😀'.repeat(65_536) }),
  faulty(
    TASKS,
    { ...base, title: '😀'.repeat(501), description: `${'x'.repeat(65_536)}y` },
    { title: 'too_long', description: 'too_long' },
  ),
  faulty(
    TASKS,
    `{"project_id":"{project}","title":"\\ud800","description":"\\udc00 x","metadata":{"a":"\\u0000"}}`,
    {
      title: 'invalid_characters',
      description: 'invalid_characters',
      'metadata.a': 'invalid_characters',
    },
  ),
  faulty(TASKS, { ...base, title: 'a\u2028b' }, { title: 'invalid_characters' }),
  faulty(TASKS, { ...base, title: 'a\u0085b' }, { title: 'invalid_characters' }),
  faulty(TASKS, { ...base, description: '\u0007' }, { description: 'invalid_characters' }),
  made('empty', { description: '' }, { reply: { description: '' } }),
  made(
    'decomposed',
    { title: 'Cafe\u0301 \u{1f469}\u200d\u{1f4bb}' },
    {
      reply: { title: 'Cafe\u0301 \u{1f469}\u200d\u{1f4bb}' },
    },
  ),
])

const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 'x'.repeat(400)]))

scenario('objects of free members are bounded, and no member is a prototype', [
  refused(TASKS, 400, 'invalid_json', {
    body: '{"project_id":"{project}","title":"x","metadata":{"__proto__":"x"}}',
  }),
  made(
    'odd',
    { custom_fields: { constructor: 'x', to_string: 1 }, metadata: { toString: 'y' } },
    {
      reply: { custom_fields: { constructor: 'x' }, metadata: { toString: 'y' } },
    },
  ),
  faulty(TASKS, { ...base, metadata: many(51) }, { metadata: 'too_many' }),
  faulty(TASKS, { ...base, metadata: many(45) }, { metadata: 'too_large' }),
  faulty(
    TASKS,
    {
      ...base,
      custom_fields: {
        a: 'x'.repeat(1001),
        b: 2 ** 53,
        c: Array(21).fill('x'),
        d: ['x'.repeat(201)],
      },
    },
    {
      'custom_fields.a': 'too_long',
      'custom_fields.b': 'too_large',
      'custom_fields.c': 'too_many',
      'custom_fields.d[0]': 'too_long',
    },
  ),
  { ...made('half', { metadata: many(30) }), keep: { half: 'id' } },
  faulty(
    'PATCH /api/v1/tasks/{half}',
    { metadata: { ...many(51), k1: null } },
    {
      metadata: 'too_large',
    },
  ),
])

scenario('what a new task refers to must be there, and be seen', [
  made('Here'),
  made('There', { project_id: '{hidden}' }),
  made('Deleted'),
  { send: 'DELETE /api/v1/tasks/{Deleted}', status: 204, events: ['task.deleted'] },
  {
    ...faulty(TASKS, { ...base, project_id: '{hidden}' }, { project_id: 'invalid_reference' }),
    as: 'member',
  },
  faulty(
    TASKS,
    { ...base, parent_id: '{There}', before_id: '{There}', status: 'nope' },
    { parent_id: 'not_in_project', before_id: 'not_in_project', status: 'invalid_value' },
  ),
  faulty(
    TASKS,
    { ...base, parent_id: '{Deleted}', after_id: '{Deleted}', blocked_by_ids: ['{Deleted}'] },
    {
      parent_id: 'invalid_reference',
      after_id: 'invalid_reference',
      'blocked_by_ids[0]': 'invalid_reference',
    },
  ),
  {
    ...faulty(
      TASKS,
      { ...base, parent_id: '{There}', blocked_by_ids: ['{Here}', '{There}'] },
      { parent_id: 'invalid_reference', 'blocked_by_ids[1]': 'invalid_reference' },
    ),
    as: 'member',
  },
  faulty(
    TASKS,
    {
      ...base,
      project_id: '{hidden}',
      assignee_ids: ['{owner}', '{guest}', '{admin}', 'usr_01k2m3n4p5q6r7s8t9v0w1x2y3'],
    },
    { 'assignee_ids[1]': 'not_a_member', 'assignee_ids[3]': 'not_a_member' },
  ),
  faulty(
    TASKS,
    { ...base, tag_ids: ['tag_01k2m3n4p5q6r7s8t9v0w1x2y3'] },
    { 'tag_ids[0]': 'not_in_project' },
  ),
])

scenario('a pair of external source and id is had by one undeleted task only', [
  made('First', { external_source: 'jira', external_id: '1' }),
  made('Secret', { project_id: '{hidden}', external_source: 'jira', external_id: '2' }),
  refused(TASKS, 409, 'external_id_exists', {
    body: { ...base, external_source: 'jira', external_id: '1' },
    reply: { error: { details: [{ code: 'external_id_exists', resource_id: '{First}' }] } },
  }),
  {
    ...refused(TASKS, 409, 'external_id_exists', {
      body: { ...base, external_source: 'jira', external_id: '2' },
    }),
    as: 'member',
    check: ({ body }) => {
      if (JSON.stringify(body).includes('resource_id')) throw new Error('It tells of a hidden task')
    },
  },
  { send: 'DELETE /api/v1/tasks/{First}', status: 204, events: ['task.deleted'] },
  made('Second', { external_source: 'jira', external_id: '1' }),
  refused('POST /api/v1/tasks/{First}/restore', 409, 'external_id_exists'),
  {
    send: 'PATCH /api/v1/tasks/{Second}',
    body: { external_source: null, external_id: null },
    status: 200,
    events: ['task.updated'],
  },
  {
    send: 'POST /api/v1/tasks/{First}/restore',
    status: 200,
    events: ['task.updated'],
  },
  faulty(
    'PATCH /api/v1/tasks/{Second}',
    { external_id: '3' },
    {
      external_source: 'conflicting_fields',
    },
  ),
  faulty('PATCH /api/v1/tasks/{First}', { external_id: null, title: '' }, { title: 'too_short' }),
  faulty(
    'PATCH /api/v1/tasks/{First}',
    { external_id: null },
    {
      external_id: 'conflicting_fields',
    },
  ),
])

scenario('a rehearsed creation shows what would be, and leaves nothing', [
  {
    send: 'POST /api/v1/tasks?dry_run=true',
    body: { ...base, assignee_ids: ['{member}'] },
    status: 201,
    reply: { number: 1, short_id: 'ENG-1' },
    replyHeaders: { 'x-dry-run': 'true', location: null, etag: null, 'x-operation-id': null },
  },
  { ...faulty(`${TASKS}?dry_run=true`, { ...base, title: '' }, { title: 'too_short' }) },
  made('First', {}, { reply: { number: 1 } }),
  {
    send: 'POST /api/v1/tasks?dry_run=yes',
    body: base,
    status: 400,
    reply: { error: { code: 'invalid_parameter', details: [{ field: 'dry_run' }] } },
  },
])
