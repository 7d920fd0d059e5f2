import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LiveMessage } from './live-message.ts'
import { findMissed } from './missed-messages.ts'

const LOADED = { latestEventId: 'all.9', position: undefined }
const FOLLOWING = { latestEventId: 'all.9', position: 'P9' }

const state = (at: string, position: string | undefined): LiveMessage => ({
  state: 'live',
  at,
  position,
})
const notice = (previous: string, at: string): LiveMessage => ({ notice: undefined, at, previous })
const changes = (previous: string | undefined, position: string): LiveMessage => ({
  changes: [],
  position,
  previous,
})

test('a tab notices what it has missed while it was loading', () => {
  assert.equal(findMissed(LOADED, state('all.9', 'P9')), undefined)
  assert.equal(findMissed(LOADED, state('all.10', 'P10')), 'notices')
  assert.equal(findMissed(LOADED, notice('all.10', 'all.11')), 'notices')
  assert.equal(findMissed(LOADED, notice('all.9', 'all.10')), undefined)
  assert.equal(findMissed(LOADED, changes('P9', 'P10')), undefined)
  // Its data may be newer than what has reached the other tab, which sees some notices only.
  assert.equal(findMissed(LOADED, state('all.7', 'P7')), undefined)
  assert.equal(findMissed(LOADED, notice('all.7', 'all.10')), undefined)
})

test('a tab notices what it has missed while it was suspended', () => {
  assert.equal(findMissed(FOLLOWING, state('all.9', 'P9')), undefined)
  assert.equal(findMissed(FOLLOWING, changes('P9', 'P10')), undefined)
  assert.equal(findMissed(FOLLOWING, state('all.11', 'P10')), 'changes')
  assert.equal(findMissed(FOLLOWING, changes('P10', 'P11')), 'changes')
  // The feed began anew.
  assert.equal(findMissed(FOLLOWING, changes(undefined, 'P11')), 'changes')
  // The feed tells of no saved view, for example.
  assert.equal(findMissed(FOLLOWING, state('all.10', 'P9')), 'notices')
  assert.equal(findMissed(FOLLOWING, notice('all.10', 'all.11')), 'notices')
  // A server that has restarted counts anew.
  assert.equal(findMissed(FOLLOWING, state('x7-_.2', 'P9')), 'notices')
  assert.equal(findMissed(FOLLOWING, { reset: 'notices', at: 'all.12' }), undefined)
})
