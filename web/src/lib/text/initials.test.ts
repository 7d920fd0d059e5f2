import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getInitials } from './initials.ts'

test('takes whole characters as initials', () => {
  assert.equal(getInitials('Tomás  Rivera'), 'TR')
  assert.equal(getInitials('mei'), 'M')
  assert.equal(getInitials('👨‍👩‍👧 e\u0301mile 🇩🇪'), '👨‍👩‍👧🇩🇪')
  assert.equal(getInitials('e\u0301mile zola'), 'E\u0301Z')
  assert.equal(getInitials(' '), '')
})
