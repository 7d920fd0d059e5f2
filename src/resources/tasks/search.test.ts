import { type Step, scenario } from '#test/support/scenario.ts'
import { lists, made } from '#test/support/steps.ts'

const finds = (q: string, names: string[], more: Partial<Step> = {}): Step =>
  lists(`/api/v1/tasks?sort=created_at&q=${encodeURIComponent(q)}`, names, more)

scenario('every word of a search begins a word of the title or the description', [
  made('A', { title: 'Überprüfung der 日本 Zahlen', description: 'x-ray\nfoo_bar 3.14' }),
  made('B', { title: 'Cafe\u0301 ΟΔΟΣΗΜΟ', description: '{"json": "\\"quoted\\" OR \'x\'"}' }),
  made('C', { title: 'İstanbul ﬁsh', description: null }),
  made('D', { title: '東京タワー', description: 'caf' }),
  made('E', { title: 'हिन्दी NOT near' }),
  finds('zah ÜBERP', ['A']),
  finds('zahlen zahlen', ['A']),
  finds('ahlen', []),
  finds('uber', []),
  finds('本', ['A']),
  finds('日本', ['A']),
  finds('本日', ['A']),
  finds('ray FOO', ['A']),
  finds('bar 14', ['A']),
  finds('caf\u00e9', ['B']),
  finds('Cafe\u0301', ['B']),
  finds('cafe', []),
  finds('caf', ['B', 'D']),
  finds('οδος', ['B']),
  finds('or quoted', ['B']),
  finds('"quoted" AND', []),
  finds("'x'", ['A', 'B']),
  finds('タ東', ['D']),
  finds('not', ['E']),
  finds('NEAR(not near)', ['E']),
  finds('हि', ['E']),
  finds('--', []),
  finds(' ', []),
  finds('*', []),
  finds('%', []),
  finds('_', []),
  finds('zah', [], { as: 'stranger' }),
])

scenario('a search follows changes, deletions and what one may see', [
  made('Task', { title: 'Old words', description: 'kept' }),
  made('Secret', { project_id: '{hidden}', title: 'Old secret' }),
  finds('old', ['Task', 'Secret']),
  finds('old', ['Task'], { as: 'member' }),
  finds('HID-1', [], { as: 'member' }),
  finds('hid-1', ['Secret']),
  {
    send: 'PATCH /api/v1/tasks/{Task}',
    body: { title: 'New words' },
    status: 200,
    events: ['task.updated'],
  },
  finds('old', ['Secret']),
  finds('new kept', ['Task']),
  {
    send: 'PATCH /api/v1/tasks/{Task}',
    body: { description: null },
    status: 200,
    events: ['task.updated'],
  },
  finds('kept', []),
  { send: 'DELETE /api/v1/tasks/{Task}', status: 204, events: ['task.deleted'] },
  finds('new', []),
  finds('eng-1', []),
  lists('/api/v1/tasks?deleted=only&q=new', ['Task']),
  lists('/api/v1/tasks?deleted=only&q=eng-1', ['Task']),
])

scenario('the whole search may be the short id of a task', [
  made('Task', { title: 'One' }),
  made('Words', { title: 'eng and 1' }),
  finds(' eng-1 ', ['Task', 'Words']),
  finds('ENG-1', ['Task', 'Words']),
  finds('ENG-1 x', []),
  finds('ENG-01', []),
])

const long = `${'長'.repeat(30_000)} ${Array.from({ length: 5_000 }, (_, at) => `w${at}`).join(' ')}`

scenario('a long text is found by its last word', [
  made('Task', { description: `${'y'.repeat(600)} ${long}`.slice(0, 65_536) }),
  finds('w4999 長', ['Task']),
  finds('y'.repeat(200), ['Task']),
])
