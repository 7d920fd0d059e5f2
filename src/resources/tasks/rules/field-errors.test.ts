import { scenario } from '#test/support/scenario/scenario.ts'
import {
  createTaskStep,
  rejectedStep,
  validationFailedStep,
  validationFailedSteps,
} from '#test/support/scenario/steps.ts'

const TASKS = 'POST /api/v1/tasks'
const base = { project_id: '{project}', title: 'x' }

scenario('returns all field errors of an invalid new task and allocates no number', [
  ...validationFailedSteps(TASKS, [
    [[], { '': 'invalid_type' }],
    ['null', { '': 'invalid_type' }],
    [{}, { project_id: 'required', title: 'required' }],
    [
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
        parent_id: 'tsk_1',
        estimate_seconds: 1.5,
        blocked_by_ids: ['ENG 1'],
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
    ],
    [
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
    ],
    [
      { ...base, title: '', recurrence: { rrule: 'FREQ=DAILY' } },
      { title: 'too_short', recurrence: 'conflicting_fields' },
    ],
    [{ ...base, assignee_ids: ['{member}', '{member}'] }, { 'assignee_ids[1]': 'duplicate' }],
  ]),
  { ...createTaskStep('First'), reply: { number: 1 } },
])

scenario('counts text length in characters and rejects lone surrogates', [
  createTaskStep('long', { title: '😀'.repeat(500), description: '😀'.repeat(65_536) }),
  ...validationFailedSteps(TASKS, [
    [
      { ...base, title: '😀'.repeat(501), description: `${'x'.repeat(65_536)}y` },
      { title: 'too_long', description: 'too_long' },
    ],
    [
      `{"project_id":"{project}","title":"\\ud800","description":"\\udc00 x","metadata":{"a":"\\u0000"}}`,
      {
        title: 'invalid_characters',
        description: 'invalid_characters',
        'metadata.a': 'invalid_characters',
      },
    ],
    [{ ...base, title: 'a\u2028b' }, { title: 'invalid_characters' }],
    [{ ...base, title: 'a\u0085b' }, { title: 'invalid_characters' }],
    [{ ...base, description: '\u0007' }, { description: 'invalid_characters' }],
  ]),
  createTaskStep('empty', { description: '' }, { reply: { description: '' } }),
  createTaskStep(
    'decomposed',
    { title: 'Cafe\u0301 \u{1f469}\u200d\u{1f4bb}' },
    {
      reply: { title: 'Cafe\u0301 \u{1f469}\u200d\u{1f4bb}' },
    },
  ),
])

const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 'x'.repeat(400)]))

scenario('limits custom_fields and metadata, without prototype pollution', [
  rejectedStep(TASKS, 400, 'invalid_json', {
    body: '{"project_id":"{project}","title":"x","metadata":{"__proto__":"x"}}',
  }),
  createTaskStep(
    'odd',
    { custom_fields: { constructor: 'x', to_string: 1 }, metadata: { toString: 'y' } },
    {
      reply: { custom_fields: { constructor: 'x' }, metadata: { toString: 'y' } },
    },
  ),
  ...validationFailedSteps(TASKS, [
    [{ ...base, metadata: many(51) }, { metadata: 'too_many' }],
    [{ ...base, metadata: many(45) }, { metadata: 'too_large' }],
    [
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
    ],
  ]),
  { ...createTaskStep('half', { metadata: many(30) }), keep: { half: 'id' } },
  validationFailedStep(
    'PATCH /api/v1/tasks/{half}',
    { metadata: { ...many(51), k1: null } },
    {
      metadata: 'too_large',
    },
  ),
])
