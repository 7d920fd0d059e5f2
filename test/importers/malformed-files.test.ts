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
import { createImporter } from '../support/world/importer.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'

// On a shared database, importers of other test processes would claim the jobs.
const fresh = createFreshDockets()

const CSV = 'title,id,parent,blocked by,due\n'

/** Unreadable files and the error that each gets. */
const UNREADABLE: [name: string, bytes: () => Promise<Buffer> | Buffer, error: RegExp][] = [
  ['latin1.csv', () => Buffer.from('title\nZ\xfcrich\n', 'latin1'), /not in UTF-8/],
  ['quote.csv', () => Buffer.from('title\n"open'), /quotation mark/],
  ['line.csv', () => Buffer.from(`title\n"${'x'.repeat(1_200_000)}"\n`), /longer than a million/],
  ['many.csv', () => Buffer.from(`title\n${'a\n'.repeat(1_001)}`), /more than 1000 tasks/],
  ['people.csv', () => Buffer.from(`title,assignee\n${manyPeople()}`), /more than 500 people/],
  ['wide.csv', () => Buffer.from(`${'x,'.repeat(600)}x\n`), /more than 500 columns/],
  ['deep.json', () => Buffer.from(`[${'['.repeat(10_000)}`), /nested too deeply/],
  ['cut.json', () => Buffer.from('{"cards":[{"id":"1"'), /not well-formed JSON/],
  ['other.json', () => Buffer.from('{"shape":1}'), /^This JSON is no export that Docket knows/],
  ['broken.zip', () => Buffer.from('PK\x03\x04 and nothing else'), /damaged/],
  [
    'photos.zip',
    () => createZip({ 'a.jpg': Buffer.from('x') }),
    /^The ZIP archive has no table .*"a\.jpg"/,
  ],
  ['bomb.zip', () => createZip({ 'data.json': Buffer.alloc(3_000_000, ' ') }), /is too large/],
  ['liar.zip', zipWithWrongSize, /damaged/],
  ['path.zip', zipWithPathTraversal, /damaged/],
]

const manyPeople = () => Array.from({ length: 501 }, (_, at) => `t,p${at}\n`).join('')

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
  test(`an unreadable file fails with the reason and creates nothing (${engine})`, async () => {
    const docket = await fresh(engine)
    const home = await createTestWorkspace(docket.storage)
    const importer = await createImporter(docket, home)
    for (const [name, bytes, error] of UNREADABLE) {
      const { id } = await importer.upload(name, await bytes())
      await importer.work()
      const { status, error: why, made_count } = await importer.get(id)
      assert.deepEqual([status, made_count], ['failed', 0], name)
      assert.match(why ?? '', error, name)
    }
    // With the right encoding chosen, the file can be read.
    const { id } = await importer.upload('latin1.csv', Buffer.from('title\nZ\xfcrich\n', 'latin1'))
    await importer.work()
    await importer.choose(id, { latin1: true })
    await importer.work()
    assert.equal((await importer.get(id)).sample[0]?.title, 'Zürich')
  })

  test(`what belongs to an invalid row is reported with the number of that row (${engine})`, async () => {
    const docket = await fresh(engine)
    const home = await createTestWorkspace(docket.storage)
    const importer = await createImporter(docket, home)
    const rows = [
      ['Before its parent', 'a', 'b', '', ''],
      ['Too late', 'b', '', '', '2026-02-30'],
      ['Below a subtask', 'c', 'a', '', ''],
      ['Blocked', 'd', '', 'b', ''],
      ['Good', 'e', '', '', ''],
      ['Twin', 'e', '', '', ''],
      ['Below the good one', 'f', 'e', '', ''],
      ['Without title below', 'g', 'h', '', ''],
      ['', 'h', 'b', '', ''],
      ['One', '1', '', '', ''],
      ...['2', '3', '4', '5', '6', '7'].map((key) => [key, key, String(Number(key) - 1), '', '']),
    ]
    const text = CSV + rows.map((row) => row.join(',')).join('\n')
    const { id } = await importer.upload('rows.csv', text)
    await importer.work()
    const faults = await importer.faults(id)
    const invalid = (field: string, number: number) =>
      `${field}: row ${number} cannot be imported, because it has errors.`
    const messages = new Map(faults.map(({ number, message }) => [number, message]))
    assert.equal(messages.get(2), invalid('parent', 3))
    assert.match(messages.get(3) ?? '', /^due_date/)
    assert.equal(messages.get(4), invalid('parent', 2))
    assert.equal(messages.get(5), invalid('blocked_by', 3))
    assert.equal(messages.get(7), 'id: row 6 has the same id.')
    assert.equal(messages.get(9), invalid('parent', 10))
    assert.equal(messages.get(10), 'title must not be empty.')
    assert.match(messages.get(16) ?? '', /below more than 4 other tasks/)
    assert.equal(messages.get(17), invalid('parent', 16))
    assert.equal(faults.length, 9)
    await importer.act(id, 'start')
    await importer.work()
    const { made_count, failed_count } = await importer.get(id)
    assert.deepEqual([made_count, failed_count], [7, 9])
    const { data } = await importer.ask<{ data: Task[] }>('GET', '/api/v1/tasks')
    assert.deepEqual(
      data.filter(({ description }) => description !== null),
      [],
    )
    const parentId = data.find(({ title }) => title === 'Good')?.id
    assert.equal(data.find(({ title }) => title === 'Below the good one')?.parent_id, parentId)
  })

  test(`invalid rows are reported, and the others are imported (${engine})`, async () => {
    const docket = await fresh(engine)
    const home = await createTestWorkspace(docket.storage)
    const importer = await createImporter(docket, home)
    const rows = [
      ['A', 'a', 'b', '', ''],
      ['B', 'b', 'a', '', ''],
      ['Waits for itself', 'c', '', 'c', ''],
      ['Below a circle', 'd', 'a', '', ''],
      ['Good', 'e', '', '', '9999-12-31'],
      ['Twin', 'e', '', '', ''],
      ['Too late', 'f', '', '', '2026-02-30'],
      ['Long ago', 'g', '', '', '0001-01-01'],
      ['x'.repeat(501), 'h', '', '', ''],
      ['"nul\0"', 'i', '', '', ''],
      ["'=1+1", 'k', 'e', '', ''],
      ['=HYPERLINK("x")', 'l', 'nobody', '', ''],
    ]
    const lines = rows.map((row) => row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(','))
    // UTF-16 with a byte order mark, as spreadsheets save it.
    const text = Buffer.from(`\ufeff${CSV}${lines.join('\n')}`, 'utf16le')
    const { id } = await importer.upload('rows.csv', text)
    await importer.work()
    const faults = await importer.faults(id)
    const messages = Object.fromEntries(faults.map(({ title, message }) => [title, message]))
    const cycleMessage = 'It waits for itself, or is below itself, by way of other rows.'
    assert.equal(messages.A, cycleMessage)
    assert.equal(messages.B, cycleMessage)
    assert.equal(messages['Waits for itself'], cycleMessage)
    assert.equal(messages['Below a circle'], cycleMessage)
    assert.equal(messages.Twin, 'id: row 6 has the same id.')
    assert.match(messages['Too late'] ?? '', /due_date/)
    assert.match(messages['Long ago'] ?? '', /due_date/)
    assert.match(messages['x'.repeat(200)] ?? '', /at most 500/)
    assert.match(messages['"nul\0"'] ?? '', /must not contain/)
    assert.equal(faults.length, 9)
    await importer.act(id, 'start')
    await importer.work()
    const { made_count, failed_count } = await importer.get(id)
    assert.deepEqual([made_count, failed_count], [3, 9])
    const { data } = await importer.ask<{ data: Task[] }>('GET', '/api/v1/tasks')
    const titles = data.map(({ title }) => title)
    assert.deepEqual(titles.toSorted(), ['=1+1', '=HYPERLINK("x")', 'Good'])
    assert.equal(data.find(({ title }) => title.startsWith('=H'))?.description, 'Part of: nobody')
  })

  test(`names of rejected rows become no statuses, people or samples (${engine})`, async () => {
    const docket = await fresh(engine)
    const home = await createTestWorkspace(docket.storage)
    const importer = await createImporter(docket, home)
    const rows = [
      'Good,Now,ada,',
      `Bad,"Line\nbreak",bob,${'t'.repeat(600)}`,
      `${'x'.repeat(501)},Never,cyd,`,
    ]
    const text = ['title,status,assignee,tags', ...rows].join('\n')
    const { id } = await importer.upload('Names.csv', text)
    await importer.work()
    const { statuses, people, sample, failed_count } = await importer.get(id)
    assert.equal(failed_count, 2)
    assert.deepEqual(
      [statuses.map(({ name }) => name), people.map(({ name }) => name)],
      [['Now'], ['ada']],
    )
    assert.deepEqual(
      sample.map(({ title }) => title),
      ['Good'],
    )

    // The plan of an import that the previous release has read.
    const planned = [...statuses, { name: 'Line\n\u2028break', category: 'started', count: 1 }]
    await docket.storage.write({ ...ANONYMOUS_ACTOR, workspace_id: home.workspace }, async (tx) => {
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
      ['Now', 'Line  break', 'Done', 'Canceled'],
    )
  })
}

const setPlan = setImport(['plan'])

test('a lone surrogate in JSON is an error of its row only', async () => {
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
  assert.deepEqual([status, row_count, failed_count], ['ready', 4, 3])
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
