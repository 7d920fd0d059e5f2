import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Import } from '#resources/imports/internal.ts'
import { importById, setImport } from '#resources/imports/store.ts'
import type { Project } from '#resources/projects/contract.ts'
import type { Task } from '#resources/tasks/fields.ts'
import { createZip } from '../support/data/zip-archive.ts'
import { createFreshDockets } from '../support/engines/fresh-docket.ts'
import { ENGINES } from '../support/engines/test-docket.ts'
import { createImporter, describeImportError, describeWarnings } from '../support/world/importer.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'

// On a shared database, importers of other test processes would claim the jobs.
const fresh = createFreshDockets()

const CSV = 'title,id,parent,blocked by,due\n'

/** Unreadable files and the error that each gets. */
const UNREADABLE: [name: string, bytes: () => Promise<Buffer> | Buffer, error: string][] = [
  ['latin1.csv', () => Buffer.from('title\nZ\xfcrich\n', 'latin1'), 'is_not_utf8'],
  ['quote.csv', () => Buffer.from('title\n"open'), 'quote_open'],
  ['line.csv', () => Buffer.from(`title\n"${'x'.repeat(1_200_000)}"\n`), 'line_too_long'],
  ['many.csv', () => Buffer.from(`title\n${'a\n'.repeat(1_001)}`), 'too_many_tasks 1000'],
  ['wide.csv', () => Buffer.from(`${'x,'.repeat(600)}x\n`), 'too_many_columns 500'],
  ['deep.json', () => Buffer.from(`[${'['.repeat(10_000)}`), 'json_too_deep'],
  ['cut.json', () => Buffer.from('{"cards":[{"id":"1"'), 'json_malformed'],
  ['other.json', () => Buffer.from('{"shape":1}'), 'json_unknown'],
  ['broken.zip', () => Buffer.from('PK\x03\x04 and nothing else'), 'zip_damaged'],
  ['photos.zip', () => createZip({ 'a.jpg': Buffer.from('x') }), 'zip_no_table a.jpg 0'],
  [
    'bomb.zip',
    () => createZip({ 'data.json': Buffer.alloc(3_000_000, ' ') }),
    'zip_file_too_large data.json',
  ],
  ['liar.zip', zipWithWrongSize, 'zip_damaged'],
  ['path.zip', zipWithPathTraversal, 'zip_damaged'],
]

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

for (const engine of ENGINES) {
  test(`tasks of an empty row come below its nearest ancestor, with a warning (${engine})`, async () => {
    const docket = await fresh(engine)
    const team = await createTestWorkspace(docket.storage)
    const importer = await createImporter(docket, team)
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
      [5, 'blocked_by: blocker_empty h 10'],
      [7, 'id: id_taken e 6'],
      [9, 'parent: parent_empty h 10'],
      [17, 'parent: parent_too_deep 5 5'],
      [18, 'parent: parent_too_deep 6 5'],
    ])
    await importer.act(id, 'start')
    await importer.work()
    const { made_count, failed_count, warned_count } = await importer.get(id)
    assert.deepEqual([made_count, failed_count, warned_count], [15, 2, 7])
    const warned = await importer.warnings(id)
    assert.deepEqual(
      warned.filter(({ number }) => !ready.some((one) => one.number === number)),
      [
        {
          number: 12,
          title: '1',
          warnings: [{ code: 'not_in_file', field: 'parent', value: '0', number: null }],
        },
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
      'Below an empty one': 'No such day',
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

  test(`circles and odd values cost no row, and are told of (${engine})`, async () => {
    const docket = await fresh(engine)
    const team = await createTestWorkspace(docket.storage)
    const importer = await createImporter(docket, team)
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
      B: 'parent: parent_below a',
      'Waits for itself': 'blocked_by: blocker_waits c 4',
      Good: 'blocked_by: blocker_waits m 7',
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
}

test('an unreadable file fails with the reason and creates nothing', async () => {
  const docket = await fresh('sqlite')
  const team = await createTestWorkspace(docket.storage)
  const importer = await createImporter(docket, team)
  for (const [name, bytes, error] of UNREADABLE) {
    const { id } = await importer.upload(name, await bytes())
    await importer.work()
    const failed = await importer.get(id)
    assert.deepEqual([failed.status, failed.made_count], ['failed', 0], name)
    assert.equal(describeImportError(failed), error, name)
  }
  // With the right encoding chosen, the file can be read.
  const { id } = await importer.upload('latin1.csv', Buffer.from('title\nZ\xfcrich\n', 'latin1'))
  await importer.work()
  await importer.choose(id, { latin1: true })
  await importer.work()
  assert.equal((await importer.get(id)).sample[0]?.title, 'Zürich')
})

test('names of empty rows become no statuses, people or samples', async () => {
  const docket = await fresh('sqlite')
  const team = await createTestWorkspace(docket.storage)
  const importer = await createImporter(docket, team)
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

  // A plan with a name that the API does not allow.
  const name = 'Line\n\u2028break'
  const found = { count: 1, example: 'Good', is_known: true }
  const planned = [...statuses, { name, category: 'started', ...found }]
  await docket.storage.write({ ...ANONYMOUS_ACTOR, workspace_id: team.workspace }, async (tx) => {
    const record = (await tx.one(importById, { id })) ?? assert.fail()
    const plan = JSON.stringify({ ...JSON.parse(record.plan), statuses: planned })
    await tx.run(setPlan, { ...record, plan })
  })
  await importer.act(id, 'start')
  await importer.work()
  const { data } = await importer.ask<{ data: Project[] }>('GET', '/api/v1/projects')
  const project = data.find(({ name }) => name === 'Names')
  assert.deepEqual(
    project?.statuses.map(({ name }) => name),
    ['Right now', 'Line break', 'Done', 'Canceled'],
  )
})

const setPlan = setImport(['plan'])

test('lone surrogates and control characters in JSON cost no row', async () => {
  const docket = await fresh('postgres')
  const importer = await createImporter(docket, await createTestWorkspace(docket.storage))
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
  const docket = await fresh('sqlite')
  const importer = await createImporter(docket, await createTestWorkspace(docket.storage))
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
