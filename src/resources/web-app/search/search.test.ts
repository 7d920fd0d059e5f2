import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createUserActor } from '#core/actor.ts'
import { parsePageRequest } from '#core/page-request.ts'
import type { ReadTx } from '#core/transaction.ts'
import { ENGINES } from '#test/support/engines/test-docket.ts'
import { type ScenarioStep, scenario } from '#test/support/scenario/scenario.ts'
import { createTaskStep, rejectedStep } from '#test/support/scenario/steps.ts'
import { openTestClient } from '#test/support/world/test-client.ts'
import { findTasks } from './operations.ts'
import { matchedTasks } from './store.ts'

interface ExpectedHit {
  task: { id: string; short_id: string }
  where: string
  comment_id: string | null
  snippet: { text: string; ranges: [number, number][] }
}

/** A search step with the expected tasks, by name, and the fields that match. */
const finds = (
  query: string,
  wanted: string[],
  more: Partial<ScenarioStep> = {},
): ScenarioStep => ({
  send: `GET /internal/search?${query}`,
  as: 'session',
  status: 200,
  check: ({ body }, known) => {
    const names = new Map(Object.entries(known).map(([name, id]) => [id, name]))
    const { data } = body as { data: ExpectedHit[] }
    const found = data.map(({ task, where, comment_id }) => {
      const comment = comment_id === null ? '' : ` ${names.get(comment_id)}`
      return `${names.get(task.id)} ${where}${comment}`
    })
    assert.deepEqual(found, wanted, query)
    for (const { snippet } of data) assert.ok(snippet.text.length <= 200)
  },
  ...more,
})

/** A step that adds a comment, to which later steps refer by name. */
const said = (
  name: string,
  task: string,
  body: string,
  more: Partial<ScenarioStep> = {},
): ScenarioStep => ({
  send: `POST /api/v1/tasks/{${task}}/comments`,
  body: { body },
  status: 201,
  events: ['comment.created'],
  keep: { [name]: 'id' },
  ...more,
})

const q = (text: string) => `q=${encodeURIComponent(text)}`

scenario('shows no comments of HTML in excerpts', [
  createTaskStep('Template', {
    title: 'Bug',
    description: '<!-- Please search first -->\nThe needle <!-- really --> breaks.',
  }),
  {
    ...finds('q=needle', ['Template description']),
    check: ({ body }) => {
      const { data } = body as { data: ExpectedHit[] }
      assert.equal(data[0]?.snippet.text.trim(), 'The needle  breaks.')
      const [from, to] = data[0]?.snippet.ranges[0] ?? []
      assert.equal(data[0]?.snippet.text.slice(from, to), 'needle')
    },
  },
])

scenario('ranks titles before descriptions before comments, newest change first', [
  createTaskStep('Comment', { title: 'First' }),
  said('old', 'Comment', 'A needle was found'),
  said('new', 'Comment', 'No, the Needles are gone'),
  createTaskStep('Text', { title: 'Hay', description: 'with a needle' }),
  said('both', 'Text', 'which needle?'),
  createTaskStep('Title', { title: 'Needle' }),
  createTaskStep('Newest', { title: 'Needlework', description: 'needle' }),
  finds('q=needle', ['Newest title', 'Title title', 'Text description', 'Comment comment new']),
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
  rejectedStep('GET /internal/search?q=other&cursor={cursor}', 400, 'invalid_cursor', {
    as: 'session',
  }),
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
  rejectedStep('GET /internal/search', 400, 'invalid_parameter', { as: 'session' }),
  rejectedStep('GET /internal/search?q=x&in=notes', 400, 'invalid_parameter', { as: 'session' }),
  rejectedStep(`GET /internal/search?q=${'x'.repeat(201)}`, 400, 'invalid_parameter', {
    as: 'session',
  }),
])

scenario('finds edited texts and no deleted ones', [
  createTaskStep('Task'),
  said('one', 'Task', 'alpha'),
  said('two', 'Task', 'beta'),
  {
    send: 'PATCH /api/v1/comments/{one}',
    body: { body: 'gamma' },
    status: 200,
    events: ['comment.updated'],
  },
  finds('q=alpha', []),
  finds('q=gamma', ['Task comment one']),
  { send: 'DELETE /api/v1/comments/{two}', status: 204, events: ['comment.deleted'] },
  finds('q=beta', []),
  { send: 'DELETE /api/v1/tasks/{Task}', status: 204, events: ['task.deleted'] },
  finds('q=gamma', []),
  finds('q=eng-1', []),
  { send: 'POST /api/v1/tasks/{Task}/restore', status: 200, events: ['task.updated'] },
  finds('q=gamma', ['Task comment one']),
])

scenario('hides matches in projects without access', [
  createTaskStep('Secret', { project_id: '{hidden}', title: 'Plan', description: 'takeover' }),
  said('whisper', 'Secret', 'the merger'),
  createTaskStep('Open', { title: 'Plan' }),
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

scenario('ranks the short id first and applies filters to it', [
  createTaskStep('One'),
  createTaskStep('Word', { title: 'eng 1' }),
  finds('q=%20Eng-1%20', ['One short_id', 'Word title']),
  finds('q=eng-1&in=comments', ['One short_id']),
  finds('q=eng-1&project_id={hidden}', []),
  finds('q=ENG-99', []),
])

const ASSIGNED = { events: ['task.created', 'task.assigned'] }

scenario('filters by project, assignee and author', [
  createTaskStep('Mine', { title: 'Paint', assignee_ids: ['{owner}'] }, ASSIGNED),
  createTaskStep(
    'Theirs',
    { title: 'Paint', assignee_ids: ['{member}'] },
    { ...ASSIGNED, as: 'member' },
  ),
  createTaskStep('Hidden', { title: 'Paint', project_id: '{hidden}' }),
  said('note', 'Mine', 'brush', { as: 'member' }),
  finds('q=paint&project_id={project}', ['Theirs title', 'Mine title']),
  finds('q=paint&assignee_id=me', ['Mine title']),
  finds('q=paint&assignee_id={member},none', ['Hidden title', 'Theirs title']),
  finds('q=paint&assignee_id=none', ['Hidden title']),
  finds('q=paint&author_id={member}', ['Theirs title']),
  finds('q=brush&author_id=me', []),
  finds('q=brush&author_id={member}', ['Mine comment note']),
])

scenario('matches folded prefixes in comments, without search operators', [
  createTaskStep('Task'),
  said('c', 'Task', 'Überprüfung der 日本 ΟΔΟΣΗΜΟ "x" foo_bar NOT near'),
  ...['ÜBERP', 'uber', '本', '本日', 'οδος', 'bar der', '"x" near', 'NOT near', 'x NEAR(der)'].map(
    (text) => finds(q(text), ['Task comment c']),
  ),
  ...['prüfung', 'x OR y', 'x AND der', 'c*', '*', '%', '_', '--', "'", '"', ' ', '\\'].map(
    (text) => finds(q(text), []),
  ),
  // A single letter is a whole word, and a ninth word does not count.
  ...['f', 'n', 'über x y'].map((text) => finds(q(text), [])),
  finds(q('x der foo bar not near 日 本 absent'), ['Task comment c']),
  // Everything but letters and digits separates words, and operators are plain words.
  ...["' | 'x", 'x:*', '!x', "x') --", '^x', 'x + der'].map((text) =>
    finds(q(text), ['Task comment c']),
  ),
])

/** Adds a hundred tasks with a word to a project. */
const hundred = (project_id: string): ScenarioStep => ({
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
  (has_more: boolean): NonNullable<ScenarioStep['check']> =>
  ({ body }) => {
    const { data, next_cursor, ...rest } = body as { data: []; next_cursor: null }
    assert.deepEqual({ next_cursor, ...rest }, { next_cursor: null, has_more })
  }

scenario('reports truncated results only to users who see all projects', [
  createTaskStep('Old', { description: 'flood' }),
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

/** A transaction that finds some tasks, but cannot read them any more, as if they were deleted in between. */
const withDeletedTasks = (tx: ReadTx, ids: ReadonlySet<string>): ReadTx => ({
  actor: tx.actor,
  settings: tx.settings,
  now: tx.now,
  nowMs: tx.nowMs,
  changeNumber: () => tx.changeNumber(),
  decrypt: (sealed) => tx.decrypt(sealed),
  one: (query, args) => tx.one(query, args),
  async all(query, args) {
    const rows = await tx.all(query, args)
    return query.text === matchedTasks.text ? rows.filter((row) => !ids.has(Object(row).id)) : rows
  },
  oneNow: (query, args) => tx.oneNow(query, args),
  allNow: (query, args) => tx.allNow(query, args),
})

for (const engine of ENGINES) {
  test(`goes on after a page whose tasks were deleted meanwhile (${engine})`, async () => {
    const { storage, team, send } = await openTestClient(engine)
    const ids: string[] = []
    for (const n of [5, 4, 3, 2, 1]) {
      const task = { project_id: team.project, title: `Ferry ${n}` }
      ids.unshift((await send('POST /api/v1/tasks', task)).id)
    }
    const deleted = new Set(ids.slice(1, 4))
    const actor = createUserActor(team.people.owner, team.workspace)
    const pages: string[][] = []
    for (let cursor: string | undefined; ; ) {
      const page = parsePageRequest('secret', 'list', { limit: 2, ...(cursor && { cursor }) }, '')
      const bytes = await storage.read(actor, (tx) =>
        findTasks(withDeletedTasks(tx, deleted), undefined, {
          params: undefined,
          query: { q: 'ferry' },
          body: undefined,
          page,
        }),
      )
      const { data, next_cursor, has_more } = JSON.parse(String(bytes))
      pages.push(data.map(({ task }: ExpectedHit) => task.id))
      assert.equal(has_more, next_cursor !== null)
      if (next_cursor === null) break
      cursor = next_cursor
    }
    assert.deepEqual(pages, [[ids[0]], [], [ids[4]]])
  })
}
