import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

test('docs/security.md names an existing test for each threat', () => {
  const page = readFileSync('docs/security.md', 'utf8')
  const rows = [...page.matchAll(/^\| (?!Threat|---)(.+?) \| .+ \| (.+) \|$/gm)]
  assert.ok(rows.length >= 20)
  for (const [, threat = '', tests = ''] of rows) {
    const files = [...tests.matchAll(/`([^`]+)`/g)].map(([, file = '']) => file)
    assert.ok(files.length > 0, threat)
    for (const file of files) assert.ok(file.endsWith('.test.ts') && existsSync(file), file)
  }
})
