import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { renderInternalDocs } from '../../tools/internal-docs.ts'

test('docs/internal.md is up to date with the internal API', () => {
  const written = readFileSync('docs/internal.md', 'utf8')
  assert.equal(written, renderInternalDocs(), 'run: npx node tools/internal-docs.ts')
})
