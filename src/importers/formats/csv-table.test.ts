import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseCsvTable } from './csv-table.ts'

async function* inChunks(text: string, size: number) {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size)
}

/** The cells of a table that arrives in chunks of `size` characters. */
async function readTable(text: string, size = text.length) {
  const { columns, lines } = await parseCsvTable(inChunks(text, size))
  const rows: unknown[] = []
  for await (const { values } of lines) rows.push(columns.map((_, at) => values[at] || undefined))
  return rows
}

test('reads every row of a table with mixed line ends, which quoted cells keep', async () => {
  const text =
    'title,notes\r\nOne,a\nTwo,"b\nc"\rThree,"d\r\ne"\r\n\n\r\r\nFour,"f\rg"\nFive,h\r\nSix,i'
  const rows = [
    ['One', 'a'],
    ['Two', 'b\nc'],
    ['Three', 'd\r\ne'],
    ['Four', 'f\rg'],
    ['Five', 'h'],
    ['Six', 'i'],
  ]
  for (const size of [text.length, 1, 7, 8]) assert.deepEqual(await readTable(text, size), rows)
})

test('reads tables with only one kind of line end', async () => {
  for (const end of ['\n', '\r\n', '\r']) {
    const text = ['title,due', 'One,1', 'Two,2', ''].join(end)
    assert.deepEqual(await readTable(text), [
      ['One', '1'],
      ['Two', '2'],
    ])
  }
})

test('numbers rows as a spreadsheet does, whatever ends the lines', async () => {
  const text = 'title,"notes\nhere"\nOne,"a\nb\n\nc"\n\nTwo,d\nThree,"e\n"\nFour,f\n'
  for (const end of ['\n', '\r\n', '\r']) {
    for (const size of [1, 7, text.length * 2]) {
      const { lines } = await parseCsvTable(inChunks(text.replaceAll('\n', end), size))
      const numbers = (await Array.fromAsync(lines)).map(({ number }) => number)
      assert.deepEqual(numbers, [2, 4, 5, 6])
    }
  }
})

test('finds the names of the columns below other lines, and numbers the rows as a spreadsheet', async () => {
  const table = 'Title;Due;Notes\nOne;1;"a;\nb"\nTwo;2;\n'
  const rows = [
    ['One', '1', 'a;\nb'],
    ['Two', '2', undefined],
  ]
  const above: [lines: string, rows: number, texts: number][] = [
    ['', 0, 0],
    ['Tasks\n', 1, 1],
    ['"Date: 2026-11-30+0000"\n"Status: \n0 Normal, 1 Done"\n\n', 3, 2],
    ['Report, made by Ada\nfor;Bob\n', 2, 2],
    ['\ufeffReport;;\n;;\n', 2, 1],
    ['sep=;\nReport of;Bob\n', 2, 1],
  ]
  for (const [lines, rowsAbove, texts] of above) {
    assert.deepEqual(await readTable(lines + table), rows, lines)
    const read = await parseCsvTable(inChunks(lines + table, 7))
    const numbers = (await Array.fromAsync(read.lines)).map(({ number }) => number - rowsAbove)
    assert.deepEqual([read.linesAbove, numbers], [texts, [2, 3]], lines)
  }
  assert.deepEqual(await readTable('sep=|\nReport|Bob\nTitle|Due|Notes\nOne|1|a, b\n'), [
    ['One', '1', 'a, b'],
  ])
  // Values are no names of columns, also where they are words that could be.
  assert.deepEqual(await readTable('Kind,Result\nIssue,Done\nTask,Open'), [
    ['Issue', 'Done'],
    ['Task', 'Open'],
  ])
})

test('takes a quoted cell with commas and line ends, also after a space', async () => {
  const text = 'title, notes\nOne, "a, b\nc"\nTwo,\t"d ""e"""\nThree, 5" f\n'
  assert.deepEqual(await readTable(text), [
    ['One', 'a, b\nc'],
    ['Two', 'd "e"'],
    ['Three', '5" f'],
  ])
  assert.deepEqual(await readTable('a\tb\n\t x\n'), [[undefined, 'x']])
})

test('keeps a line whose text is beyond the last column', async () => {
  const { lines } = await parseCsvTable(inChunks('title\nOne\n,lost\n,\n', 5))
  const values = (await Array.fromAsync(lines)).map((line) => line.values)
  assert.deepEqual(values, [['One'], ['', 'lost']])
})

test('takes a line as wide as a sheet may be, and refuses a file with a wider one', async () => {
  const table = (cells: number) => `title\nOne${','.repeat(cells - 1)}`
  assert.deepEqual(await readTable(table(16_384)), [['One']])
  await assert.rejects(readTable(table(16_385)), { message: 'too_many_cells 16384' })
})
