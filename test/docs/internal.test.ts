import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { internalDocs } from '../../tools/internal-docs.ts'

test('the addresses of the web app are documented as they are served', () => {
  const written = readFileSync('docs/internal.md', 'utf8')
  assert.equal(written, internalDocs(), 'run: npx node tools/internal-docs.ts')
})
