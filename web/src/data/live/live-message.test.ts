import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasMissedChanges, type LiveMessage } from './live-message.ts'

const state = (position: string | undefined): LiveMessage => ({ state: 'live', position })
const changes = (previous: string | undefined, position: string): LiveMessage => ({
  changes: [],
  position,
  previous,
})

test('a tab finds out that it has missed changes while it was loading or suspended', () => {
  assert.equal(hasMissedChanges('9.H', state('9.H')), false)
  assert.equal(hasMissedChanges('9.H', changes('9.H', '10.H')), false)
  assert.equal(hasMissedChanges('9.H', state('10.H')), true)
  assert.equal(hasMissedChanges('9.H', changes('10.H', '11.H')), true)
  // Its data may be newer than what has reached the other tab.
  assert.equal(hasMissedChanges('9.H', state('7.H')), false)
  assert.equal(hasMissedChanges('9.H', changes('7.H', '10.H')), false)
  // The feed began anew.
  assert.equal(hasMissedChanges('9.H', state(undefined)), false)
  assert.equal(hasMissedChanges('9.H', changes(undefined, '11.H')), true)
  assert.equal(hasMissedChanges(undefined, changes(undefined, '11.H')), false)
  // The database was restored.
  assert.equal(hasMissedChanges('9.H', state('9.I')), true)
  assert.equal(hasMissedChanges('9.H', { hint: { noun: 'view' } }), false)
})
