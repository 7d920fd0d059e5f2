import assert from 'node:assert/strict'
import { test } from 'node:test'
import { splitTitle } from './split-title.ts'

test('takes a line of up to 500 characters as the title', () => {
  const line = '🙂'.repeat(500)
  assert.deepEqual(splitTitle(line), { title: line })
})

test('cuts a longer line at a word and keeps all of it in the description', () => {
  const line = 'word '.repeat(120).trim()
  const title = 'word '.repeat(100).trim()
  assert.deepEqual(splitTitle(line), { title, description: line })
  // The space is the first character that does not fit.
  const exact = 'x'.repeat(500)
  assert.deepEqual(splitTitle(`${exact} more`), { title: exact, description: `${exact} more` })
  const last = `${'x'.repeat(490)} ${'y'.repeat(30)}`
  assert.equal(splitTitle(last).title, 'x'.repeat(490))
})

test('cuts a word that is too long between two code points', () => {
  const line = '🙂'.repeat(501)
  assert.deepEqual(splitTitle(line), { title: '🙂'.repeat(500), description: line })
  const address = `See ${'a'.repeat(600)}`
  assert.equal(splitTitle(address).title, `See ${'a'.repeat(496)}`)
})
