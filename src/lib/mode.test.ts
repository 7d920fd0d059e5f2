import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertTransition, type ModeTransitions } from './mode.ts'

test('a machine changes its mode as its table allows, and any other transition throws', () => {
  const next: ModeTransitions<'closed' | 'open'> = { closed: ['open'], open: ['closed', 'open'] }
  assert.throws(
    () => assertTransition(next, 'closed', 'closed'),
    /closed cannot be followed by closed/,
  )
  assertTransition(next, 'closed', 'open')
  assertTransition(next, 'open', 'open')
})
