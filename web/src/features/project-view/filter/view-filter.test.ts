import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSeededRandom } from '#test/delivery/simulated-time.ts'
import { createTaskRecord } from '#test/support/data/task-record.ts'
import type { Task } from '../../../data/tasks/task-patch.ts'
import { filterMessages } from '../../../messages/tasks/filter.ts'
import { checkFilter } from './check-filter.ts'
import {
  compileFilter,
  type FilterContext,
  getFilterText,
  hasFilterText,
  loadSearchWords,
  resolveTag,
  toFilterQuery,
} from './filter-query.ts'
import { listValues } from './filter-values.ts'
import { addClause, formatFilter, parseFilter, removeClause } from './view-filter.ts'

const id = (kind: string, n: number) => `${kind}_${String(n).padStart(26, '0')}`
const status = (
  key: string,
  category: 'unstarted' | 'started' | 'completed',
  position: number,
) => ({
  key,
  category,
  position,
  color: '#000000',
  name: key === 'in_progress' ? 'In progress' : key,
})
const meaning: FilterContext = {
  statuses: [
    status('todo', 'unstarted', 0),
    status('in_progress', 'started', 1),
    status('done', 'completed', 2),
  ],
  members: [
    { id: id('usr', 1), name: 'Ines Okafor' },
    { id: id('usr', 2), name: 'Mei Tanaka' },
    { id: id('usr', 3), name: 'Mei Lin' },
  ],
  tags: [
    { id: id('tag', 1), name: 'infra' },
    { id: id('tag', 2), name: 'needs design' },
  ],
  projects: [],
  me: id('usr', 1),
  today: '2026-11-20',
  now: () => Date.parse('2026-11-20T12:34:56Z'),
}
const query = (typed: string) => toFilterQuery(parseFilter(typed), meaning)
const api = (typed: string) => query(typed).api

test('parsing and formatting a filter gives back the typed text', () => {
  for (const typed of [
    'status:todo,in_progress assignee:me due:<7d -tag:infra login form',
    'tag:"needs design" -assignee:none created:<30d',
    'due:overdue priority:high,urgent parent:none',
    '"two words" here',
  ]) {
    assert.equal(formatFilter(parseFilter(typed)), typed)
  }
})

test('merges values of a property as alternatives and intersects date ranges', () => {
  assert.equal(formatFilter(parseFilter('tag:a tag:b,a')), 'tag:a,b')
  assert.deepEqual(api('due:>2026-11-01 due:<7d due:<2w'), {
    due_after: '2026-11-20',
    due_before: '2026-11-27',
  })
})

test('keeps invalid conditions as text, and searches only for words', () => {
  const wrong = 'due:soon -due:<7d note:x updated:7d'
  assert.deepEqual(api(wrong), {})
  assert.equal(formatFilter(parseFilter(wrong)), wrong)
  assert.deepEqual(api('due:2026-02-30 login due:>2026-02-28 "note:x" https://example.org'), {
    q: 'login "note:x" https://example.org',
    due_after: '2026-03-01',
  })
})

test('says what is wrong in a typed filter, and where', () => {
  const { wrong } = filterMessages
  const DUE =
    'Friday, "15 Dec", "in 2 weeks", 2026-12-10, <7d, >2w, overdue, today, tomorrow, "this week", "next week", none, any'
  const problems: [typed: string, part: string, message: string][] = [
    ['status:open due:soon', 'due:soon', wrong.date('soon', DUE)],
    ['stauts:open', 'stauts:open', wrong.property('stauts')],
    ['login status:gone', 'status:gone', wrong.value('gone', 'Status')],
    ['assignee:me,mei', 'assignee:me,mei', wrong.value('mei', 'Assignee')],
    ['priority:', 'priority:', wrong.missing('priority:')],
    ['due:today,tomorrow', 'due:today,tomorrow', wrong.date('today,tomorrow', DUE)],
    ['-due:<7d', '-due:<7d', wrong.negated('due')],
    ['updated:soon', 'updated:soon', wrong.date('soon', '<7d, >30d')],
    ['parent:DOC-1', 'parent:DOC-1', wrong.value('DOC-1', 'Parent task')],
    ['the "login form', '"login', wrong.quote],
  ]
  for (const [typed, part, message] of problems) {
    const { problem } = checkFilter(typed, meaning)
    assert.equal(problem?.message, message, typed)
    assert.equal(typed.slice(problem?.start, problem?.end), part)
  }
  for (const typed of ['status:open -tag:infra', '"note:x" 12:30 https://example.org', '-due:none'])
    assert.equal(checkFilter(typed, meaning).problem, undefined, typed)
})

test('takes dates in words, and holds them as days or ages', () => {
  const read = (typed: string) => formatFilter(checkFilter(typed, meaning).filter ?? [])
  assert.equal(
    read('due:tomorrow due:>"next friday" due:<15.12.'),
    'due:tomorrow due:>2026-11-27 due:<2026-12-15',
  )
  // Friday the 20th is today; what lies in the past is the last such day.
  assert.equal(read('created:<monday'), 'created:<4d')
  assert.equal(read('completed:>"3 weeks" created:15.11.'), 'completed:>21d created:<5d')
})

test('resolves statuses, members and tags by name', () => {
  assert.deepEqual(api('status:"In Progress"'), { status: ['in_progress'] })
  assert.deepEqual(api('status:open -status:todo'), { status: ['in_progress'] })
  assert.deepEqual(api('assignee:ines,none'), { assignee_id: [id('usr', 1), 'none'] })
  assert.deepEqual(api('assignee:mei-t'), { assignee_id: [id('usr', 2)] })
  assert.deepEqual(api('tag:needs-design'), { tag_id: [id('tag', 2)] })
})

test('an exact name wins over one that differs in case or punctuation', () => {
  const tags = ['v1.1', 'v11'].map((name, at) => ({ id: id('tag', at), name }))
  const ids = tags.map(({ name }) => resolveTag(name, { ...meaning, tags }))
  assert.deepEqual(ids, [id('tag', 0), id('tag', 1)])
  assert.equal(resolveTag('V11', { ...meaning, tags }), id('tag', 0))
})

test('each value that the editor offers means what it names', () => {
  const members = [1, 2, 3].map((at) => ({ id: id('usr', at), name: at < 3 ? 'Anna' : 'me' }))
  const tags = ['none', 'v1.1', 'v11'].map((name, at) => ({ id: id('tag', at), name }))
  const named = {
    ...meaning,
    members,
    tags,
    statuses: [status('closed', 'completed', 0), status('open', 'completed', 1)],
  }
  const queries = (['status', 'creator', 'tag'] as const).map((property) =>
    listValues(property, named).map((value) => {
      const typed = formatFilter([{ property, not: false, values: [value] }])
      return Object.values(toFilterQuery(parseFilter(typed), named).api)
    }),
  )
  assert.deepEqual(queries, [
    [[['no_such_status']], [['closed', 'open']], [['closed']], [['open']]],
    [[[named.me]], ...members.map((one) => [[one.id]])],
    [[['none']], ...tags.map((one) => [[one.id]])],
  ])
})

test('a value of the list means its record, whatever characters the name has', () => {
  const random = createSeededRandom(1)
  const parts = ['a', 'B', 'é', ' ', '"', '""', '\\', "'", ',', ':', '-', '<', '>', '=', '.', '#']
  const pick = () => parts[Math.floor(random() * parts.length)] ?? ''
  const names = new Set(['"', '""', 'a"', '"a"', 'say "hi", bye', '\\', '\\"', '<"x"', 'x:"y z"'])
  while (names.size < 200) names.add(Array.from({ length: 6 }, pick).join('').trim())
  const all = [...names].filter(Boolean).map((name, at) => ({ id: id('tag', at), name }))
  const named = { ...meaning, tags: all, members: all }
  for (const property of ['tag', 'assignee'] as const) {
    const words = listValues(property, named).slice(-all.length)
    for (const [at, word] of words.entries()) {
      const filter = [{ property, not: false, values: ['none', word] }]
      const typed = `${formatFilter(filter)} login`
      const checked = checkFilter(typed, named).filter
      assert.equal(checked && formatFilter(checked), typed)
      const [ids] = Object.values(toFilterQuery(parseFilter(typed), named).api)
      assert.deepEqual(ids, ['none', all[at]?.id], typed)
    }
  }
})

test('an unknown or ambiguous name matches nothing rather than everything', () => {
  assert.deepEqual(api('assignee:mei'), { assignee_id: [`usr_${'0'.repeat(26)}`] })
  assert.deepEqual(api('status:gone'), { status: ['no_such_status'] })
  assert.deepEqual(api('priority:high -priority:high'), { status: ['no_such_status'] })
})

test('turns negations into positive API parameters where possible, and leaves the rest to the page', () => {
  assert.deepEqual(query('-status:done -priority:none,low'), {
    api: { status: ['todo', 'in_progress'], priority: ['urgent', 'high', 'medium'] },
    pageOnly: {},
  })
  assert.deepEqual(query('-tag:infra -due:none'), {
    api: {},
    pageOnly: { not_tag_id: [id('tag', 1)], due: 'any' },
  })
})

test('nothing matches conditions that contradict each other', () => {
  for (const typed of ['due:none due:any', 'status:done due:overdue', 'priority:low -priority:low'])
    assert.deepEqual(api(typed).status, ['no_such_status'], typed)
})

test('overdue means past due and open; ages count from the full hour', () => {
  assert.deepEqual(api('due:overdue'), {
    status: ['todo', 'in_progress'],
    due_before: '2026-11-20',
  })
  assert.deepEqual(api('created:<7d updated:<1d'), {
    created_after: '2026-11-13T12:00:00.000Z',
    updated_since: '2026-11-19T12:00:00.000Z',
  })
})

test('matches a single task by the same conditions as the query', async () => {
  const words = await loadSearchWords()
  const task = createTaskRecord({
    status: 'todo',
    priority: 'high',
    assignee_ids: [id('usr', 1)],
    created_by_id: id('usr', 2),
    due_date: '2026-11-19',
    created_at: '2026-11-19T00:00:00.000Z',
    updated_at: '2026-11-20T12:00:00.000Z',
    title: 'Mend the login form b 日本語',
    description: null,
    short_id: 'DOC-7',
  })
  const fits = (typed: string) => {
    const filter = parseFilter(typed)
    const text = getFilterText(filter) ?? ''
    return compileFilter<Task>(filter, meaning, (one) => hasFilterText(one, text, words))(task)
  }
  for (const typed of [
    '',
    'assignee:me',
    'tag:none',
    'due:overdue',
    'log for',
    'doc-7',
    '-tag:infra',
    '語',
    'b login',
    'updated:<1d',
  ]) {
    assert.equal(fits(typed), true, typed)
  }
  for (const typed of [
    '-assignee:me',
    'tag:infra',
    'due:today',
    'ogin',
    '-tag:none',
    'completed:<7d',
    'updated:>1d',
    // A single letter is searched as a whole word.
    'l',
  ]) {
    assert.equal(fits(typed), false, typed)
  }
})

test('adds and removes single conditions', () => {
  const filter = parseFilter('tag:a text')
  const more = addClause(filter, { property: 'text', not: false, values: ['other'] })
  assert.equal(formatFilter(more), 'tag:a other')
  const [first] = more
  assert.equal(first && formatFilter(removeClause(more, first)), 'other')
})
