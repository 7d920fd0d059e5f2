import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Import } from '#resources/imports/internal.ts'
import type { Task } from '#resources/tasks/fields.ts'
import { ENGINES } from '../support/engines.ts'
import { freshDockets } from '../support/fresh.ts'
import { newHome } from '../support/home.ts'
import { importerOf } from '../support/importing.ts'
import { zipOf } from '../support/zip.ts'

// Importers in other processes of the tests would take jobs of a database that they share.
const fresh = freshDockets()

const CSV = 'title,id,parent,blocked by,due\n'

/** Files of which nothing can be read, and what is said of them. */
const UNREADABLE: [name: string, bytes: () => Promise<Buffer> | Buffer, error: RegExp][] = [
  ['latin1.csv', () => Buffer.from('title\nZ\xfcrich\n', 'latin1'), /not in UTF-8/],
  ['quote.csv', () => Buffer.from('title\n"open'), /quotation mark/],
  ['line.csv', () => Buffer.from(`title\n"${'x'.repeat(1_200_000)}"\n`), /longer than a million/],
  ['many.csv', () => Buffer.from(`title\n${'a\n'.repeat(1_001)}`), /more than 1000 tasks/],
  ['people.csv', () => Buffer.from(`title,assignee\n${people()}`), /more than 500 people/],
  ['wide.csv', () => Buffer.from(`${'x,'.repeat(600)}x\n`), /more than 500 columns/],
  ['deep.json', () => Buffer.from(`[${'['.repeat(10_000)}`), /nested too deep/],
  ['cut.json', () => Buffer.from('{"cards":[{"id":"1"'), /no well-formed JSON/],
  ['other.json', () => Buffer.from('{"shape":1}'), /no cards/],
  ['broken.zip', () => Buffer.from('PK\x03\x04 and nothing else'), /damaged/],
  ['photos.zip', () => zipOf({ 'a.jpg': Buffer.from('x') }), /none that Vikunja or Todoist/],
  ['bomb.zip', () => zipOf({ 'data.json': Buffer.alloc(3_000_000, ' ') }), /far too large/],
  ['liar.zip', liar, /damaged/],
  ['path.zip', path, /damaged/],
]

const people = () => Array.from({ length: 501 }, (_, at) => `t,p${at}\n`).join('')

/** An archive whose file is larger than it says. */
async function liar(): Promise<Buffer> {
  const zip = await zipOf({ 'data.json': Buffer.from(`[${'1,'.repeat(400)}1]`) })
  const said = zip.lastIndexOf(Buffer.from('PK\x01\x02', 'latin1')) + 24
  zip.writeUInt32LE(10, said)
  return zip
}

async function path(): Promise<Buffer> {
  const zip = await zipOf({ 'xx/data.json': Buffer.from('[]') })
  for (let at = zip.indexOf('xx/data'); at >= 0; at = zip.indexOf('xx/data', at + 1)) {
    zip.write('../data', at)
  }
  return zip
}

for (const engine of ENGINES) {
  test(`a file that is none is told so, and nothing is made (${engine})`, async () => {
    const served = await fresh(engine)
    const home = await newHome(served.storage)
    const by = await importerOf(served, home)
    for (const [name, bytes, error] of UNREADABLE) {
      const { id } = await by.upload(name, await bytes())
      await by.work()
      const { status, error: why, made_count } = await by.get(id)
      assert.deepEqual([status, made_count], ['failed', 0], name)
      assert.match(why ?? '', error, name)
    }
    // What was said to be another encoding is read as that.
    const { id } = await by.upload('latin1.csv', Buffer.from('title\nZ\xfcrich\n', 'latin1'))
    await by.work()
    await by.choose(id, { latin1: true })
    await by.work()
    assert.equal((await by.get(id)).sample[0]?.title, 'Zürich')
  })

  test(`a row that is none is told so, and the others are made (${engine})`, async () => {
    const served = await fresh(engine)
    const home = await newHome(served.storage)
    const by = await importerOf(served, home)
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
    // UTF-16 with its mark, as spreadsheets save it.
    const text = Buffer.from(`\ufeff${CSV}${lines.join('\n')}`, 'utf16le')
    const { id } = await by.upload('rows.csv', text)
    await by.work()
    const faults = await by.faults(id)
    const told = Object.fromEntries(faults.map(({ title, message }) => [title, message]))
    const circle = 'It waits for itself, or is below itself, by way of other rows.'
    assert.equal(told.A, circle)
    assert.equal(told.B, circle)
    assert.equal(told['Waits for itself'], circle)
    assert.equal(told['Below a circle'], circle)
    assert.equal(told.Twin, 'id: row 6 has the same.')
    assert.match(told['Too late'] ?? '', /due_date/)
    assert.match(told['Long ago'] ?? '', /due_date/)
    assert.match(told['x'.repeat(501)] ?? '', /at most 500/)
    assert.match(told['"nul\0"'] ?? '', /not allowed/)
    assert.equal(faults.length, 9)
    await by.act(id, 'start')
    await by.work()
    const { made_count, failed_count } = await by.get(id)
    assert.deepEqual([made_count, failed_count], [3, 9])
    const { data } = await by.ask<{ data: Task[] }>('GET', '/api/v1/tasks')
    const titles = data.map(({ title }) => title)
    assert.deepEqual(titles.toSorted(), ['=1+1', '=HYPERLINK("x")', 'Good'])
    assert.equal(data.find(({ title }) => title.startsWith('=H'))?.description, 'Part of: nobody')
  })
}

test('half surrogates in JSON are the fault of their row', async () => {
  const served = await fresh('postgres')
  const by = await importerOf(served, await newHome(served.storage))
  const issues = [
    '{"number":1,"title":"\\ud800","labels":[]}',
    '{"number":2,"title":"Good","body":"\\u0000"}',
  ]
  const { id } = await by.upload(
    'issues.json',
    `[${issues.join(',')},{"number":3,"title":"Best"},7]`,
  )
  await by.work()
  const { row_count, failed_count, status }: Import = await by.get(id)
  assert.deepEqual([status, row_count, failed_count], ['ready', 4, 3])
})

test('files whose reader stops in the middle are closed', async () => {
  const served = await fresh('sqlite')
  const by = await importerOf(served, await newHome(served.storage))
  const { id } = await by.upload(
    'issues.json',
    `[{"number":1,"title":"Good"}, nonsense ${' '.repeat(200_000)}`,
  )
  await by.work()
  assert.equal((await by.get(id)).status, 'failed')
  // A file handle that was left open is an error outside of any test when the collector finds it.
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  for (let turns = 0; turns < 10; turns += 1) await turn()
})
