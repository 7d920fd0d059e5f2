import assert from 'node:assert/strict'
import { type Step, scenario } from '#test/support/scenario.ts'
import { made, refused } from '#test/support/steps.ts'

interface Found {
  task: { id: string; short_id: string }
  where: string
  comment_id: string | null
  snippet: { text: string; ranges: [number, number][] }
}

/** The step that searches, and finds these: names of tasks, with where they were found. */
const finds = (query: string, wanted: string[], more: Partial<Step> = {}): Step => ({
  send: `GET /internal/search?${query}`,
  as: 'session',
  status: 200,
  check: ({ body }, known) => {
    const names = new Map(Object.entries(known).map(([name, id]) => [id, name]))
    const { data } = body as { data: Found[] }
    const found = data.map(({ task, where, comment_id }) => {
      const comment = comment_id === null ? '' : ` ${names.get(comment_id)}`
      return `${names.get(task.id)} ${where}${comment}`
    })
    assert.deepEqual(found, wanted, query)
    for (const { snippet } of data) assert.ok(snippet.text.length <= 200)
  },
  ...more,
})

/** The step of a comment on a task, known from then on under a name. */
const said = (name: string, task: string, body: string, more: Partial<Step> = {}): Step => ({
  send: `POST /api/v1/tasks/{${task}}/comments`,
  body: { body },
  status: 201,
  events: ['comment.created'],
  keep: { [name]: 'id' },
  ...more,
})

const q = (text: string) => `q=${encodeURIComponent(text)}`

scenario('a search looks in titles, then descriptions, then comments, the newest change first', [
  made('Comment', { title: 'First' }),
  said('old', 'Comment', 'A needle was found'),
  said('new', 'Comment', 'No, the Needles are gone'),
  made('Text', { title: 'Hay', description: 'with a needle' }),
  said('both', 'Text', 'which needle?'),
  made('Title', { title: 'Needle' }),
  made('Newest', { title: 'Needlework', description: 'needle' }),
  finds('q=needle', [
    ...['Newest title', 'Title title', 'Text description'],
    'Comment comment new',
  ]),
  finds('q=need&in=comments', ['Text comment both', 'Comment comment new']),
  finds('q=need&in=title', ['Newest title', 'Title title']),
  finds('q=need&in=description', ['Newest description', 'Text description']),
  finds('q=hay%20needle', ['Text description']),
  finds('q=hay%20gone', []),
  finds('q=needle&limit=1', ['Newest title'], { keep: { cursor: 'next_cursor' } }),
  finds('q=needle&limit=2&cursor={cursor}', ['Title title', 'Text description'], {
    keep: { cursor2: 'next_cursor' },
  }),
  finds('q=needle&limit=2&cursor={cursor2}', ['Comment comment new']),
  refused('GET /internal/search?q=other&cursor={cursor}', 400, 'invalid_cursor', { as: 'session' }),
  {
    send: 'GET /internal/search?q=was&in=comments',
    as: 'session',
    status: 200,
    reply: {
      data: [
        {
          task: { short_id: 'ENG-1', title: 'First' },
          comment_id: '{old}',
          snippet: { text: 'A needle was found', ranges: [[9, 12]] },
        },
      ],
      next_cursor: null,
      has_more: false,
    },
  },
  refused('GET /internal/search', 400, 'invalid_parameter', { as: 'session' }),
  refused('GET /internal/search?q=x&in=notes', 400, 'invalid_parameter', { as: 'session' }),
  refused(`GET /internal/search?q=${'x'.repeat(201)}`, 400, 'invalid_parameter', { as: 'session' }),
])

scenario('what was edited is found as it is now, and what was deleted is not', [
  made('Task'),
  said('one', 'Task', 'alpha'),
  said('two', 'Task', 'beta'),
  {
    send: 'PATCH /api/v1/comments/{one}',
    body: { body: 'gamma' },
    status: 200,
  },
  finds('q=alpha', []),
  finds('q=gamma', ['Task comment one']),
  { send: 'DELETE /api/v1/comments/{two}', status: 204 },
  finds('q=beta', []),
  { send: 'DELETE /api/v1/tasks/{Task}', status: 204, events: ['task.deleted'] },
  finds('q=gamma', []),
  finds('q=eng-1', []),
  { send: 'POST /api/v1/tasks/{Task}/restore', status: 200, events: ['task.updated'] },
  finds('q=gamma', ['Task comment one']),
])

scenario('a search shows nothing of projects that one does not see', [
  made('Secret', { project_id: '{hidden}', title: 'Plan', description: 'takeover' }),
  said('whisper', 'Secret', 'the merger'),
  made('Open', { title: 'Plan' }),
  ...['plan', 'takeover', 'merger', 'hid-1'].flatMap((word) =>
    (['member', 'guest'] as const).map((role) =>
      finds(`q=${word}`, word === 'plan' ? ['Open title'] : [], { as: `${role} session` }),
    ),
  ),
  finds('q=merger&project_id={hidden}', [], { as: 'member session' }),
  finds('q=plan', ['Open title', 'Secret title']),
  finds('q=merger', ['Secret comment whisper']),
  finds('q=hid-1', ['Secret short_id']),
])

scenario('the short id comes first, and filters hold for it too', [
  made('One'),
  made('Word', { title: 'eng 1' }),
  finds('q=%20Eng-1%20', ['One short_id', 'Word title']),
  finds('q=eng-1&in=comments', ['One short_id']),
  finds('q=eng-1&project_id={hidden}', []),
  finds('q=ENG-99', []),
])

const ASSIGNED = { events: ['task.created', 'task.assigned'] }

scenario('a search is narrowed by project, assignee and author', [
  made('Mine', { title: 'Paint', assignee_ids: ['{owner}'] }, ASSIGNED),
  made('Theirs', { title: 'Paint', assignee_ids: ['{member}'] }, { ...ASSIGNED, as: 'member' }),
  made('Hidden', { title: 'Paint', project_id: '{hidden}' }),
  said('note', 'Mine', 'brush', { as: 'member' }),
  finds('q=paint&project_id={project}', ['Theirs title', 'Mine title']),
  finds('q=paint&assignee_id=me', ['Mine title']),
  finds('q=paint&assignee_id={member},none', ['Hidden title', 'Theirs title']),
  finds('q=paint&assignee_id=none', ['Hidden title']),
  finds('q=paint&author_id={member}', ['Theirs title']),
  finds('q=brush&author_id=me', []),
  finds('q=brush&author_id={member}', ['Mine comment note']),
])

scenario('words of comments are folded, begin words, and hold no operators', [
  made('Task'),
  said('c', 'Task', 'Überprüfung der 日本 ΟΔΟΣΗΜΟ "x" foo_bar NOT near'),
  ...['ÜBERP', '本', '本日', 'οδος', 'bar der', '"x" near', 'NOT near', 'x NEAR(der)'].map((text) =>
    finds(q(text), ['Task comment c']),
  ),
  ...['uber', 'prüfung', 'x OR y', 'x AND der', 'c*', '*', '%', '_', '--', "'", '"', ' ', '\\'].map(
    (text) => finds(q(text), []),
  ),
  // What is no letter and no digit is between words, and these are but words.
  ...["' | 'x", 'x:*', '!x', "x') --", '^x', 'x + der'].map((text) =>
    finds(q(text), ['Task comment c']),
  ),
])

/** A hundred tasks of a project that hold a word. */
const hundred = (project_id: string): Step => ({
  send: 'POST /api/v1/tasks/bulk',
  body: {
    operations: Array.from({ length: 100 }, () => ({
      op: 'create',
      data: { project_id, title: 'Wave', description: 'flood' },
    })),
  },
  status: 200,
  events: Array.from({ length: 100 }, () => 'task.created'),
})
const cut =
  (has_more: boolean): NonNullable<Step['check']> =>
  ({ body }) => {
    const { data, next_cursor, ...rest } = body as { data: []; next_cursor: null }
    assert.deepEqual({ next_cursor, ...rest }, { next_cursor: null, has_more })
  }

scenario('where not all is looked at a search says so, but not how much is hidden', [
  made('Old', { description: 'flood' }),
  hundred('{hidden}'),
  hundred('{hidden}'),
  {
    send: 'GET /internal/search?q=flood&in=description&limit=200',
    as: 'session',
    status: 200,
    check: cut(true),
  },
  finds('q=flood&in=description', [], { as: 'member session', reply: { has_more: false } }),
  finds('q=flood', ['Old description'], { as: 'member session', reply: { has_more: false } }),
])
