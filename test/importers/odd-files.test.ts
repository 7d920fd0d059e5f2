import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { tarHeader, tarPadding } from '#archive/format/tar.ts'

import type { DatabaseEngine } from '#core/transaction.ts'
import type { Import } from '#resources/imports/internal.ts'

import type { Project } from '#resources/projects/contract.ts'

import type { Task } from '#resources/tasks/fields.ts'
import { createZip } from '../support/data/zip-archive.ts'
import { createFreshDockets } from '../support/engines/fresh-docket.ts'

import { createImporter, describeImportError, describeWarnings } from '../support/world/importer.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'
import { importFile, previewFile, refusalOf } from './imported-files.ts'

// On a shared database, importers of other test processes would claim the jobs.
const fresh = createFreshDockets()

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

const setUp = async (engine: DatabaseEngine = 'sqlite') => {
  const docket = await fresh(engine)
  const team = await createTestWorkspace(docket.storage)
  const importer = await createImporter(docket, team)
  const read = (filename: string, bytes: string | Uint8Array) =>
    previewFile(importer, filename, bytes)
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
  return { docket, team, importer, read, run, list }
}

test('a value that cannot be read costs no task of any tool', async () => {
  const { importer, read, run } = await setUp()
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

test('reads days as people and tools write them', async () => {
  const { read, run } = await setUp()
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

test('the days of a file decide on the order of day and month, or it asks once', async () => {
  const { importer, read, run } = await setUp()
  const days = 'Title,Start,Due\nOne,02/13/2026,\nTwo,03/04/2026,05/06/2026\nThree,3.4.2026,\n'
  const decided = await read('Days.csv', days)
  assert.equal(decided.date_order, null)
  const tasks = await run(decided.id)
  const [two, dotted] = [tasks.get('Two'), tasks.get('Three')]
  assert.deepEqual([two?.start_date, two?.due_date], ['2026-03-04', '2026-05-06'])
  assert.equal(dotted?.start_date, '2026-04-03')
  const contrary = await read('Contrary.csv', `${days}Four,14/02/2026,\nFive,15/02/2026,\n`)
  assert.deepEqual(contrary.date_order, { order: 'day_first', count: 2, example: '3/4/2026' })

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
  const { importer, read, run } = await setUp()
  await importer.ask('PATCH', '/internal/workspace', { timezone: 'America/Chicago' })
  const { id, date_order } = await read('Open.csv', 'Title,Due\nOne,3/4/2026\n')
  assert.equal(date_order?.order, 'month_first')
  assert.equal((await run(id)).get('One')?.due_date, '2026-03-04')
})

test('reads no column that was not chosen, and any that was', async () => {
  const { importer, read, run } = await setUp()
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
  const { importer, read, run } = await setUp()
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
  const { read, importer } = await setUp()
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

const CSV = 'title,id,parent,blocked by,due\n'

test('parts of an empty row, and of one on the lowest level, come in with a warning', async () => {
  const { importer } = await setUp()
  const rows = [
    ['Before its parent', 'a', 'b', '', ''],
    ['No such day', 'b', '', '', '2026-02-30'],
    ['Below a subtask', 'c', 'a', '', ''],
    ['Blocked', 'd', '', 'h', ''],
    ['Good', 'e', '', '', ''],
    ['Twin', 'e', '', '', ''],
    ['Below the good one', 'f', 'e', '', ''],
    ['Below an empty one', 'g', 'h', '', ''],
    ['', 'h', 'i', '', ''],
    ['', 'i', 'b', '', ''],
    ...['1', '2', '3', '4', '5', '6', '7'].map((key) => [
      key,
      key,
      String(Number(key) - 1),
      '',
      '',
    ]),
  ]
  const text = CSV + rows.map((row) => row.join(',')).join('\n')
  const { id } = await importer.upload('rows.csv', text)
  await importer.work()
  assert.deepEqual(await importer.faults(id), [
    {
      number: 10,
      title: '',
      error: null,
    },
    {
      number: 11,
      title: '',
      error: null,
    },
  ])
  const ready = await importer.warnings(id)
  const messages = ready.map((one) => [one.number, ...describeWarnings([one])])
  assert.deepEqual(messages, [
    [3, 'due_date: not_a_date 2026-02-30'],
    [7, 'id: id_taken e 6'],
  ])
  await importer.act(id, 'start')
  await importer.work()
  const { made_count, failed_count, warned_count } = await importer.get(id)
  assert.deepEqual([made_count, failed_count, warned_count], [15, 2, 7])
  const warned = await importer.warnings(id)
  const added = warned.filter(({ number }) => !ready.some((one) => one.number === number))
  assert.deepEqual(
    added.map((one) => [one.number, ...describeWarnings([one])]),
    [
      [5, 'blocked_by: no_task h'],
      [9, 'parent: no_task h'],
      [12, 'parent: not_in_file 0'],
      [17, 'parent: too_deep 5'],
      [18, 'parent: too_deep 6'],
    ],
  )
  const { data } = await importer.ask<{ data: Task[] }>('GET', '/api/v1/tasks')
  const parentOf = ({ parent_id }: Task) => data.find((one) => one.id === parent_id)?.title
  const parents = new Map(data.map((task) => [task.title, parentOf(task)]))
  assert.deepEqual(Object.fromEntries(parents), {
    'Before its parent': 'No such day',
    'No such day': undefined,
    'Below a subtask': 'Before its parent',
    Blocked: undefined,
    Good: undefined,
    Twin: undefined,
    'Below the good one': 'Good',
    'Below an empty one': undefined,
    1: undefined,
    2: '1',
    3: '2',
    4: '3',
    5: '4',
    6: '4',
    7: '4',
  })
  const texts = data.flatMap(({ title, description }) =>
    description === null ? [] : [[title, description]],
  )
  assert.deepEqual(Object.fromEntries(texts), {
    'No such day': 'Due date: 2026-02-30',
    Blocked: 'Blocked by: h',
    'Below an empty one': 'Part of: h',
    1: 'Part of: 0',
    6: 'Part of: 5',
    7: 'Part of: 6',
  })
})

test('circles and odd values cost no row, and are told of', async () => {
  const { importer } = await setUp()
  const rows = [
    ['A', 'a', 'b', '', ''],
    ['B', 'b', 'a', '', ''],
    ['Waits for itself', 'c', '', 'c', ''],
    ['Below a circle', 'd', 'a', '', ''],
    ['Good', 'e', '', 'm', '9999-12-31'],
    ['Waits for its parent', 'm', 'e', '', ''],
    ['Long ago', 'g', '', '', '0001-01-01'],
    ['x'.repeat(501), 'h', '', '', ''],
    ['"nul\0"', 'i', '', '', ''],
    ["'=1+1", 'k', 'e', '', ''],
    ['=HYPERLINK("x")', 'l', 'nobody', 'nothing', ''],
  ]
  const lines = rows.map((row) => row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(','))
  // UTF-16 with a byte order mark, as spreadsheets save it.
  const text = Buffer.from(`\ufeff${CSV}${lines.join('\n')}`, 'utf16le')
  const { id } = await importer.upload('rows.csv', text)
  await importer.work()
  assert.deepEqual(await importer.faults(id), [])
  await importer.act(id, 'start')
  await importer.work()
  const { made_count, failed_count } = await importer.get(id)
  assert.deepEqual([made_count, failed_count], [rows.length, 0])
  const warned = await importer.warnings(id)
  const messages = warned.map((one) => [one.title, describeWarnings([one]).join('; ')])
  assert.deepEqual(Object.fromEntries(messages), {
    B: 'parent: no_task a',
    'Waits for itself': 'blocked_by: no_task c',
    Good: 'blocked_by: no_task m',
    'Long ago': 'due_date: not_a_date 0001-01-01',
    ['x'.repeat(200)]: 'title: title_too_long',
    '=HYPERLINK("x")': 'parent: not_in_file nobody; blocked_by: not_in_file nothing',
  })
  const { data } = await importer.ask<{ data: Task[] }>('GET', '/api/v1/tasks')
  const titled = (title: string) => data.find((one) => one.title === title) ?? assert.fail(title)
  assert.equal(titled('A').parent_id, titled('B').id)
  assert.equal(titled('Below a circle').parent_id, titled('A').id)
  assert.equal(titled('Waits for its parent').parent_id, titled('Good').id)
  assert.equal(titled('x'.repeat(500)).description, 'x'.repeat(501))
  assert.equal(titled('"nul"').description, null)
  assert.equal(titled('=HYPERLINK("x")').description, 'Part of: nobody\nBlocked by: nothing')
})

test('a file of another encoding can be read once that is chosen', async () => {
  const { importer } = await setUp()
  const { id } = await importer.upload('latin1.csv', Buffer.from('title\nZ\xfcrich\n', 'latin1'))
  await importer.work()
  await importer.choose(id, { latin1: true })
  await importer.work()
  assert.equal((await importer.get(id)).sample[0]?.title, 'Zürich')
})

test('names of empty rows become no statuses, people or samples', async () => {
  const { importer } = await setUp()
  const rows = ['Good,"Right\nnow",ada,', ',Never,,']
  const text = ['title,status,assignee,tags', ...rows].join('\n')
  const { id } = await importer.upload('Names.csv', text)
  await importer.work()
  const { statuses, people, sample, failed_count } = await importer.get(id)
  assert.equal(failed_count, 1)
  assert.deepEqual(
    [statuses.map(({ name }) => name), people.map(({ name }) => name)],
    [['Right now'], ['ada']],
  )
  assert.deepEqual(
    sample.map(({ title }) => title),
    ['Good'],
  )
})

test('lone surrogates and control characters in JSON cost no row', async () => {
  const { importer } = await setUp('postgres')
  const issues = [
    '{"number":1,"title":"\\ud800","labels":[]}',
    '{"number":2,"title":"Good","body":"\\u0000"}',
  ]
  const { id } = await importer.upload(
    'issues.json',
    `[${issues.join(',')},{"number":3,"title":"Best"},7]`,
  )
  await importer.work()
  const { row_count, failed_count, status }: Import = await importer.get(id)
  assert.deepEqual([status, row_count, failed_count], ['ready', 4, 1])
})

test('closes the file when reading stops half-way', async () => {
  const { importer } = await setUp()
  const { id } = await importer.upload(
    'issues.json',
    `[{"number":1,"title":"Good"}, nonsense ${' '.repeat(200_000)}`,
  )
  await importer.work()
  assert.equal((await importer.get(id)).status, 'failed')
  // A leaked file handle causes an error when it is garbage-collected, outside of any test.
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  for (let turns = 0; turns < 10; turns += 1) await nextTurn()
})

test('imports projects, statuses, tags and people with names of object members', async () => {
  const { importer, team, read, run } = await setUp()
  const names = ['__proto__', 'constructor', 'hasOwnProperty', 'toString']
  const lines = names.map((name, at) => `Task ${at},${Array(4).fill(name).join(',')},${name},`)
  const file = ['title,project,status,assignee,tags,id,parent', ...lines].join('\n')
  const { id, people, statuses, projects } = await read('Names.csv', file)
  for (const entries of [people, statuses, projects])
    assert.deepEqual(
      entries.map(({ name, count }) => [name, count]),
      names.map((name) => [name, 1]),
    )
  await importer.choose(id, { people: [{ name: '__proto__', user_id: team.people.member }] })
  const tasks = await run(id)
  const { data } = await importer.ask<{ data: Project[] }>('GET', '/api/v1/projects')
  for (const [at, name] of names.entries()) {
    const task = tasks.get(`Task ${at}`) ?? assert.fail(name)
    const project = data.find((one) => one.id === task.project_id)
    const status = project?.statuses.find(({ key }) => key === task.status)
    assert.deepEqual([project?.name, status?.name, task.tag_ids.length], [name, name, 1])
    const isMapped = name === '__proto__'
    assert.deepEqual(task.assignee_ids, isMapped ? [team.people.member] : [])
    assert.equal(task.description, isMapped ? null : `Assigned to: ${name}`)
  }
})

const text = (content: string) => Buffer.from(content)
const zip = (...names: string[]) =>
  createZip(Object.fromEntries(names.map((name) => [name, text('x')])))
const json = (value: unknown) => text(JSON.stringify(value))
const tar = (name: string) =>
  Buffer.concat([tarHeader(name, 1), text('x'), tarPadding(1), Buffer.alloc(1_024)])

/** A zip whose entry is larger than its header says. */
async function zipWithWrongSize(): Promise<Buffer> {
  const zip = await createZip({ 'data.json': Buffer.from(`[${'1,'.repeat(400)}1]`) })
  const sizeOffset = zip.lastIndexOf(Buffer.from('PK\x01\x02', 'latin1')) + 24
  zip.writeUInt32LE(10, sizeOffset)
  return zip
}

/** A zip whose entry has a path outside of the archive. */
async function zipWithPathTraversal(): Promise<Buffer> {
  const zip = await createZip({ 'xx/data.json': Buffer.from('[]') })
  for (let at = zip.indexOf('xx/data'); at >= 0; at = zip.indexOf('xx/data', at + 1)) {
    zip.write('../data', at)
  }
  return zip
}

/** Files that cannot be imported, and why. */
const REFUSED: [name: string, bytes: Buffer | Promise<Buffer>, error: string][] = [
  ['Plan.xlsx', zip('[Content_Types].xml', 'xl/workbook.xml'), 'is_excel'],
  ['Plan.xls', Buffer.from('\xd0\xcf\x11\xe0\xa1\xb1', 'latin1'), 'is_old_office'],
  ['Plan.docx', zip('[Content_Types].xml', 'word/document.xml'), 'is_word'],
  ['Plan.pptx', zip('ppt/presentation.xml'), 'is_presentation'],
  ['Plan.numbers', zip('Index/Document.iwa', 'Index/Tables/DataList.iwa'), 'is_iwork'],
  ['Plan.ods', zip('mimetype', 'META-INF/manifest.xml'), 'is_opendocument'],
  ['Plan.pdf', text('%PDF-1.7\n…'), 'is_pdf'],
  ['Photo.png', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), 'is_image'],
  ['Photo.jpg', Buffer.from('\xff\xd8\xff\xe0', 'latin1'), 'is_image'],
  ['Photo.heic', Buffer.from('\0\0\0\x18ftypheic', 'latin1'), 'is_image'],
  ['Logo.svg', text('<?xml version="1.0"?>\n<svg xmlns="x"/>'), 'is_image'],
  ['Page.html', text('\n<!DOCTYPE html>\n<html></html>'), 'is_web_page'],
  ['Feed.xml', text('<?xml version="1.0"?><tasks/>'), 'is_xml'],
  ['Dates.ics', text('BEGIN:VCALENDAR\nEND:VCALENDAR'), 'is_calendar'],
  ['Letter.rtf', text('{\\rtf1 Hello}'), 'is_rtf'],
  ['Notes.txt', text('Buy milk\nCall Bob\nMow the lawn'), 'is_plain_text'],
  ['List.txt', text('Buy milk, bread\nCall Bob, today\nMow the lawn'), 'is_plain_text'],
  ['Notes.md', text('# Plan\n\n- [ ] Buy milk, and eggs\n- [ ] Call Bob'), 'is_plain_text'],
  [
    'Report.csv',
    text('"Date: 2026-11-28"\n"Version: 7.1"\nWas,Wohin,Womit\na,b,c\nd,e,f\ng,h,i'),
    'lines_above_table',
  ],
  ['Tasks.csv.gz', gzipSync('Title\nOne'), 'is_compressed gzip'],
  ['Tasks.7z', Buffer.from('7z\xbc\xaf\x27\x1c', 'latin1'), 'is_compressed 7-Zip'],
  ['docket.db', text('SQLite format 3\0'), 'is_database'],
  [
    'backup.zip',
    zip('docket-2026/docket.db', 'docket-2026/manifest.json', 'docket-2026/SHA256SUMS'),
    'is_backup',
  ],
  ['backup.tar', tar('docket.db'), 'is_backup'],
  ['source.tar', tar('readme.md'), 'is_tar'],
  ['Program', Buffer.from('\x7fELF\x02\x01\x01\0\0\0\0', 'latin1'), 'is_binary'],
  ['Tasks.csv', Buffer.from('Title,Due\nOne,\n', 'utf16le'), 'is_utf16'],
  ['Blank.csv', text('\n  \n'), 'file_empty'],
  ['Head.csv', text('Title,Status\n'), 'no_rows'],
  ['Asana.json', json({ data: [{ gid: '1', name: 'One' }] }), 'json_asana'],
  ['Jira.json', json({ issues: [{ key: 'A-1', fields: { summary: 'One' } }] }), 'json_jira'],
  [
    'Tasks.json',
    json({ kind: 'tasks#taskLists', items: [{ kind: 'tasks#tasks' }] }),
    'json_google_tasks',
  ],
  ['data.json', json([{ title: 'P', hex_color: '', buckets: [], tasks: [] }]), 'json_vikunja_part'],
  ['cards.json', json([{ id: '1', name: 'One', idBoard: 'b' }]), 'json_trello_cards'],
  ['package.json', json({ name: 'tool', version: '1.0.0' }), 'json_unknown'],
  ['numbers.json', json([1, 2, 3]), 'json_unknown'],
  ['Two.zip', zip('Export/A.csv', 'Export/B.csv'), 'zip_several_tables A.csv, B.csv 0'],
  ['Nested.zip', zip('Export-Part-1.zip'), 'zip_packed Export-Part-1.zip 0'],
  [
    'Photos.zip',
    zip('a.jpg', 'b.jpg', 'c.jpg', 'd.jpg', '__MACOSX/a.jpg'),
    'zip_no_table a.jpg, b.jpg, c.jpg 1',
  ],
  ['Nothing.zip', zip('__MACOSX/._x'), 'zip_empty'],
  ['latin1.csv', Buffer.from('title\nZ\xfcrich\n', 'latin1'), 'is_not_utf8'],
  ['quote.csv', text('title\n"open'), 'quote_open'],
  ['line.csv', text(`title\n"${'x'.repeat(1_200_000)}"\n`), 'line_too_long'],
  ['many.csv', text(`title\n${'a\n'.repeat(1_001)}`), 'too_many_tasks 1000'],
  ['wide.csv', text(`${'x,'.repeat(600)}x\n`), 'too_many_columns 500'],
  ['deep.json', text(`[${'['.repeat(10_000)}`), 'json_too_deep'],
  ['cut.json', text('{"cards":[{"id":"1"'), 'json_malformed'],
  ['broken.zip', text('PK\x03\x04 and nothing else'), 'zip_damaged'],
  [
    'bomb.zip',
    createZip({ 'data.json': Buffer.alloc(3_000_000, ' ') }),
    'zip_file_too_large data.json',
  ],
  ['liar.zip', zipWithWrongSize(), 'zip_damaged'],
  ['path.zip', zipWithPathTraversal(), 'zip_damaged'],
]

const TABLE = text('Name,Status\nPlan trip,To do')
const ISSUES = json([{ number: 1, title: 'One', html_url: 'https://github.com/a/b/issues/1' }])

/** ZIP archives with one file of use, and what that is. */
const ZIPPED: [name: string, files: Record<string, Buffer>, kind: string, title: string][] = [
  ['any.zip', { 'Export/Tasks 1.csv': TABLE }, 'csv', 'Plan trip'],
  [
    'mac.zip',
    { 'Tasks.csv': TABLE, '__MACOSX/._Tasks.csv': text('x'), '.DS_Store': text('x') },
    'csv',
    'Plan trip',
  ],
  [
    'notion.zip',
    { 'Plan 1a2b.csv': text('Name\nSome'), 'Plan 1a2b_all.csv': TABLE, 'Plan/Trip.md': text('#') },
    'csv',
    'Plan trip',
  ],
  ['jira.zip', { 'Jira.csv': text('Summary,Issue key\nOne,A-1\n') }, 'jira', 'One'],
  ['issues.zip', { 'issues.json': ISSUES }, 'github', 'One'],
  [
    'board.zip',
    { 'board.json': json({ name: 'B', cards: [{ id: 'c', name: 'One' }] }) },
    'trello',
    'One',
  ],
]

test('an unreadable file fails with the reason and creates nothing', async () => {
  const docket = await fresh('sqlite')
  for (const [name, bytes, error] of REFUSED)
    assert.equal(await refusalOf(docket, name, await bytes), error, name)
})

test('opens a ZIP archive with one table or export', async () => {
  const docket = await fresh('sqlite')
  for (const [name, files, kind, title] of ZIPPED) {
    const { ready, projects } = await importFile(docket, name, await createZip(files))
    assert.equal(ready.kind, kind, name)
    assert.deepEqual(
      [...projects.values()].flatMap(({ tasks }) => tasks.map((one) => one.title)),
      [title],
    )
  }
  // A kind that a person chooses holds for the file in the archive.
  const table = await createZip({ 'Tasks.csv': text('Summary,Issue key\nOne,A-1\n') })
  const { ready } = await importFile(docket, 'Tasks.zip', table, 'csv')
  assert.equal(ready.kind, 'csv')
})

test('says what a file is to a person who has chosen another kind', async () => {
  const { importer } = await setUp()
  const { id } = await importer.upload('Plan.xlsx', await zip('xl/workbook.xml'))
  for (const kind of [null, 'csv', 'github', 'docket']) {
    if (kind !== null) await importer.choose(id, { kind })
    await importer.work()
    assert.equal(describeImportError(await importer.get(id)), 'is_excel', String(kind))
  }
})
