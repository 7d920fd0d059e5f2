import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Mode } from './mode.ts'

test('a machine changes its mode as its table allows, and any other transition throws', () => {
  const mode = new Mode({ closed: ['open'], open: ['closed', 'open'] }, 'closed')
  assert.throws(() => mode.enter('closed'), /closed cannot be followed by closed/)
  mode.enter('open')
  mode.enter('open')
  assert.equal(mode.is('open'), true)
  mode.enter('closed')
  assert.equal(mode.is('open'), false)
})
