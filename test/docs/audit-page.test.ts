import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { AUDIT_ACTION_DESCRIPTIONS } from '#wire/audit-actions.ts'

test('docs/audit.md lists every audit action with its description', () => {
  const page = readFileSync('docs/audit.md', 'utf8')
  const rows = [...page.matchAll(/^\| `(\w+\.\w+)` \| (.+?) \|/gm)]
  assert.deepEqual(
    rows.map(([, action, words]) => [action, words]),
    Object.entries(AUDIT_ACTION_DESCRIPTIONS),
  )
})
