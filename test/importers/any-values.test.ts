import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DatabaseEngine } from '#core/transaction.ts'
import type { Import } from '#resources/imports/internal.ts'
import type { Task } from '#resources/tasks/fields.ts'
import { createZip } from '../support/data/zip-archive.ts'
import { createFreshDockets } from '../support/engines/fresh-docket.ts'
import { ENGINES } from '../support/engines/test-docket.ts'
import { createImporter, describeImportError, describeWarnings } from '../support/world/importer.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'

// On a shared database, importers of other test processes would claim the jobs.
const fresh = createFreshDockets()

const LONG = 'long '.repeat(120).trim()

/** For each tool a file whose second task has nothing that can be read but its title. */
const ODD_FILES: [filename: string, bytes: () => Promise<Uint8Array> | string][] = [
  [
    'Tasks.csv',
    () =>
      'Title,Due,Start,Estimate,Priority,Id,Parent,Blocked by,Labels\n' +
      `Good,2026-03-31,,,,1,,,\n"Odd\none",soon,31/02/2026,ages,Gigantic,1,9,"8;9",${'x'.repeat(51)}\n`,
  ],
  [
    'Jira.csv',
    () =>
      'Summary,Issue key,Issue id,Status,Priority,Due date,Parent id,Inward issue link (Blocks),Labels\n' +
      `Good,P-1,1,Open,High,31/Mar/26 12:00 AM,,,\n"Odd\none",P-2,2,Open,Gigantic,soon,9,P-9,${'x'.repeat(51)}\n`,
  ],
  [
    'Linear.csv',
    () =>
      'ID,Team,Title,Status,Priority,Cycle Number,Due Date,Parent issue,Blocked by,Labels\n' +
      `A-1,A,Good,Todo,High,,2026-03-31,,,\nA-2,A,"Odd\none",Todo,Gigantic,,soon,A-9,A-8,${'x'.repeat(51)}\n`,
  ],
  [
    'Todoist.csv',
    () =>
      'TYPE,CONTENT,DESCRIPTION,PRIORITY,INDENT,AUTHOR,RESPONSIBLE,DATE\n' +
      `task,Good,,1,1,,,2026-03-31\ntask,"Odd\none @${'x'.repeat(51)}",,huge,99,,,soon\n`,
  ],
  [
    'Trello.json',
    () =>
      JSON.stringify({
        name: 'Board',
        lists: [{ id: 'l', name: 'To do' }],
        cards: [
          { id: '1', name: 'Good', idList: 'l', due: '2026-03-31T10:00:00.000Z' },
          {
            id: '1',
            name: 'Odd\none',
            idList: 'x',
            due: 'soon',
            start: 'soon',
            idMembers: ['x', 7, null],
            labels: [{ name: 'x'.repeat(51) }, null],
          },
        ],
      }),
  ],
  [
    'issues.json',
    () =>
      JSON.stringify([
        { number: 1, title: 'Good', state: 'open' },
        {
          number: 'x'.repeat(300),
          title: 'Odd\none',
          state: 7,
          assignees: [{}, null],
          labels: [{ name: 'x'.repeat(51) }],
          comments: [{ body: '\u0000' }],
        },
      ]),
  ],
  [
    'Vikunja.zip',
    () => {
      const tasks = [
        { id: 1, title: 'Good', due_date: '2026-03-31T10:00:00Z' },
        {
          id: 2,
          title: 'Odd\none',
          due_date: 'soon',
          start_date: '31.02.2026',
          priority: 'x',
          related_tasks: { parenttask: [{ id: 9 }], blocked: [{ id: 8 }] },
          labels: [{ title: 'x'.repeat(51) }],
        },
      ]
      const data = Buffer.from(JSON.stringify([{ title: 'List', tasks, buckets: [] }]))
      return createZip({ 'data.json': data })
    },
  ],
]

const setUp = async (engine: DatabaseEngine) => {
  const docket = await fresh(engine)
  const team = await createTestWorkspace(docket.storage)
  const importer = await createImporter(docket, team)
  const read = async (filename: string, bytes: string | Uint8Array): Promise<Import> => {
    const { id } = await importer.upload(filename, bytes)
    await importer.work()
    const ready = await importer.get(id)
    assert.equal(ready.status, 'ready', describeImportError(ready))
    return ready
  }
  /** The tasks that an import has made, by title. */
  const run = async (id: string): Promise<Map<string, Task>> => {
    const before = new Set((await list()).map((task) => task.id))
    await importer.act(id, 'start')
    await importer.work()
    assert.deepEqual(await importer.faults(id), [])
    const made = (await list()).filter((task) => !before.has(task.id))
    return new Map(made.map((task) => [task.title, task]))
  }
  const list = async () =>
    (await importer.ask<{ data: Task[] }>('GET', '/api/v1/tasks?limit=200')).data
  return { importer, read, run }
}

for (const engine of ENGINES) {
  test(`a value that cannot be read costs no task of any tool (${engine})`, async () => {
    const { importer, read, run } = await setUp(engine)
    for (const [filename, bytes] of ODD_FILES) {
      const { id, failed_count } = await read(filename, await bytes())
      assert.equal(failed_count, 0, filename)
      const tasks = await run(id)
      const odd = tasks.get('Odd one') ?? assert.fail(filename)
      assert.ok(tasks.has('Good'), filename)
      assert.equal(odd.tag_ids.length, 0, filename)
      assert.match(odd.description ?? '', /(^|\n)Tags: x{51}(\n|$)/, filename)
      const warnings = await importer.warnings(id)
      const warned = describeWarnings(warnings.filter(({ title }) => title === 'Odd one'))
      assert.ok(warned.includes(`tags: too_long ${'x'.repeat(51)} 50`), `${filename}: ${warned}`)
      if (filename === 'issues.json') continue
      assert.match(odd.description ?? '', /(^|\n)(Due date|Date): soon(\n|$)/, filename)
      if (filename !== 'Todoist.csv')
        assert.ok(warned.includes('due_date: not_a_date soon'), `${filename}: ${warned}`)
    }
  })

  test(`makes titles fit, whatever white space they have and however long they are (${engine})`, async () => {
    const { read, run } = await setUp(engine)
    const titles = [
      '"Line\r\ntwo"',
      '"a\tb"',
      'c\vd',
      'e\u2028f',
      'g\u0085h',
      'i\u0007j',
      '  k  \u00a0 l ',
    ]
    const file = `Title,Notes\r\n${titles.map((title) => `${title},x`).join('\r\n')}\r\n${LONG},Why`
    const { id, failed_count } = await read('Titles.csv', file)
    assert.equal(failed_count, 0)
    const tasks = await run(id)
    const short = ['Line two', 'a b', 'c d', 'e f', 'g h', 'ij', 'k l']
    const title = LONG.slice(0, 499)
    assert.deepEqual(new Set(tasks.keys()), new Set([...short, title]))
    assert.equal(tasks.get(title)?.description, `${LONG}\n\nWhy`)
  })

  test(`a task that waits for too much, or has too much, comes in (${engine})`, async () => {
    const { read, run } = await setUp(engine)
    const names = (count: number, name: string) =>
      Array.from({ length: count }, (_, at) => `${name}${at}`).join(';')
    const text = 'word '.repeat(20_000).trim()
    const file = [
      'title,id,project,parent,blocked by,tags,assignee,start,due,description',
      'Top,1,One,,,,,,,',
      'Elsewhere,2,Two,1,,,,2026-03-02,2026-03-01,',
      `Much,3,One,1,"${names(60, 'b')}","${names(60, 't')}","${names(30, 'p')}",,,${text}`,
    ].join('\n')
    const { id } = await read('Much.csv', file)
    const tasks = await run(id)
    const elsewhere = tasks.get('Elsewhere')
    assert.deepEqual(
      [elsewhere?.parent_id, elsewhere?.start_date, elsewhere?.due_date, elsewhere?.description],
      [null, null, '2026-03-01', 'Start date: 2026-03-02\nPart of: 1'],
    )
    const much = tasks.get('Much')
    assert.equal(much?.parent_id, tasks.get('Top')?.id)
    assert.deepEqual([much?.tag_ids.length, much?.comment_count], [50, 1])
  })
}

test('reads days as people and tools write them', async () => {
  const { read, run } = await setUp('sqlite')
  const days = [
    '3/31/2026',
    '3/31/26',
    '31.3.26',
    '"Tue, 31 Mar 2026"',
    '20260331',
    '2026年3月31日',
    '31-Mar-26',
    '"March 31st, 2026"',
    '31 mars 2026',
    '31 de marzo de 2026',
    '2026/03/31',
    '31 марта 2026 г.',
    '31.03.2026 14:30',
    '2026-03-31T23:30:00+02:00',
    '31. März 2026',
    '"Tue, 31 Mar 2026 10:00:00 +0200 (CEST)"',
    '2026. 3. 31.',
    '３１．３．２０２６',
    '٣١ مارس ٢٠٢٦',
    '31 มีนาคม 2569',
    '"mar. 31 mars 2026"',
    'Tue Mar 31 10:00:00 CET 2026',
    '2026년 3월 31일',
    '31. Mrz 26',
    '31.3.2569',
    '2026-03-31 10:00 [Europe/Zurich]',
    'Tue Mar 31 2026 10:00:00 GMT+0200 (Central European Summer Time)',
  ]
  const lines = days.map((day, at) => `Task ${at},${day}`)
  const file = ['Title,Due', ...lines, 'Same,3/3/2026', 'Fourth of March,3/4/2026']
  const { id, date_order, warned_count } = await read('Days.csv', file.join('\n'))
  assert.deepEqual([date_order, warned_count], [null, 0])
  const tasks = await run(id)
  for (const [at, day] of days.entries())
    assert.equal(tasks.get(`Task ${at}`)?.due_date, '2026-03-31', day)
  assert.equal(tasks.get('Same')?.due_date, '2026-03-03')
  assert.equal(tasks.get('Fourth of March')?.due_date, '2026-03-04')

  const more = 'Title,Due\nOne,31.03.2026 (waiting for legal)\nTwo,31 March 2026 (at last)\n'
  const bracketed = await run((await read('More.csv', more)).id)
  assert.deepEqual(
    ['One', 'Two'].map((title) => {
      const { due_date, description } = bracketed.get(title) ?? assert.fail(title)
      return [due_date, description]
    }),
    [
      [null, 'Due date: 31.03.2026 (waiting for legal)'],
      [null, 'Due date: 31 March 2026 (at last)'],
    ],
  )
})

test('each column decides on the order of day and month, or asks once', async () => {
  const { importer, read, run } = await setUp('sqlite')
  const both = 'Title,Start,Due\nOne,13/02/2026,02/14/2026\nTwo,03/04/2026,05/06/2026\n'
  const decided = await read('Both.csv', both)
  assert.equal(decided.date_order, null)
  const two = (await run(decided.id)).get('Two')
  assert.deepEqual([two?.start_date, two?.due_date], ['2026-04-03', '2026-05-06'])

  const open = await read('Open.csv', 'Title,Due\nThree,3/4/2026\nFour,5/6/2026\nFive,7/7/2026\n')
  assert.deepEqual(open.date_order, { order: 'day_first', count: 2, example: '3/4/2026' })
  assert.deepEqual(
    open.sample.map(({ due_date }) => due_date),
    ['2026-04-03', '2026-06-05', '2026-07-07'],
  )
  await importer.choose(open.id, { date_order: 'month_first' })
  await importer.work()
  const chosen = await importer.get(open.id)
  assert.equal(chosen.date_order?.order, 'month_first')
  assert.equal(chosen.sample[0]?.due_date, '2026-03-04')
  assert.equal((await run(open.id)).get('Four')?.due_date, '2026-05-06')
})

test('guesses the order of day and month by the time zone', async () => {
  const { importer, read, run } = await setUp('sqlite')
  await importer.ask('PATCH', '/internal/workspace', { timezone: 'America/Chicago' })
  const { id, date_order } = await read('Open.csv', 'Title,Due\nOne,3/4/2026\n')
  assert.equal(date_order?.order, 'month_first')
  assert.equal((await run(id)).get('One')?.due_date, '2026-03-04')
})

test('reads no column that was not chosen, and any that was', async () => {
  const { importer, read, run } = await setUp('sqlite')
  const file = ',Title,Status,Status,,\n0,One,Open,Waiting,ok,x\n1,Two,Open,Going,see mail,y\n'
  const ready = await read('Nameless.csv', file)
  assert.deepEqual(ready.headers, [
    'Column 1',
    'Title',
    'Status',
    'Status (2)',
    'Column 5',
    'Column 6',
  ])
  assert.deepEqual(ready.columns, [
    { field: 'title', column: 'Title' },
    { field: 'status', column: 'Status' },
  ])
  assert.partialDeepStrictEqual(ready.projects, [{ name: '', project_id: null, count: 2 }])
  assert.deepEqual(
    [ready.people, ready.priorities, ready.statuses.map(({ name }) => name)],
    [[], [], ['Open']],
  )
  const columns = [
    { field: 'title', column: 'Title' },
    { field: 'status', column: 'Status (2)' },
    { field: 'description', column: 'Column 5' },
    { field: 'tags', column: 'Column 6' },
  ]
  await importer.choose(ready.id, { columns })
  await importer.work()
  const { statuses, sample } = await importer.get(ready.id)
  assert.deepEqual(
    statuses.map(({ name }) => name),
    ['Waiting', 'Going'],
  )
  assert.deepEqual(
    sample.map(({ tags }) => tags),
    [['x'], ['y']],
  )
  const { description, tag_ids } = (await run(ready.id)).get('Two') ?? assert.fail()
  assert.deepEqual([description, tag_ids.length], ['see mail', 1])
})

test('maps the words for priorities', async () => {
  const { importer, read, run } = await setUp('sqlite')
  const words = ['1', 'Very High', '1 - High', 'Must', 'Gigantic', 'Tiny', 'none', '']
  const lines = words.map((word) => `Task ${word},${word}`)
  const { id, priorities } = await read('Words.csv', ['Title,Priority', ...lines].join('\n'))
  assert.deepEqual(
    priorities.map(({ name, priority, count }) => [name, priority, count]),
    [
      ['1', 'urgent', 1],
      ['Very High', 'urgent', 1],
      ['1 - High', 'high', 1],
      ['Must', 'high', 1],
      ['Gigantic', 'none', 1],
      ['Tiny', 'none', 1],
      ['none', 'none', 1],
    ],
  )
  await importer.choose(id, { priorities: [{ name: 'Gigantic', priority: 'urgent' }] })
  const tasks = await run(id)
  const imported = (title: string) => {
    const { priority, description } = tasks.get(title) ?? assert.fail(title)
    return [priority, description]
  }
  assert.deepEqual(imported('Task Gigantic'), ['urgent', null])
  assert.deepEqual(imported('Task Tiny'), ['none', 'Priority: Tiny'])
  assert.deepEqual(imported('Task none'), ['none', null])
  assert.deepEqual(imported('Task Must'), ['high', null])
  assert.deepEqual(describeWarnings(await importer.warnings(id)), ['priority: not_a_priority Tiny'])
})

test('more names than a mapping has room for cost no task', async () => {
  const { read, importer } = await setUp('sqlite')
  const lines = Array.from(
    { length: 510 },
    (_, at) => `Task ${at},p${at},s${at},n${at},j${at % 60}`,
  )
  const file = ['title,assignee,status,priority,project', ...lines].join('\n')
  const ready = await read('Many.csv', file)
  const { people, statuses, priorities, projects } = ready
  const counts = [people, statuses, priorities, projects].map(({ length }) => length)
  assert.deepEqual([counts, ready.failed_count], [[500, 200, 100, 50], 0])
  await importer.act(ready.id, 'start')
  await importer.work()
  const { made_count, failed_count } = await importer.get(ready.id)
  assert.deepEqual([made_count, failed_count], [510, 0])
  const url = '/api/v1/tasks?q=509'
  const { data } = await importer.ask<{ data: Task[] }>('GET', url)
  assert.equal(data[0]?.description, 'Status: s509\nPriority: n509\nAssigned to: p509')
})
