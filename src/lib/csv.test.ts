import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseCsvTable } from '#importers/formats/csv-table.ts'
import { toCsv } from './csv.ts'

/** The characters that matter for cells and formulas. Imports trim cells, so none is at an end. */
const cell = fc
  .array(fc.constantFrom(...`=+-@;,\t'"\nax \uff1d\u00a0\u200b\u00ad`), {
    minLength: 1,
    maxLength: 8,
  })
  .map((characters) => characters.join('').trim())
  .filter((text) => text !== '')

test('no text of an exported table starts a cell with a formula, whatever separates cells', () => {
  const check = (text: string) => {
    const csv = toCsv([
      ['n', 'What'],
      ['x', text],
    ])
    for (const separator of [',', ';', '\t']) {
      // A spreadsheet minds quotation marks only at the start of a cell.
      const cells = csv.slice(1).split(separator === ',' ? /\r\n/ : /[\r\n]/)
      for (const line of cells.flatMap((one) => (separator === ',' ? one : one.split(separator)))) {
        const start = line.replace(/^["\s\u200b-\u200f\u2060\u00ad\ufeff\u3164]+/, '')
        assert.doesNotMatch(start, /^[=+\-@\uff1d]/, JSON.stringify([text, csv]))
      }
    }
  }
  for (const text of ['=1', 'a;=1', 'a\t=1', 'a\n=1', 'a;"=1"', "a;'@x", ';=1', '\uff1d1'])
    check(text)
  for (const sign of [' ', '\u00a0', '\u3000', '\u200b', '\u2060', '\ufeff', '\u00ad', '\u3164']) {
    for (const text of [`${sign}=1`, ` ${sign}${sign}=1`, `a;${sign}"=1"`, `a\n${sign}@x`])
      check(text)
  }
  fc.assert(fc.property(cell, check), { seed: 1 })
})

test('imports read exported texts unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(cell, async (text) => {
      const csv = toCsv([
        ['n', 'What'],
        ['x', text],
      ])
      const { lines } = await parseCsvTable(
        (async function* () {
          yield csv
        })(),
      )
      const values: unknown[] = []
      for await (const line of lines) values.push(line.values[1])
      assert.deepEqual(values, [text], csv)
    }),
    { seed: 2 },
  )
})
