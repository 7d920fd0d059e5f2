import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { listTestFiles } from '../../tools/testing/test-files.ts'

/** The rows of all tables whose last column is `Test`, each as its first cell and the files of its last one. */
function rowsWithTests(page: string): { name: string; files: string[] }[] {
  const cells = (line: string) => line.split(/(?<!\\)\|/).slice(1, -1)
  let isTested = false
  return readFileSync(page, 'utf8')
    .split('\n')
    .flatMap((line, at, lines) => {
      if (!line.startsWith('|')) return []
      const isHead = lines[at + 1]?.startsWith('|--') ?? false
      if (isHead) isTested = cells(line).at(-1)?.trim() === 'Test'
      if (isHead || line.startsWith('|--') || !isTested) return []
      const [name = '', ...rest] = cells(line)
      return [{ name: name.trim(), files: rest.at(-1)?.match(/[\w./-]+\.ts\b/g) ?? [] }]
    })
}

for (const [page, count] of [
  ['docs/spec/reliability.md', 100],
  ['docs/spec/web.md', 30],
] as const) {
  test(`each promise of ${page} names a file of npm test that holds it`, () => {
    const known = new Set(listTestFiles())
    const rows = rowsWithTests(page)
    assert.ok(rows.length >= count, `only ${rows.length} rows were found`)
    for (const { name, files } of rows) {
      assert.ok(files.length > 0, `${page}: ${name} names no test`)
      for (const file of files) {
        assert.ok(known.has(file), `${page}: ${name} names ${file}, which npm test does not run`)
        assert.match(readFileSync(file, 'utf8'), /^\s*(test|scenario|browserTest\w*)\(/m, file)
      }
    }
  })
}
