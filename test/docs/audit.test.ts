import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { AUDIT_WORDS } from '#wire/audit.ts'

test('the page on the audit log has every act, in the same words', () => {
  const page = readFileSync('docs/audit.md', 'utf8')
  const rows = [...page.matchAll(/^\| `(\w+\.\w+)` \| (.+?) \|/gm)]
  assert.deepEqual(
    rows.map(([, action, words]) => [action, words]),
    Object.entries(AUDIT_WORDS),
  )
})
